#include "msaccucmp/folders/npu_pair.h"

#include <map>

#include "core/cann_dump/data_type.h"
#include "core/cann_dump/unpadded.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/folders/format_change.h"

namespace npuscope::msaccucmp {

namespace {

std::string data_type_text(int64_t data_type) {
    const auto* row = cann_dump::find_data_type(data_type);
    if (row == nullptr || row->decoding == cann_dump::Decoding::kNone) return kNotANumber;
    // Both are read as the integers that they are stored as.
    const bool is_renamed =
        row->type == cann_dump::DataType::kUndefined || row->type == cann_dump::DataType::kResource;
    return std::string(is_renamed ? row->array_name : row->name);
}

class PairComparison {
  public:
    PairComparison(const NpuPair& pair,
                   const AlgorithmSet& algorithms,
                   const TableFormat& format,
                   Log& log)
        : pair_(pair), algorithms_(algorithms), format_(format), log_(log), name_(pair.name) {}

    GroupResult run() {
        if (pair_.my == nullptr || pair_.golden == nullptr) return one_sided();
        result_.matched = true;
        rows_.op = pair_.name;
        try {
            my_ = read_entry(*pair_.my, log_);
            golden_ = read_entry(*pair_.golden, log_);
        } catch (const CompareFailure& failure) {
            result_.code = failure.code();
            add_failed(failure.what());
            return finished();
        }
        if (my_.has_attributes && !my_.name.empty()) name_ = my_.name;
        compare_sides();
        return finished();
    }

  private:
    GroupResult one_sided() {
        const bool mine = pair_.my != nullptr;
        const std::string reason = mine ? "There is no golden dump file for this op."
                                        : "There is no dump file of mine for this op.";
        log_.warning("[" + pair_.name + "] " + reason);
        RowTensor tensor;
        tensor.reason = reason;
        rows_.op = pair_.name;
        rows_.rows.push_back(table_row(format_,
                                       {.index = pair_.index,
                                        .my_names = mine ? pair_.name : "*",
                                        .golden_names = mine ? "*" : pair_.name},
                                       tensor));
        result_.code = kNoDumpFile;
        return finished();
    }

    GroupResult finished() {
        result_.ops.push_back(std::move(rows_));
        return std::move(result_);
    }

    void add_failed(const std::string& reason) {
        log_.error("[" + pair_.name + "] " + reason);
        RowTensor tensor;
        tensor.reason = reason;
        rows_.rows.push_back(table_row(format_, row_op(), tensor));
    }

    [[nodiscard]] RowOp row_op() const {
        return {.index = pair_.index, .my_names = name_, .golden_names = name_};
    }

    /// Why the tensors of one direction cannot be compared, nothing when they can.
    static std::string mismatch(const std::vector<DumpedTensor>& my,
                                const std::vector<DumpedTensor>& golden,
                                const std::string& direction) {
        if (my.size() != golden.size())
            return "The numbers of " + direction + "s differ: " + std::to_string(my.size()) +
                   " on my side, " + std::to_string(golden.size()) + " on the golden side.";
        for (size_t i = 0; i < my.size(); ++i)
            if (my[i].shape != golden[i].shape)
                return direction + " " + std::to_string(i) + ": " +
                       shapes_differ(my[i].shape, golden[i].shape);
        return {};
    }

    /// A direction that differs has one row that says so.
    void compare_sides() {
        const std::string inputs = mismatch(my_.inputs, golden_.inputs, "input");
        const std::string outputs = mismatch(my_.outputs, golden_.outputs, "output");
        const bool has_inputs = inputs.empty() && !my_.inputs.empty();
        const bool has_outputs = outputs.empty() && !my_.outputs.empty();
        if (!has_inputs && !has_outputs) {
            result_.code = kInvalidDumpData;
            std::vector<std::string> reasons;
            if (!my_.has_all_parts)
                reasons.emplace_back("Not all parts of this FFTS+ op have a dump file.");
            reasons.push_back(inputs.empty() ? "The dump has no inputs." : inputs);
            reasons.push_back(outputs.empty() ? "The dump has no outputs." : outputs);
            add_failed(joined_reasons(reasons));
            return;
        }
        compare_direction(my_.inputs, golden_.inputs, "input", inputs);
        compare_direction(my_.outputs, golden_.outputs, "output", outputs);
    }

    void compare_direction(const std::vector<DumpedTensor>& my,
                           const std::vector<DumpedTensor>& golden,
                           const std::string& direction,
                           const std::string& problem) {
        if (!problem.empty()) {
            if (result_.code == kOk) result_.code = kInvalidDumpData;
            add_failed(problem);
            return;
        }
        for (size_t i = 0; i < my.size(); ++i)
            compare_tensor(my[i], golden[i], name_ + ":" + direction + ":" + std::to_string(i));
    }

    void compare_tensor(const DumpedTensor& my, const DumpedTensor& golden, const std::string& id) {
        RowTensor cells;
        cells.op_type = my_.type;
        cells.my_dtype = data_type_text(my.data_type);
        cells.golden_dtype = data_type_text(golden.data_type);
        cells.my_address = address_text(my.address);
        cells.golden_address = address_text(golden.address);
        cells.id = id;
        cells.shape = to_string(my.shape);
        if (format_.has_overflow) cells.overflow = overflow_text(my);
        try {
            // Everything is compared in float32 here, bools too.
            const Tensor x = cann_dump::unpadded(my).values.cast(DType::kFloat32);
            const Tensor y = cann_dump::unpadded(golden).values.cast(DType::kFloat32);
            if (x.numel() != y.numel())
                throw CompareFailure(kInvalidShape, shapes_differ(x.shape(), y.shape()));
            const AlgorithmTexts texts = algorithms_.run({.my = x.reshaped({x.numel()}),
                                                          .golden = y.reshaped({y.numel()}),
                                                          .my_shape = my.shape,
                                                          .my_name = my_.path,
                                                          .golden_name = golden_.path});
            cells.values = texts.values;
            cells.reason = joined_reasons(texts.reasons);
        } catch (const CompareFailure& failure) {
            if (result_.code == kOk) result_.code = failure.code();
            cells.reason = failure.what();
        }
        rows_.rows.push_back(table_row(format_, row_op(), cells));
    }

    const NpuPair& pair_;
    const AlgorithmSet& algorithms_;
    const TableFormat& format_;
    Log& log_;
    std::string name_;
    DumpedOp my_;
    DumpedOp golden_;
    OpRows rows_;
    GroupResult result_;
};

}  // namespace

std::vector<NpuPair> pair_folders(const DumpFolder& my, const DumpFolder& golden) {
    std::vector<NpuPair> pairs;
    std::map<std::string, size_t> known;
    for (const auto& [key, entry] : my.by_time()) {
        known[key] = pairs.size();
        pairs.push_back({.index = static_cast<int64_t>(pairs.size()), .name = key, .my = entry});
    }
    for (const auto& [key, entry] : golden.by_time()) {
        const auto at = known.find(key);
        if (at != known.end()) {
            pairs[at->second].golden = entry;
        } else {
            pairs.push_back(
                {.index = static_cast<int64_t>(pairs.size()), .name = key, .golden = entry});
        }
    }
    return pairs;
}

GroupResult compare_npu_pair(const NpuPair& pair,
                             const AlgorithmSet& algorithms,
                             const TableFormat& format,
                             Log& log) {
    return PairComparison(pair, algorithms, format, log).run();
}

}  // namespace npuscope::msaccucmp
