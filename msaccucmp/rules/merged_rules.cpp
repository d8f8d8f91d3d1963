// Two rule files made into one.
#include <algorithm>
#include <set>

#include "msaccucmp/rules/fusion_rule.h"

namespace npuscope::msaccucmp {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The format and shape that the compiled model knows win.
void take_known_layout(OutputDesc& desc, const OutputDesc& known) {
    if (known.origin_format.empty()) return;
    desc.origin_format = known.origin_format;
    desc.origin_shape = known.origin_shape;
}

class QuantMerger {
  public:
    QuantMerger(FusionRule compiled, FusionRule quant, Log& log)
        : compiled_(std::move(compiled)), quant_(std::move(quant)), log_(log) {}

    FusionRule merge() {
        FusionRule merged;
        merged.input_nodes = compiled_.input_nodes;
        merged.by_sequence = compiled_.by_sequence;
        merged.ops = compiled_.ops;
        for (const auto& [op, key] : compiled_.keys())
            merged.set_group(op, key);
        share_known_layouts();
        for (const FusionGroup& group : compiled_.groups)
            for (const size_t index : group.ops) {
                FusionOp& op = merged.ops[index];
                auto names = originals_before_quant(op);
                if (!names.empty()) op.original_names = std::move(names);
                auto outputs = outputs_before_quant(op);
                if (!outputs.empty()) op.outputs = std::move(outputs);
                merged.set_group(op.name, FusionRule::group_key(op.name, "", op.original_names));
                merged.add_to_group(index);
            }
        return merged;
    }

  private:
    std::vector<std::string> originals_before_quant(const FusionOp& op) const {
        std::vector<std::string> names;
        for (const std::string& quantised : op.original_names)
            if (const FusionGroup* group = quant_.group_of(quantised))
                for (const size_t member : group->ops)
                    for (const std::string& name : quant_.ops[member].original_names)
                        if (!contains(names, name)) names.push_back(name);
        return names;
    }

    /// Compiled ops of the same output share its layout: that of the last of them that knows one.
    void share_known_layouts() {
        for (const FusionGroup& group : compiled_.groups)
            for (const size_t index : group.ops)
                for (const OutputDesc& output : compiled_.ops[index].outputs)
                    for (OutputDesc* desc : outputs_of_origin(output))
                        if (desc != nullptr) take_known_layout(*desc, output);
    }

    std::vector<OutputDesc> outputs_before_quant(const FusionOp& op) {
        std::vector<OutputDesc> outputs;
        for (const OutputDesc& output : op.outputs) {
            if (output.origin_name.empty()) continue;
            if (quant_.group_of(output.origin_name) == nullptr)
                log_.warning("The quantisation rule has no op '" + output.origin_name + "'.");
            for (const OutputDesc* desc : outputs_of_origin(output))
                outputs.push_back(desc == nullptr ? OutputDesc{} : *desc);
        }
        return outputs;
    }

    /// What the quantised model has for an output of the compiled one, null where it lacks it.
    std::vector<OutputDesc*> outputs_of_origin(const OutputDesc& output) {
        const FusionGroup* group =
            output.origin_name.empty() ? nullptr : quant_.group_of(output.origin_name);
        std::vector<OutputDesc*> outputs;
        if (group == nullptr) return outputs;
        for (const size_t member : group->ops) {
            FusionOp& quantised = quant_.ops[member];
            if (!output.origin_index) {
                for (OutputDesc& desc : quantised.outputs)
                    outputs.push_back(&desc);
            } else if (quantised.name == output.origin_name) {
                const int64_t index = *output.origin_index;
                const bool has_it =
                    index >= 0 && index < static_cast<int64_t>(quantised.outputs.size());
                outputs.push_back(has_it ? &quantised.outputs[static_cast<size_t>(index)]
                                         : nullptr);
            }
        }
        return outputs;
    }

