#include "compare/align/call_numbers.h"

#include <algorithm>
#include <set>

#include "core/recording/msprobe/record_name.h"

namespace npuscope::compare {

namespace {

using msprobe::RecordName;

/// What shares a counter: the passes of an API or a module; gradients of parameters have their own.
std::string counter_of(const RecordName& name) {
    std::string counter(name.base);
    if (name.pass == "parameters_grad") counter += ".parameters_grad";
    return counter;
}

using Numbers = std::unordered_map<std::string, std::set<int64_t>>;

Numbers numbers_of(const Source& source) {
    Numbers numbers;
    for (const SourceOp& op : source.ops)
        if (const auto name = msprobe::parse_record_name(op.path))
            numbers[counter_of(*name)].insert(name->number);
    return numbers;
}

/// Whether the k-th is the k-th.
bool runs_on(const std::set<int64_t>& target, const std::set<int64_t>& golden) {
    if (target == golden) return false;
    if (target.size() == golden.size()) return true;
    return std::ranges::none_of(target, [&](int64_t each) { return golden.contains(each); });
}

}  // namespace

void CallNumbers::name_ops(const Source& dump, const Source& records) {
    if (!dump.numbered || records.numbered) return;
    const bool has_ops = std::ranges::any_of(records.ops, [](const SourceOp& op) {
        const auto name = msprobe::parse_record_name(op.path);
        return name && name->prefix() == msprobe::kOpPrefix;
    });
    if (!has_ops) return;
    msprobe::OpRecordNames names;
    for (const SourceOp& op : dump.ops)
        if (op.unmatched.empty()) ops_.emplace(&op, names.next(op.id.op));
}

CallNumbers::CallNumbers(const Source& target, const Source& golden) {
    name_ops(target, golden);
    name_ops(golden, target);
    const Numbers mine = numbers_of(target);
    for (const auto& [counter, theirs] : numbers_of(golden)) {
        const auto own = mine.find(counter);
        if (own == mine.end() || !runs_on(own->second, theirs)) continue;
        auto& renumbered = renumbered_[counter];
        auto at = own->second.begin();
        for (const int64_t number : theirs) {
            if (at == own->second.end()) break;
            renumbered.emplace(number, *at++);
        }
    }
}

std::string CallNumbers::name_of_target(const SourceOp& op) const {
    const auto as_record = ops_.find(&op);
    return as_record == ops_.end() ? op.path : as_record->second;
}

std::string CallNumbers::name_of_golden(const SourceOp& op) const {
    if (const auto as_record = ops_.find(&op); as_record != ops_.end()) return as_record->second;
    if (renumbered_.empty()) return op.path;
    auto name = msprobe::parse_record_name(op.path);
    if (!name) return op.path;
    const auto counter = renumbered_.find(counter_of(*name));
    if (counter == renumbered_.end()) return op.path;
    const auto number = counter->second.find(name->number);
    // What the target lacks must not be taken for another call of that number.
    if (number == counter->second.end()) return op.path + " of the golden";
    name->number = number->second;
    return name->in_pass(name->pass);
}

}  // namespace npuscope::compare
