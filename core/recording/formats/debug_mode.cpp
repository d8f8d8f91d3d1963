// Logs of PyTorch's DebugMode (debug_string()): a line for each call, indented by its depth, with
// dtypes and shapes, and where they were logged hashes, which are sums of magnitudes.
// Source: PyTorch, torch/utils/_debug_mode.py.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/base/words.h"
#include "core/naming/ir_name.h"
#include "core/recording/formats/call_text.h"
#include "core/recording/formats/format.h"

namespace npuscope {

namespace {

constexpr std::string_view kModule = "[nn.Mod] ";
constexpr std::string_view kLine = "# File: ";

size_t depth_of(const std::string& line) {
    const size_t spaces = line.find_first_not_of(' ');
    return spaces == std::string::npos ? 0 : spaces;
}

/// Of other libraries' ops the library stays in front.
std::string name_of_op(std::string_view logged) {
    std::string name = ir_name(logged);
    for (const std::string_view separator : {"::", ".", "/"})
        for (size_t at = name.find(separator); at != std::string::npos;
             at = name.find(separator, at))
            name.replace(at, separator.size(), "_");
    return name;
}

class DebugLog {
  public:
    explicit DebugLog(const std::filesystem::path& path) : what_(in_quotes(path)) {
        std::istringstream lines(read_text_file(path));
        for (std::string line; std::getline(lines, line);)
            read_line(line);
        take_last(0);
        if (!has_tensors_)
            throw Error(
                ErrorKind::kFormat,
                what_ + " is no log of PyTorch's DebugMode: it has no line of an op with a tensor");
        source_.numbered = true;
    }

    Source source() { return std::move(source_); }

  private:
    struct Module {
        size_t depth;
        std::string name;
    };

    void read_line(const std::string& line) {
        const size_t depth = depth_of(line);
        const std::string text = trimmed(line);
        if (text.starts_with(kLine)) {
            // "# File: net.py:12 in forward, code: y = self.fc(x)"
            const std::string place = text.substr(kLine.size());
            line_ = place.substr(0, place.find(" in "));
            return;
        }
        if (text.empty() || text.starts_with("#") || text.starts_with("->")) return;
        take_last(depth);
        while (!modules_.empty() && modules_.back().depth >= depth)
            modules_.pop_back();
        if (text.starts_with(kModule)) {
            modules_.push_back({depth, text.substr(kModule.size())});
            return;
        }
        if (text.starts_with("redistribute_input")) return;
        call_ = parse_call(text);
        call_depth_ = depth;
        call_line_ = line_;
    }

    /// A call that others stand below is told by them.
    void take_last(size_t next_depth) {
        if (!call_ || next_depth > call_depth_) {
            call_.reset();
            return;
        }
        const auto seqid = static_cast<int64_t>(source_.ops.size()) + 1;
        const OpId id{name_of_op(call_->name), seqid};
        std::vector<SourceTensor> tensors = call_->inputs;
        has_tensors_ = has_tensors_ || !call_->inputs.empty() || !call_->outputs.empty();
        tensors.insert(tensors.end(), call_->outputs.begin(), call_->outputs.end());
        for (SourceTensor& tensor : tensors)
            tensor.path =
                id.path() + "/" + std::string(name_of(tensor.direction)) + "/" + tensor.argument;
        OpSource place{.line = call_line_};
        if (!modules_.empty()) place.module = modules_.back().name;
        dumpfile::OpFacts known;
        known.source = place;
        source_.ops.push_back({.id = id,
                               .path = id.path(),
                               .load = [tensors = std::move(tensors)] { return tensors; },
                               .facts = [known, arguments = call_->arguments]() -> SideFacts {
                                   return {known, arguments};
                               },
                               .place = [place] { return place; }});
        call_.reset();
    }

    std::string what_;
    Source source_;
    bool has_tensors_ = false;
    std::vector<Module> modules_;
    std::string line_;
    std::optional<CallText> call_;
    size_t call_depth_ = 0;
    std::string call_line_;
};

bool is_log(const std::filesystem::path& path) {
    std::error_code failed;
    return has_extension(path, {".log", ".txt"}) && std::filesystem::is_regular_file(path, failed);
}

}  // namespace

extern const Format k_debug_mode_format;
const Format k_debug_mode_format = {
    .name = "debug_mode",
    .what = "a .log or .txt of PyTorch's DebugMode",
    .is_it = is_log,
    .open = [](const std::filesystem::path& path, Arrays) { return DebugLog(path).source(); },
};

}  // namespace npuscope
