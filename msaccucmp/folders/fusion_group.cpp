#include "msaccucmp/folders/fusion_group.h"

#include <algorithm>
#include <array>

#include "msaccucmp/base/failure.h"
#include "msaccucmp/folders/alignment.h"

namespace npuscope::msaccucmp {

namespace {

constexpr std::array<std::string_view, 3> kDequantEndings = {
    "_dequant_layer", "AscendDequant", "_dequant"};

class GroupComparison {
  public:
    GroupComparison(const FolderPair& folders,
                    const FusionGroup& group,
                    const FusionOptions& options,
                    Log& log)
        : folders_(folders),
          group_(group),
          options_(options),
          log_(log),
          relation_(folders.rule.relation_of(group)) {}

    GroupResult run() {
        if (relation_ == Relation::kOneToOne || relation_ == Relation::kMultiToOne) {
            for (const size_t op : group_.ops)
                compare_alone(folders_.rule.ops[op]);
            return std::move(result_);
        }
        std::vector<const FusionOp*> ops;
        if (relation_ == Relation::kL1) {
            ops = ends_of_l1_group();
        } else {
            for (const size_t op : group_.ops)
                ops.push_back(&folders_.rule.ops[op]);
        }
        compare_several(ops);
        return std::move(result_);
    }

  private:
    /// One op for one original, or for several.
    void compare_alone(const FusionOp& op) {
        if (is_skipped(op)) return;
        OpRows rows;
        rows.op = op.name;
        try {
            compare_op(op, rows);
            result_.matched = result_.matched || !rows.rows.empty();
            if (rows.rows.empty()) rows.rows.push_back(empty_row(op, "The dump has no tensors."));
        } catch (const CompareFailure& failure) {
            result_.code = failure.code();
            rows.rows = {empty_row(op, failure.what())};
        }
        result_.ops.push_back(std::move(rows));
    }

    /// Several ops for one original or more: those without a dump are passed over while there is
    /// one that has.
    void compare_several(const std::vector<const FusionOp*>& ops) {
        std::vector<std::string> reasons;
        bool any = false;
        for (const FusionOp* op : ops) {
            if (is_skipped(*op)) continue;
            if (relation_ != Relation::kL1 && op->is_inner_node()) {
                reasons.push_back("[" + op->name + "] is part of another op and has no partner.");
                log_.warning(reasons.back());
                continue;
            }
            OpRows rows;
            rows.op = op->name;
            try {
                compare_op(*op, rows);
                if (rows.rows.empty())
                    rows.rows.push_back(empty_row(*op, "The dump has no tensors."));
            } catch (const CompareFailure& failure) {
                result_.code = failure.code();
                reasons.emplace_back(failure.what());
                if (failure.code() == kNoDumpFile) continue;
                rows.rows = {empty_row(*op, failure.what())};
            }
            any = true;
            result_.matched = true;
            result_.ops.push_back(std::move(rows));
        }
        if (any) return;
        if (ops.empty()) {
            result_.code = kNoDumpFile;
            reasons.emplace_back("There is no dump file for any op of this group.");
        }
        const FusionOp& first = folders_.rule.ops[group_.ops.front()];
        OpRows rows;
        rows.op = first.name;
        rows.rows.push_back(empty_row(first, joined_reasons(reasons)));
        result_.ops.push_back(std::move(rows));
    }

    /// The oldest dump of an L1 group has all inputs, the newest all outputs.
    std::vector<const FusionOp*> ends_of_l1_group() {
        const auto ops = by_dump_time(folders_, group_);
        if (ops.empty()) return {};
        if (joined_names(ops.front()->original_names) == joined_names(ops.back()->original_names))
            return {ops.back()};
        return {ops.front(), ops.back()};
    }

    bool is_skipped(const FusionOp& op) {
        if (op.is_between_quants)
            log_.info("[" + op.name + "] lies between quantisations and is not compared.");
        return op.is_between_quants;
    }

    void compare_op(const FusionOp& op, OpRows& rows) {
        log_.info("[" + op.name + "] is compared.");
        const FolderEntry* entry = find_mine(folders_, op.name);
        if (entry == nullptr) {
            const std::string problem = "There is no dump file of mine for the op '" + op.name +
                                        "' of type " + op.type + ".";
            log_.warning(problem);
            throw CompareFailure(kNoDumpFile, problem);
        }
        try {
            my_ = read_entry(*entry, log_);
        } catch (const CompareFailure& failure) {
            log_.error(failure.what());
            throw CompareFailure(failure.code(), std::string("Damaged dump: ") + failure.what());
        } catch (const Error& failure) {
            throw CompareFailure(kInvalidDumpData, std::string("Damaged dump: ") + failure.what());
        }
        if (!is_dequantisation(op)) compare_direction(op, my_.inputs, true, rows);
        rows.inputs = rows.rows.size();
        if (!is_quantisation(op)) compare_direction(op, my_.outputs, false, rows);
    }

