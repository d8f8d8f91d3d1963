#include "compare/growth/nearer_elsewhere.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compare/dataflow/traced_numbers.h"
#include "compare/relate/dot_products.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Ops to either side.
constexpr size_t kNearOps = 32;

std::optional<size_t> tensor_at(const Side& side, const SourceOp& op, const std::string& path) {
    for (const TracedTensor& tensor : side.of_op(op))
        if (tensor.path == path && tensor.content)
            return static_cast<size_t>(&tensor - side.flow.tensors.data());
    return std::nullopt;
}

/// The result of `side` near `op`, but that at `own`, that is `numbers`; "" without.
std::string same_near(
    const Side& side, const SourceOp& op, size_t own, const Tensor& numbers, double limit) {
    const auto at = static_cast<size_t>(&op - side.source.ops.data());
    const size_t first = at - std::min(at, kNearOps);
    const size_t last = std::min(at + kNearOps + 1, side.source.ops.size());
    for (size_t i = side.flow.first[first]; i < side.flow.first[last]; ++i) {
        const TracedTensor& tensor = side.tensor(i);
        if (i != own && tensor.direction == Direction::kOutput && tensor.content &&
            tensor.content->numel == numbers.numel() &&
            relative_distance(traced_numbers(side, i).as<double>(), numbers.as<double>()) <= limit)
            return tensor.path;
    }
    return "";
}

}  // namespace

std::string nearer_elsewhere(const PairedFlows& flows, const MeasuredRun& run, double limit) {
    const OpPair& pair = flows.plan().ops[run.place];
    if (pair.target == nullptr || pair.golden == nullptr || !is_by_place(pair, *run.tensor))
        return "";
    try {
        const auto tie = std::ranges::find_if(pair.ties, [&](const TensorTie& each) {
            return each.target.path == run.tensor->target;
        });
        const auto ours = tensor_at(flows.target(), *tie->target.op, tie->target.path);
        const auto theirs = tensor_at(flows.golden(), *tie->golden.op, tie->golden.path);
        if (!ours || !theirs) return "";
        const Tensor target = traced_numbers(flows.target(), *ours);
        const Tensor golden = traced_numbers(flows.golden(), *theirs);
        std::string other = same_near(flows.golden(), *tie->golden.op, *theirs, target, limit);
        if (other.empty()) other = same_near(flows.target(), *tie->target.op, *ours, golden, limit);
        return other;
    } catch (const Error&) {
        return "";
    }
}

}  // namespace npuscope::compare
