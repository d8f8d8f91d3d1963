#include "msaccucmp/overflow/overflow.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "core/layout/format.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/base/result_file.h"
#include "msaccucmp/convert/output_names.h"
#include "msaccucmp/convert/tensor_files.h"
#include "msaccucmp/kernel_dumps/op_debug.h"
#include "msaccucmp/overflow/array_summary.h"
#include "msaccucmp/overflow/dump_search.h"

namespace npuscope::msaccucmp {

namespace {

namespace fs = std::filesystem;

class Analysis {
  public:
    Analysis(const fs::path& output, Log& log) : names_(output), log_(log) {}

    /// One overflow as the summary has it.
    std::string block(size_t number, const FoundDump& debug) {
        const OpDebug parsed = read_debug(debug);
        std::string text =
            std::string(49, '=') + "[" + std::to_string(number) + "]" + std::string(50, '=') + "\n";
        std::string units;
        const OpDebugUnit* last = nullptr;
        for (const OpDebugUnit& unit : parsed.units) {
            if (!unit.is_overflow) continue;
            units += " [" + unit.name + "][TaskId:" + std::to_string(unit.task_id) +
                     "][StreamId:" + std::to_string(unit.stream_id) + "][Status:" + unit.status +
                     "]\n";
            last = &unit;
        }
        if (last == nullptr)
            throw CommandError(parsed.is_new ? kInvalidOverflowStatus : kInvalidOverflowType,
                               "'" + debug.path.string() + "' reports an overflow of status 0.");
        units += " [timestamp:" + std::to_string(debug.fields.timestamp) + "]\n";
        const auto dumps = find_dumps(debug.path.parent_path(), log_);
        const FoundDump* culprit = find_culprit(dumps, *last);
        if (culprit == nullptr) {
            log_.warning("There is no dump of the op that '" + debug.path.string() + "' reports.");
            return text + units;
        }
        text += culprit_head(*culprit) + units;
        return text + tensors(*culprit);
    }

    [[nodiscard]] int code() const { return code_; }

  private:
    /// Two files of one name in two folders must not overwrite each other's results.
    std::string base_of(const fs::path& path) {
        const std::string name = path.filename().string();
        auto& paths = used_[name];
        auto at = std::find(paths.begin(), paths.end(), path);
        if (at == paths.end()) at = paths.insert(paths.end(), path);
        const auto number = at - paths.begin() + 1;
        return number == 1 ? name : name + "." + std::to_string(number);
    }

    OpDebug read_debug(const FoundDump& debug) {
        try {
            const InputFile file(debug.path);
            return write_op_debug(file, base_of(debug.path), names_, log_);
        } catch (const CommandError& problem) {
            throw CommandError(kParseDumpFileError,
                               "'" + debug.path.string() + "' cannot be read: " + problem.what());
        }
    }

    std::string culprit_head(const FoundDump& culprit) {
        std::string name = culprit.fields.op_name;
        try {
            file_ = std::make_unique<InputFile>(culprit.path);
            if (!file_->dump().op_name.empty()) name = file_->dump().op_name;
        } catch (const CommandError& problem) {
            file_.reset();
            log_.error(problem.what());
            if (code_ == kOk) code_ = problem.code();
        }
        return "[" + culprit.fields.op_type + "] " + log_safe(name) + "\n";
    }

    std::string tensors(const FoundDump& culprit) {
        if (!file_) return {};
        const std::string base = base_of(culprit.path);
        try {
            const int code = write_tensor_files(
                *file_, {.type = ArrayFileType::kNpy, .base = base}, names_, log_);
            if (code_ == kOk) code_ = code;
        } catch (const CommandError& problem) {
            log_.error("'" + culprit.path.string() + "': " + problem.what());
            if (code_ == kOk) code_ = problem.code();
            return {};
        }
        std::string text;
        const cann_dump::DumpFile& dump = file_->dump();
        for (size_t i = 0; i < dump.inputs.size(); ++i)
            text += tensor(dump.inputs[i], {true, i}, base);
        for (size_t i = 0; i < dump.outputs.size(); ++i)
            text += tensor(dump.outputs[i], {false, i}, base);
        return text;
    }

    std::string tensor(const cann_dump::DumpTensor& tensor,
                       const TensorPlace& place,
                       const std::string& base) {
        const auto format = layout::format_from_code(tensor.format);
        const std::string name =
            format ? std::string(layout::name_of(*format)) : std::to_string(tensor.format);
        try {
            const DumpArray array(*file_, tensor);
            return " " + base + "." + place.text('.') + ".npy\n -[Format: " + name + "] " +
                   summary_of(array) + "\n";
        } catch (const CommandError& problem) {
            return " " + place.text(':') + ": " + log_safe(problem.what()) + "\n";
        }
    }

    OutputNames names_;
    Log& log_;
    std::map<std::string, std::vector<fs::path>> used_;
    std::unique_ptr<InputFile> file_;
    int code_ = kOk;
};

}  // namespace

int overflow(const OverflowOptions& options, Log& log) {
    require_path(options.dump_path, PathType::kDirectory, log);
    require_output_folder(options.output_path, log);
    std::vector<FoundDump> debug = find_dumps(fs::canonical(options.dump_path), log);
    std::erase_if(debug, [](const FoundDump& dump) { return !is_op_debug(dump); });
    if (debug.empty()) {
        log.warning("There is no dump of an overflow (Opdebug.Node_OpDebug...) in '" +
                    options.dump_path + "'.");
        return kOk;
    }
    std::stable_sort(debug.begin(), debug.end(), [](const FoundDump& a, const FoundDump& b) {
        return a.fields.timestamp < b.fields.timestamp;
    });
    const size_t count = std::min(options.top_n, debug.size());
    log.info(std::to_string(debug.size()) + " overflows were recorded; the first " +
             std::to_string(count) + " are reported.");
    Analysis analysis(fs::canonical(options.output_path), log);
    int code = kOk;
    std::string summary;
    for (size_t i = 0; i < count; ++i) {
        log.step();
        try {
            summary += analysis.block(i + 1, debug[i]);
        } catch (const CommandError& problem) {
            if (problem.code() != kParseDumpFileError) throw;
            log.error(problem.what());
            if (code == kOk) code = problem.code();
        }
    }
    const fs::path path =
        fs::path(options.output_path) / ("overflow_summary_" + time_stamp() + ".txt");
    ::unlink(path.c_str());
    ResultFile file(path);
    file.write(summary);
    file.close();
    log.info("The summary is in \"'" + path.string() + "'\".");
    return code != kOk ? code : analysis.code();
}

}  // namespace npuscope::msaccucmp