    void compare_direction(const FusionOp& op,
                           const std::vector<DumpedTensor>& tensors,
                           bool is_input,
                           OpRows& rows) {
        for (size_t i = 0; i < tensors.size(); ++i) {
            const TensorIndex index{.index = static_cast<int64_t>(i), .is_input = is_input};
            rows.rows.push_back(compare_tensor(op, tensors[i], index, rows));
            rows.is_ffts = rows.is_ffts || tensors[i].is_ffts;
        }
    }

    Row compare_tensor(const FusionOp& op,
                       const DumpedTensor& my,
                       const TensorIndex& index,
                       OpRows& rows) {
        RowTensor cells;
        cells.op_type = op.type;
        cells.my_address = address_text(my.address);
        cells.id = index.text(op.name);
        cells.shape = to_string(my.shape);
        if (options_.format.has_overflow) cells.overflow = overflow_text(my);
        if (index.is_input) rows.producers.emplace_back();
        try {
            const ProducedBy source = produced_by(folders_.rule, op, index);
            const OriginTensor origin = source.op->origin_of(source.output);
            if (index.is_input)
                rows.producers.back() = OpOutput{.op = source.op->name, .index = source.output};
            measure(my, read_golden(folders_, origin, log_), cells);
        } catch (const Error& failure) {
            cells.reason = failure.what();
            log_.warning("[" + cells.id + "] " + cells.reason);
        }
        return table_row(options_.format, row_op(op), cells);
    }

    void measure(const DumpedTensor& my, GoldenTensor golden, RowTensor& cells) const {
        const std::string path = golden.path;
        const AlignedPair pair =
            align(my, std::move(golden), {.are_both_original = folders_.are_both_original()});
        const AlgorithmTexts texts = options_.algorithms.run({.my = first_elements(pair.my),
                                                              .golden = first_elements(pair.golden),
                                                              .my_shape = pair.my.shape(),
                                                              .my_name = my_.path,
                                                              .golden_name = path,
                                                              .empty_rows = empty_rows(pair.my)});
        cells.my_dtype = pair.my.dtype;
        cells.golden_dtype = pair.golden.dtype;
        cells.shape = to_string(pair.my.shape());
        cells.values = texts.values;
        cells.reason = joined_reasons(texts.reasons);
    }

    /// The original tool does not flatten a tensor without elements of a framework's dump.
    int64_t empty_rows(const RealArray& my) const {
        const Shape& shape = my.shape();
        if (!folders_.are_both_original() || my.values.numel() > 0) return 1;
        int64_t rows = 1;
        for (size_t i = 0; i + 1 < shape.size(); ++i)
            rows *= i == 0 && options_.most_elements > 0
                        ? std::min(shape[i], options_.most_elements)
                        : shape[i];
        return rows;
    }

    Tensor first_elements(const RealArray& array) const {
        const int64_t numel = array.values.numel();
        const Tensor flat = array.values.reshaped({numel});
        const int64_t most = options_.most_elements;
        return most == 0 || most >= numel ? flat
                                          : Tensor::copy_of(flat.dtype(), {most}, flat.data());
    }

    [[nodiscard]] RowOp row_op(const FusionOp& op) const {
        const GroupNames names = row_names(folders_.rule, group_, op);
        return {.index = op.id,
                .sequence = op.sequence,
                .my_names = names.my,
                .golden_names = names.golden};
    }

    [[nodiscard]] Row empty_row(const FusionOp& op, const std::string& reason) const {
        RowTensor cells;
        cells.op_type = op.type;
        cells.reason = reason;
        return table_row(options_.format, row_op(op), cells);
    }

    const FolderPair& folders_;
    const FusionGroup& group_;
    const FusionOptions& options_;
    Log& log_;
    Relation relation_;
    DumpedOp my_;
    GroupResult result_;
};

}  // namespace

bool is_dequantisation(const FusionOp& op) {
    return op.type == "AscendDequant" ||
           std::any_of(kDequantEndings.begin(), kDequantEndings.end(), [&](std::string_view end) {
               return op.name.ends_with(end);
           });
}

bool is_quantisation(const FusionOp& op) {
    return op.type == "AscendQuant";
}

GroupNames row_names(const FusionRule& rule, const FusionGroup& group, const FusionOp& op) {
    const Relation relation = rule.relation_of(group);
    if (relation != Relation::kOneToOne && relation != Relation::kMultiToOne)
        return names_of(rule, group);
    const std::string golden = joined_names(op.original_names);
    return {op.name, golden.empty() ? "*" : golden};
}

std::vector<const FusionOp*> by_dump_time(const FolderPair& folders, const FusionGroup& group) {
    std::vector<std::pair<int64_t, const FusionOp*>> timed;
    for (const size_t index : group.ops) {
        const FusionOp& op = folders.rule.ops[index];
        if (const FolderEntry* entry = folders.my.find(op.name))
            timed.emplace_back(entry->timestamp(), &op);
    }
    std::stable_sort(
        timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const FusionOp*> ops;
    ops.reserve(timed.size());
    for (const auto& [time, op] : timed)
        ops.push_back(op);
    return ops;
}

GroupResult compare_group(const FolderPair& folders,
                          const FusionGroup& group,
                          const FusionOptions& options,
                          Log& log) {
    return GroupComparison(folders, group, options, log).run();
}

}  // namespace npuscope::msaccucmp
