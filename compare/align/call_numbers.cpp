#include "compare/align/call_numbers.h"

#include <algorithm>
#include <set>

#include "compare/align/align.h"
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

bool share_some(const std::set<int64_t>& target, const std::set<int64_t>& golden) {
    return std::ranges::any_of(target, [&](int64_t each) { return golden.contains(each); });
}

/// Whether the k-th is the k-th.
bool runs_on(const std::set<int64_t>& target, const std::set<int64_t>& golden) {
    return target != golden && (target.size() == golden.size() || !share_some(target, golden));
}

/// Whether one side calls it more often.
bool is_called_more(const std::set<int64_t>& target, const std::set<int64_t>& golden) {
    return target.size() != golden.size() && share_some(target, golden);
}

/// The calls of the forward pass as ops that are named without their numbers.
struct ForwardCalls {
    Source source{};
    std::vector<RecordName> names{};  ///< of the source's ops; they borrow the side's paths
};

ForwardCalls forward_calls(const Source& side) {
    ForwardCalls calls;
    calls.source.has_inputs = side.has_inputs;
    for (const SourceOp& op : side.ops) {
        const auto name = msprobe::parse_record_name(op.path);
        if (!name || name->pass != "forward") continue;
        calls.names.push_back(*name);
        calls.source.ops.push_back(op);
        calls.source.ops.back().id = {std::string(name->base),
                                      static_cast<int64_t>(calls.source.ops.size())};
    }
    return calls;
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
    const Numbers all_theirs = numbers_of(golden);
    counts_calls_ = !mine.empty() && !all_theirs.empty();
    bool more = false;
    for (const auto& [counter, theirs] : all_theirs) {
        const auto own = mine.find(counter);
        if (own == mine.end()) continue;
        if (is_called_more(own->second, theirs)) {
            renumbered_[counter];
            more = true;
        }
        if (!runs_on(own->second, theirs)) continue;
        auto& renumbered = renumbered_[counter];
        auto at = own->second.begin();
        for (const int64_t number : theirs) {
            if (at == own->second.end()) break;
            renumbered.emplace(number, *at++);
        }
    }
    if (more) align(target, golden);
}

void CallNumbers::align(const Source& target, const Source& golden) {
    const ForwardCalls mine = forward_calls(target);
    const ForwardCalls theirs = forward_calls(golden);
    const auto place = [](const ForwardCalls& calls, const SourceOp* op) {
        return static_cast<size_t>(op - calls.source.ops.data());
    };
    for (const OpPair& pair : align_runs(mine.source, theirs.source).ops) {
        if (pair.target == nullptr || pair.golden == nullptr) continue;
        const RecordName& own = mine.names[place(mine, pair.target)];
        const RecordName& other = theirs.names[place(theirs, pair.golden)];
        const auto counter = renumbered_.find(counter_of(other));
        if (own.base == other.base && counter != renumbered_.end())
            counter->second.emplace(other.number, own.number);
    }
}

std::string CallNumbers::name_of_target(const SourceOp& op) const {
    const auto as_record = ops_.find(&op);
    return as_record == ops_.end() ? op.path : as_record->second;
}

bool CallNumbers::is_renumbered(const SourceOp& golden_op) const {
    const auto name = msprobe::parse_record_name(golden_op.path);
    return name && renumbered_.contains(counter_of(*name));
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