    FusionRule compiled_;
    FusionRule quant_;
    Log& log_;
};

class ClosedMerger {
  public:
    ClosedMerger(FusionRule open, FusionRule closed, Log& log)
        : open_(std::move(open)), closed_(std::move(closed)), log_(log) {
        for (const size_t index : closed_.by_sequence)
            for (const std::string& name : closed_.ops[index].original_names)
                closed_op_of_[name] = closed_.ops[index].name;
    }

    /// Groups are gone through from the last to the first, and an original op that two of them
    /// share stays with the one met first. Only the last op of a group can be found by its name,
    /// as in the original tool: an input that another one of the group produced has no golden.
    FusionRule merge() {
        FusionRule merged;
        std::vector<size_t> kept;
        std::set<std::string> seen_keys;
        const auto& keys = open_.keys();
        for (auto at = keys.rbegin(); at != keys.rend(); ++at) {
            const FusionGroup* group = open_.group_with(at->second);
            if (group == nullptr || !seen_keys.insert(at->second).second) continue;
            merged.set_group(at->first, at->second);
            for (const size_t index : group->ops) {
                FusionOp op = open_.ops[index];
                if (!is_first_of_its_original(op)) continue;
                op.original_names = closed_names(op);
                name_outputs(op);
                const int64_t id = op.id;
                merged.ops.push_back(std::move(op));
                merged.add_to_group_with(at->second, merged.ops.size() - 1);
                merged.ops.back().id = id;
                kept.push_back(merged.ops.size() - 1);
            }
        }
        merged.by_sequence.assign(kept.rbegin(), kept.rend());
        return merged;
    }

  private:
    bool is_first_of_its_original(const FusionOp& op) {
        if (op.original_names.empty()) return false;
        const std::string& original = op.original_names.front();
        if (!seen_originals_.insert(original).second) return false;
        const auto closed = closed_op_of_.find(original);
        return closed == closed_op_of_.end() || seen_closed_.insert(closed->second).second;
    }

    std::vector<std::string> closed_names(const FusionOp& op) {
        if (op.original_names.size() == 1 && op.original_names.front().empty()) return {""};
        std::vector<std::string> names;
        for (const std::string& original : op.original_names) {
            const auto closed = closed_op_of_.find(original);
            if (closed == closed_op_of_.end()) {
                log_.warning("The rule without fusion has no op for '" + original + "'.");
            } else if (!contains(names, closed->second)) {
                names.push_back(closed->second);
            }
        }
        return names;
    }

    void name_outputs(FusionOp& op) {
        for (OutputDesc& output : op.outputs) {
            if (output.origin_name.empty()) continue;
            const auto closed = closed_op_of_.find(output.origin_name);
            const FusionGroup* group =
                closed == closed_op_of_.end() ? nullptr : closed_.group_of(closed->second);
            if (group == nullptr || !set_index(*group, output))
                log_.warning("The rule without fusion has no output for '" + op.name + "'.");
            if (closed != closed_op_of_.end()) output.origin_name = closed->second;
        }
    }

    bool set_index(const FusionGroup& group, OutputDesc& output) const {
        for (const size_t member : group.ops) {
            const auto& candidates = closed_.ops[member].outputs;
            for (size_t i = 0; i < candidates.size(); ++i)
                if (candidates[i].origin_name == output.origin_name &&
                    candidates[i].origin_index == output.origin_index) {
                    output.origin_index = static_cast<int64_t>(i);
                    return true;
                }
        }
        return false;
    }

    FusionRule open_;
    FusionRule closed_;
    Log& log_;
    std::map<std::string, std::string> closed_op_of_;
    std::set<std::string> seen_originals_;
    std::set<std::string> seen_closed_;
};

}  // namespace

FusionRule FusionRule::merge_quant(FusionRule compiled, FusionRule quant, Log& log) {
    return QuantMerger(std::move(compiled), std::move(quant), log).merge();
}

FusionRule FusionRule::merge_closed(FusionRule open, FusionRule closed, Log& log) {
    return ClosedMerger(std::move(open), std::move(closed), log).merge();
}

}  // namespace npuscope::msaccucmp
