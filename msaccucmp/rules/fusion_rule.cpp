#include "msaccucmp/rules/fusion_rule.h"

#include <algorithm>

#include "core/base/words.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"

namespace npuscope::msaccucmp {

bool FusionOp::is_inner_node() const {
    return is_multi_op && std::all_of(outputs.begin(), outputs.end(), [](const OutputDesc& output) {
               return output.origin_name.empty();
           });
}

OriginTensor FusionOp::origin_of(int64_t output) const {
    if (outputs.empty())
        throw CompareFailure(kNoDumpFile, "The rule file describes no output of '" + name + "'.");
    const bool described = output < static_cast<int64_t>(outputs.size());
    const OutputDesc& desc = outputs[described ? static_cast<size_t>(output) : 0];
    if (desc.origin_name.empty())
        throw CompareFailure(kNoDumpFile,
                             "The rule file names no original op for output " +
                                 std::to_string(output) + " of '" + name + "'.");
    return {.op = desc.origin_name,
            .index = desc.origin_index.value_or(output),
            .format = desc.origin_format,
            .shape = desc.origin_shape};
}

OpOutput FusionOp::producer_of(int64_t input) const {
    if (input >= static_cast<int64_t>(inputs.size()))
        throw CompareFailure(kIndexOutOfBounds,
                             "The rule file has " + std::to_string(inputs.size()) + " inputs of '" +
                                 name + "', the dump has input " + std::to_string(input) + ".");
    const std::string& text = inputs[static_cast<size_t>(input)];
    const auto parts = fields_of(text, ':');
    OpOutput producer;
    if (parts.size() == 2) {
        producer.op = trimmed(parts[0]);
        const auto index = natural(trimmed(parts[1]));
        producer.index = index.value_or(0);
        if (!producer.op.empty() && index) return producer;
    }
    throw CompareFailure(kInvalidJsonFile,
                         "The rule file has the input '" + text + "' of '" + name +
                             "', which is not of the form op:index.");
}

const FusionGroup* FusionRule::group_with(const std::string& key) const {
    const auto at = group_of_key_.find(key);
    return at == group_of_key_.end() ? nullptr : &groups[at->second];
}

FusionGroup* FusionRule::group_with(const std::string& key) {
    const auto at = group_of_key_.find(key);
    return at == group_of_key_.end() ? nullptr : &groups[at->second];
}

const FusionGroup* FusionRule::group_of(const std::string& op) const {
    const auto at = key_of_op_.find(op);
    return at == key_of_op_.end() ? nullptr : group_with(keys_[at->second].second);
}

const FusionOp& FusionRule::op_named(const std::string& op) const {
    if (const FusionGroup* group = group_of(op))
        for (const size_t member : group->ops)
            if (ops[member].name == op) return ops[member];
    throw CompareFailure(kInvalidParameter, "There is no op '" + op + "' in the rule file.");
}

Relation FusionRule::relation_of(const FusionGroup& group) const {
    const FusionOp& first = ops[group.ops.front()];
    const bool one_original = first.original_names.size() == 1;
    if (group.ops.size() == 1)
        return first.original_names.size() > 1 ? Relation::kMultiToOne : Relation::kOneToOne;
    if (!first.l1_number.empty()) return Relation::kL1;
    return one_original ? Relation::kOneToMulti : Relation::kMultiToMulti;
}

void FusionRule::set_group(const std::string& op, const std::string& key) {
    const auto [at, is_new] = key_of_op_.try_emplace(op, keys_.size());
    if (is_new) {
        keys_.emplace_back(op, key);
    } else {
        keys_[at->second].second = key;
    }
}

void FusionRule::add_to_group(size_t op) {
    add_to_group_with(keys_[key_of_op_.at(ops[op].name)].second, op);
}

void FusionRule::add_to_group_with(const std::string& key, size_t op) {
    const auto [at, is_new] = group_of_key_.try_emplace(key, groups.size());
    if (is_new) groups.push_back({.key = key, .ops = {}});
    FusionGroup& group = groups[at->second];
    ops[op].id = is_new ? static_cast<int64_t>(at->second) : ops[group.ops.front()].id;
    group.ops.push_back(op);
}

std::string FusionRule::group_key(const std::string& name,
                                  const std::string& l1_number,
                                  const std::vector<std::string>& original_names) {
    if (!l1_number.empty()) return l1_number;
    if (original_names.empty()) return name;
    if (original_names.size() == 1)
        return original_names.front().empty() ? name : original_names.front();
    // Several names are a key of another kind: no op's name begins with a line feed.
    std::string key = "\n";
    for (const std::string& original : original_names)
        key += original;
    return key;
}

std::string joined_names(const std::vector<std::string>& names) {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : ",") + names[i];
    return text;
}

GroupNames names_of(const FusionRule& rule, const FusionGroup& group) {
    // Ops of the same originals stand together, in the order of their first.
    std::vector<std::pair<std::string, std::vector<std::string>>> by_original;
    for (const size_t op : group.ops) {
        const std::string original = joined_names(rule.ops[op].original_names);
        auto at = std::find_if(by_original.begin(), by_original.end(), [&](const auto& each) {
            return each.first == original;
        });
        if (at == by_original.end()) at = by_original.insert(at, {original, {}});
        at->second.push_back(rule.ops[op].name);
    }
    std::vector<std::string> my;
    std::vector<std::string> golden;
    for (const auto& [original, names] : by_original) {
        golden.push_back(original);
        my.insert(my.end(), names.begin(), names.end());
    }
    return {joined_names(my), joined_names(golden)};
}

}  // namespace npuscope::msaccucmp
