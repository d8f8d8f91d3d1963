#include "compare/dataflow/other_order.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/agreement.h"
#include "compare/dataflow/nearness.h"
#include "core/base/error.h"
#include "core/naming/aliases.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of the norm: what makes a result another one, and what may be one tensor on both sides.
constexpr double kOtherResult = 0.1;
constexpr double kSameTensor = 0.1;

bool is_far(const OpResult& op) {
    return std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
        const auto norm = norm_of(tensor);
        return tensor.direction == Direction::kOutput && norm && *norm > kOtherResult;
    });
}

/// Inputs of an op that tell an order.
std::vector<size_t> inputs_of(const Side& side, const SourceOp& op) {
    std::vector<size_t> inputs;
    const auto tensors = side.of_op(op);
    const auto first = static_cast<size_t>(tensors.data() - side.flow.tensors.data());
    for (size_t i = 0; i < tensors.size(); ++i)
        if (tensors[i].direction == Direction::kInput && tensors[i].content &&
            tensors[i].content->tells_order() && !is_unread(op.id.op, tensors[i].argument))
            inputs.push_back(first + i);
    return inputs;
}

bool is_same(const PairedFlows& flows, size_t target, size_t golden) {
    const TracedTensor& mine = flows.target().tensor(target);
    const TracedTensor& theirs = flows.golden().tensor(golden);
    if (mine.shape != theirs.shape || mine.argument == theirs.argument) return false;
    const auto elements = [](const Side& side, size_t tensor) {
        return open_traced(side.source, side.flow, tensor);
    };
    return sampled_distance(*elements(flows.target(), target), *elements(flows.golden(), golden)) <=
           kSameTensor;
}

/// By input of the target the golden's that it is; empty where some input is none of those, or all
/// have the golden's shapes.
std::vector<std::pair<size_t, size_t>> exchanged(const PairedFlows& flows, const OpPair& pair) {
    const std::vector<size_t> mine = inputs_of(flows.target(), *pair.target);
    const std::vector<size_t> theirs = inputs_of(flows.golden(), *pair.golden);
    std::vector<std::pair<size_t, size_t>> found;
    for (const size_t input : mine) {
        const TracedTensor& tensor = flows.target().tensor(input);
        const auto named = std::ranges::find_if(theirs, [&](size_t each) {
            return flows.golden().tensor(each).argument == tensor.argument;
        });
        if (named == theirs.end() || flows.golden().tensor(*named).shape == tensor.shape) continue;
        const auto other =
            std::ranges::find_if(theirs, [&](size_t each) { return is_same(flows, input, each); });
        if (other == theirs.end()) return {};
        found.emplace_back(input, *other);
    }
    return found;
}

}  // namespace

std::vector<OtherOrder> inputs_in_other_order(const PairedFlows& flows, const Result& result) {
    std::vector<OtherOrder> all;
    for (size_t place = 0; place < flows.plan().ops.size(); ++place) {
        const OpPair& pair = flows.plan().ops[place];
        if (pair.target == nullptr || pair.golden == nullptr || !is_far(result.ops[place]) ||
            canonical_name(pair.target->id.op) != canonical_name(pair.golden->id.op))
            continue;
        try {
            const auto found = exchanged(flows, pair);
            if (found.empty()) continue;
            std::vector<std::string> words;
            for (const auto& [mine, theirs] : found)
                words.push_back(fmt::format("`{}` is the golden's `{}`",
                                            flows.target().tensor(mine).argument,
                                            flows.golden().tensor(theirs).argument));
            all.push_back({.pair = place,
                           .target = flows.target().tensor(found.front().first).path,
                           .text = fmt::format("{}{} takes in the golden's tensors in another "
                                               "order: {}",
                                               pair.target->path,
                                               flows.place_of(place),
                                               fmt::join(words, ", "))});
        } catch (const Error&) {
            continue;
        }
    }
    return all;
}

}  // namespace npuscope::compare
