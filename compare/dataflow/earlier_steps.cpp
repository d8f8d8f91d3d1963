#include "compare/dataflow/earlier_steps.h"

#include <algorithm>

#include "compare/dataflow/nearness.h"
#include "compare/dataflow/trace.h"
#include "core/dtype/dtype.h"
#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of the norm: no step takes a parameter farther.
constexpr double kFarthestStep = 0.25;

/// The first op that took in the same, itself included.
size_t first_taker(const Side& side, const TracedTensor& input) {
    const auto& tensors = side.flow.tensors;
    return std::ranges::find_if(tensors,
                                [&](const TracedTensor& each) {
                                    return each.direction == Direction::kInput && each.content &&
                                           same_content(*each.content, *input.content);
                                })
        ->op;
}

/// Past the last op of a backward pass before `op`; 0 without one.
size_t behind_backward(const Side& side, size_t op) {
    while (op > 0 && !is_backward(side.source.ops[op - 1].id.op))
        --op;
    return op;
}

}  // namespace

std::optional<size_t> given_a_step_before(const Side& side, size_t input) {
    const TracedTensor& now = side.tensor(input);
    const auto dtype = dtype_from_name(now.dtype);
    if (!now.content || now.producer || !dtype || !is_float(*dtype)) return std::nullopt;
    const std::string& name = side.source.ops[now.op].id.op;
    const auto open = [&](size_t tensor) { return open_traced(side.source, side.flow, tensor); };
    std::optional<size_t> nearest;
    double distance = kFarthestStep;
    const size_t end = side.flow.first[behind_backward(side, first_taker(side, now))];
    for (size_t i = 0; i < end; ++i) {
        const TracedTensor& then = side.tensor(i);
        if (then.direction != Direction::kInput || !then.content || then.producer ||
            then.argument != now.argument || then.shape != now.shape ||
            side.source.ops[then.op].id.op != name)
            continue;
        const double off = sampled_distance(*open(i), *open(input));
        if (off > distance) continue;
        distance = off;
        nearest = i;
    }
    return nearest;
}

}  // namespace npuscope::compare
