#include "compare/dataflow/crosswise.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compare/dataflow/nearness.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// What the cast that made the tensor was given; nullptr of what no cast made.
const TracedTensor* before_cast(const Side& side, const TracedTensor& tensor) {
    if (!tensor.producer) return nullptr;
    const TracedTensor& made = side.tensor(*tensor.producer);
    return is_cast(op_of(side, made)) ? given_to(side, made) : nullptr;
}

/// Whether another op of the name takes these elements as that argument.
bool is_other_use(const Side& side,
                  const TracedTensor& tensor,
                  const TracedTensor& like,
                  const Content& content) {
    return &tensor != &like && tensor.direction == Direction::kInput && tensor.content &&
           tensor.argument == like.argument && op_of(side, tensor) == op_of(side, like) &&
           holds(side, tensor, content);
}

int64_t other_uses(const Side& side, const TracedTensor& like, const Content& content) {
    return std::ranges::count_if(side.flow.tensors, [&](const TracedTensor& tensor) {
        return is_other_use(side, tensor, like, content);
    });
}

}  // namespace

const std::string& op_of(const Side& side, const TracedTensor& tensor) {
    return side.source.ops[tensor.op].id.op;
}

bool same_elements(const Content& one, const Content& other) {
    return one.numel == other.numel && one.bag == other.bag;
}

bool holds(const Side& side, const TracedTensor& tensor, const Content& content) {
    for (const TracedTensor* each = &tensor; each != nullptr; each = before_cast(side, *each))
        if (each->content && same_elements(*each->content, content)) return true;
    return false;
}

bool Crosswise::is_taken_elsewhere(const InputPair& pair, const Content& missing) const {
    const TracedTensor& theirs = flows_.golden().tensor(pair.golden);
    const TracedTensor& mine = flows_.target().tensor(pair.target);
    return other_uses(flows_.target(), mine, missing) >
           other_uses(flows_.golden(), theirs, *theirs.content);
}

bool Crosswise::is_told_apart(const InputPair& pair, const Content& missing) const {
    const Side& side = flows_.target();
    const auto input_of = [&](size_t op, const std::string& argument) {
        return std::ranges::find_if(side.flow.tensors, [&](const TracedTensor& tensor) {
            return tensor.op == op && tensor.direction == Direction::kInput &&
                   tensor.argument == argument && tensor.content;
        });
    };
    for (const TracedTensor& use : side.flow.tensors) {
        if (!is_other_use(side, use, flows_.target().tensor(pair.target), missing)) continue;
        for (const InputPair& each : flows_.inputs()) {
            const TracedTensor& own = flows_.target().tensor(each.target);
            if (each.pair != pair.pair || each.target == pair.target || !own.content) continue;
            const auto other = input_of(use.op, own.argument);
            if (other == side.flow.tensors.end() || other->content->numel != own.content->numel ||
                same_elements(*other->content, *own.content))
                continue;
            const auto index = static_cast<size_t>(other - side.flow.tensors.begin());
            if (distance(each.target, each.golden) <= kNoisyTensor &&
                distance(index, each.golden) > kOtherTensor)
                return true;
        }
    }
    return false;
}

bool Crosswise::are_taken_as_paired(const InputPair& pair) const {
    const size_t mine = flows_.target().tensor(pair.target).op;
    const size_t theirs = flows_.golden().tensor(pair.golden).op;
    return std::ranges::any_of(flows_.inputs(), [&](const InputPair& use) {
        return is_made_by(flows_.target(), use.target, mine) &&
               is_made_by(flows_.golden(), use.golden, theirs) && differ_behind(use);
    });
}

double Crosswise::distance(size_t target, size_t golden) const {
    return sampled_distance(*open_traced(flows_.target().source, flows_.target().flow, target),
                            *open_traced(flows_.golden().source, flows_.golden().flow, golden));
}

bool Crosswise::is_made_by(const Side& side, size_t input, size_t op) const {
    const TracedTensor& tensor = side.tensor(input);
    if (tensor.ambiguous) return false;
    const auto maker = through_.maker_of(side, tensor);
    return maker && side.tensor(*maker).op == op;
}

/// The results of the op that takes both.
bool Crosswise::differ_behind(const InputPair& use) const {
    const auto result_of = [](const Side& side, size_t input) -> std::optional<size_t> {
        const auto own = side.flow.of_op(side.tensor(input).op);
        const auto found = std::ranges::find_if(own, [](const TracedTensor& tensor) {
            return tensor.direction == Direction::kOutput && tensor.content;
        });
        if (found == own.end()) return std::nullopt;
        return static_cast<size_t>(&*found - side.flow.tensors.data());
    };
    const auto mine = result_of(flows_.target(), use.target);
    const auto theirs = result_of(flows_.golden(), use.golden);
    if (!mine || !theirs) return false;
    return flows_.target().tensor(*mine).content->numel ==
               flows_.golden().tensor(*theirs).content->numel &&
           distance(*mine, *theirs) > kOtherTensor;
}

}  // namespace npuscope::compare
