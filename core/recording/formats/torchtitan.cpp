// torchtitan's logs of activations: a block of lines for each op, with statistics of its first
// result.
// Source: pytorch/torchtitan, agent_tooling/numerics_debugging/activation_tracer.py.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/base/words.h"
#include "core/recording/formats/format.h"

namespace npuscope {

namespace {

constexpr std::string_view kFirstLine = "Total captured activations: ";
constexpr std::string_view kDType = "), Dtype: torch.";

/// One op as the log has it.
struct Block {
    std::string key;
    SourceTensor result;
    std::vector<std::string> input_hashes{};
    std::vector<std::string> producers{};
    std::string hash{};  ///< of the first result
    OpSource source{};
};

std::optional<double> number_in(const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return end == text.c_str() || *end != '\0' ? std::nullopt : std::optional(number);
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
    std::vector<std::string> parts = fields_of(text, separator);
    for (std::string& part : parts)
        part = trimmed(part);
    return parts;
}

class ActivationLog {
  public:
    explicit ActivationLog(const std::filesystem::path& path) : what_(in_quotes(path)) {
        std::istringstream lines(read_text_file(path));
        std::string line;
        std::getline(lines, line);
        const auto count = natural(
            trimmed(std::string_view(line).substr(std::min(line.size(), kFirstLine.size()))));
        if (!line.starts_with(kFirstLine) || !count) is_none("its first line is another");
        while (std::getline(lines, line))
            read_line(line);
        if (static_cast<int64_t>(blocks_.size()) != *count)
            is_none("it says that it has " + std::to_string(*count) + " ops and has " +
                    std::to_string(blocks_.size()) + "; is it cut short?");
    }

    Source source() {
        Source source;
        // The latest op before that gave a result of this hash, or of this key.
        std::map<std::string, size_t> by_hash;
        std::map<std::string, size_t> by_key;
        for (size_t i = 0; i < blocks_.size(); ++i) {
            source.ops.push_back(op_of(i, by_hash, by_key));
            by_key[blocks_[i].key] = i;
            if (!blocks_[i].hash.empty()) by_hash[blocks_[i].hash] = i;
        }
        return source;
    }

  private:
    [[noreturn]] void is_none(const std::string& problem) const {
        throw Error(ErrorKind::kFormat,
                    what_ + " is no log of torchtitan's activations: " + problem);
    }

    void read_line(const std::string& line) {
        if (line.starts_with('[') && line.ends_with(']')) {
            Block block;
            block.key = line.substr(1, line.size() - 2);
            const size_t slash = block.key.rfind('/');
            if (slash != std::string::npos) block.source.module = block.key.substr(0, slash);
            block.result.argument = "0";
            block.result.path = block.key + ".output.0";
            blocks_.push_back(std::move(block));
            return;
        }
        const size_t colon = line.find(": ");
        if (blocks_.empty() || !line.starts_with("  ") || colon == std::string::npos) return;
        read_fact(line.substr(2, colon - 2), trimmed(line.substr(colon + 2)));
    }

    void read_fact(const std::string& key, const std::string& value) {
        Block& block = blocks_.back();
        if (key == "Shape") return read_shape(value, block.result);
        if (key == "Output hash") {
            block.hash = parts_of(value, ',').front();
        } else if (key == "Input hashes") {
            block.input_hashes = parts_of(value, ',');
        } else if (key == "Input producers") {
            block.producers = parts_of(value, ';');
        } else if (key == "Location") {
            block.source.line = value;
        } else if (key == "Phase") {
            block.source.autograd = value == "backward" ? value : "";
        } else if (key == "L2 norm" || key == "Min" || key == "Max" || key == "Mean") {
            if (!block.result.statistics) block.result.statistics.emplace();
            RecordedStatistics& known = *block.result.statistics;
            (key == "Min"    ? known.min
             : key == "Max"  ? known.max
             : key == "Mean" ? known.mean
                             : known.norm) = number_in(value);
        }
    }

    /// "torch.Size([2, 3]), Dtype: torch.float32"
    void read_shape(const std::string& text, SourceTensor& tensor) const {
        const size_t open = text.find('[');
        const size_t close = text.find(']');
        const size_t dtype = text.find(kDType);
        if (open == std::string::npos || close == std::string::npos || close < open ||
            dtype == std::string::npos)
            is_none("a shape is written otherwise: " + in_quotes(text));
        tensor.dtype = text.substr(dtype + kDType.size());
        for (const std::string& dim : parts_of(text.substr(open + 1, close - open - 1), ',')) {
            if (dim.empty()) continue;
            const auto size = natural(dim);
            if (!size) is_none("a shape is written otherwise: " + in_quotes(text));
            tensor.shape.push_back(*size);
        }
        static_cast<void>(numel_of(tensor.shape));
    }

    /// What the op took from ops before it is told by their keys, or by equal hashes; anything else
    /// that it took is not in the log.
    SourceOp op_of(size_t index,
                   const std::map<std::string, size_t>& by_hash,
                   const std::map<std::string, size_t>& by_key) const {
        const Block& block = blocks_[index];
        std::vector<SourceTensor> tensors;
        for (size_t i = 0; i < block.input_hashes.size(); ++i) {
            const std::string& hash = block.input_hashes[i];
            auto maker = by_key.end();
            if (i < block.producers.size()) maker = by_key.find(block.producers[i]);
            // Something wrote to it in between where the hash is another.
            if (maker == by_key.end() || blocks_[maker->second].hash != hash) {
                maker = by_hash.find(hash);
                if (maker == by_hash.end()) continue;
            }
            SourceTensor input = blocks_[maker->second].result;
            if (input.dtype.empty()) continue;
            input.direction = dumpfile::Direction::kInput;
            input.argument = std::to_string(i);
            input.path = block.key + ".input." + input.argument;
            tensors.push_back(std::move(input));
        }
        if (!block.result.dtype.empty()) tensors.push_back(block.result);
        return {.id = {block.key, 0},
                .path = block.key,
                .load = [tensors] { return tensors; },
                .place = [source = block.source] { return source; }};
    }

    std::string what_;
    std::vector<Block> blocks_;
};

}  // namespace

extern const Format k_torchtitan_format;
const Format k_torchtitan_format = {
    .name = "torchtitan",
    .what = "a log of torchtitan's activations",
    .is_it =
        [](const std::filesystem::path& path) {
            return first_bytes(path, kFirstLine.size()) == kFirstLine;
        },
    .open = [](const std::filesystem::path& path, Arrays) { return ActivationLog(path).source(); },
};

}  // namespace npuscope
