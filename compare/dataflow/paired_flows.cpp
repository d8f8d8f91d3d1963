#include "compare/dataflow/paired_flows.h"

#include <algorithm>

#include "compare/align/span_tensors.h"
#include "core/base/error.h"
#include "core/naming/casts.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

size_t index_of(const Source& source, const SourceOp* op) {
    return static_cast<size_t>(op - source.ops.data());
}

bool has_content(const Dataflow& flow) {
    return std::ranges::any_of(
        flow.tensors, [](const TracedTensor& tensor) { return tensor.content.has_value(); });
}

std::unordered_map<std::string, size_t> places_of(const Dataflow& flow) {
    std::unordered_map<std::string, size_t> places;
    places.reserve(flow.tensors.size());
    for (size_t i = 0; i < flow.tensors.size(); ++i)
        places.emplace(flow.tensors[i].path, i);
    return places;
}

SideFacts side_facts(const SourceOp* op) {
    return op != nullptr && op->facts ? op->facts() : SideFacts{};
}

}  // namespace

PairedFlows::PairedFlows(const Plan& plan, Side target, Side golden)
    : plan_(plan),
      target_(target),
      golden_(golden),
      partners_(golden.flow.tensors.size()),
      paired_(target.source.ops.size()),
      has_content_(has_content(target.flow) || has_content(golden.flow)) {
    if (has_content_) {
        target_places_ = places_of(target.flow);
        golden_places_ = places_of(golden.flow);
    }
    for (size_t pair = 0; pair < plan.ops.size(); ++pair)
        if (plan.ops[pair].target != nullptr && plan.ops[pair].golden != nullptr) pair_op(pair);
    for (size_t i = 0; i < golden.flow.tensors.size(); ++i) {
        const TracedTensor& tensor = golden.flow.tensors[i];
        if (tensor.direction == dumpfile::Direction::kOutput && tensor.content)
            made_.emplace(tensor.content->bag, i);
    }
}

void PairedFlows::pair_op(size_t pair) {
    const OpPair& ops = plan_.ops[pair];
    paired_[index_of(target_.source, ops.target)] = true;
    for (const SourceOp* also : ops.also_target)
        paired_[index_of(target_.source, also)] = true;
    // What has no elements flows nowhere that could be followed.
    if (!has_content_) return;
    BothTensors both;
    try {
        both = tensors_of(ops);
    } catch (const Error&) {
        return;
    }
    const bool dumps = target_.source.numbered && golden_.source.numbered;
    for (const TensorPair& tensors : pair_tensors(ops, both.target, both.golden, dumps)) {
        if (tensors.target == nullptr || tensors.golden == nullptr) continue;
        const auto mine = target_places_.find(tensors.target->path);
        const auto theirs = golden_places_.find(tensors.golden->path);
        if (mine == target_places_.end() || theirs == golden_places_.end()) continue;
        // A cast that the target has more may hold what another op made.
        if (!partners_[theirs->second] || !is_cast(ops.target->id.op))
            partners_[theirs->second] = mine->second;
        if (tensors.tie != nullptr && !tensors.tie->is_plain()) continue;
        if (tensors.target->direction != dumpfile::Direction::kInput) continue;
        if (target_.tensor(mine->second).content && golden_.tensor(theirs->second).content)
            inputs_.push_back({pair, mine->second, theirs->second});
    }
}

std::optional<size_t> PairedFlows::partner_of(size_t golden) const {
    return partners_[golden];
}

std::vector<size_t> PairedFlows::copies_of(size_t golden_output) const {
    std::vector<size_t> copies;
    const Content& content = *golden_.tensor(golden_output).content;
    const auto [begin, end] = made_.equal_range(content.bag);
    for (auto at = begin; at != end; ++at)
        if (golden_.tensor(at->second).content->numel == content.numel)
            copies.push_back(at->second);
    std::ranges::sort(copies);
    return copies;
}

std::optional<size_t> PairedFlows::made_by_target(size_t golden_output, size_t op) const {
    if (const auto partner = partner_of(golden_output)) return partner;
    const std::vector<size_t> copies = copies_of(golden_output);
    const uint64_t sequence = golden_.tensor(golden_output).content->sequence;
    for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
        const TracedTensor& other = golden_.tensor(*copy);
        if (other.op >= op || other.content->sequence != sequence) continue;
        if (const auto partner = partner_of(*copy)) return partner;
    }
    return std::nullopt;
}

bool PairedFlows::has_statistics() const {
    const auto by_statistics = [](const TracedTensor& tensor) { return tensor.print.has_value(); };
    return std::ranges::any_of(target_.flow.tensors, by_statistics) ||
           std::ranges::any_of(golden_.flow.tensors, by_statistics);
}

std::string PairedFlows::place_of(size_t pair) const {
    std::string text;
    const auto add = [&](const std::string& one, const std::string& other) {
        const std::string& known = one.empty() ? other : one;
        if (!known.empty()) text += (text.empty() ? "" : ", ") + known;
    };
    const OpSource target = side_facts(plan_.ops[pair].target).recorded.source;
    const OpSource golden = side_facts(plan_.ops[pair].golden).recorded.source;
    add(target.module.empty() ? target.node : target.module,
        golden.module.empty() ? golden.node : golden.module);
    add(target.line, golden.line);
    return text.empty() ? "" : " (" + text + ")";
}

std::string PairedFlows::autograd_of(size_t pair) const {
    const std::string target = side_facts(plan_.ops[pair].target).recorded.source.autograd;
    return target.empty() ? side_facts(plan_.ops[pair].golden).recorded.source.autograd : target;
}

std::optional<bool> PairedFlows::trains(size_t pair) const {
    for (const SourceOp* op : {plan_.ops[pair].target, plan_.ops[pair].golden})
        for (const PlainArgument& argument : side_facts(op).arguments)
            if ((argument.name == "training" || argument.name == "train") &&
                argument.numbers.size() == 1)
                return argument.numbers[0] != 0;
    return std::nullopt;
}

bool is_written_over(const Side& side, const TracedTensor& input) {
    const std::string& op = side.source.ops[input.op].id.op;
    return std::ranges::any_of(side.flow.of_op(input.op), [&](const TracedTensor& each) {
        return each.direction == dumpfile::Direction::kOutput &&
               writes_over(op, input.argument, each.argument);
    });
}

const TracedTensor* written_over(const Side& side, const TracedTensor& result) {
    const std::string& op = side.source.ops[result.op].id.op;
    for (const TracedTensor& each : side.flow.of_op(result.op))
        if (each.direction == dumpfile::Direction::kInput &&
            writes_over(op, each.argument, result.argument))
            return &each;
    return nullptr;
}

const TracedTensor* state_before(const Side& side, const TracedTensor& result) {
    const TracedTensor* input = written_over(side, result);
    while (input != nullptr && input->producer)
        input = written_over(side, side.tensor(*input->producer));
    return input;
}

}  // namespace npuscope::compare
