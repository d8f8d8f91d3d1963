#include "compare/growth/felt_given.h"

#include <algorithm>

#include "compare/agreement.h"

namespace npuscope::compare {

namespace {

/// So many times what rounding makes, and so many times what else came in.
constexpr double kBeyondRounding = 16;
constexpr double kBeyondOthers = 4;

}  // namespace

bool is_felt(const OpPair& pair, const OpResult& op, const std::string& tensor) {
    if (pair.target == nullptr || pair.golden == nullptr) return false;
    // A product and the sum with its bias are what the other side's one op computes.
    const bool is_fused = !pair.also_target.empty() || !pair.also_golden.empty();
    if (are_of_two_kinds(pair) && !is_fused) return false;
    double others = 0;
    for (const TensorResult& each : op.tensors)
        if (each.direction == dumpfile::Direction::kInput && each.target != tensor &&
            !each.metrics.empty())
            others = std::max(others, relative_error(each));
    return std::ranges::any_of(op.tensors, [&](const TensorResult& each) {
        if (!each.split || !each.split->target) return false;
        const bool is_whole = each.split->golden && each.split->inherited;
        if (!is_whole && (!is_fused || each.metrics.empty())) return false;
        const double rounding = std::max(each.split->target->relative,
                                         each.split->golden ? each.split->golden->relative : 0.0);
        const double moved = each.split->inherited.value_or(relative_error(each));
        return moved > kBeyondRounding * rounding && moved > kBeyondOthers * others;
    });
}

}  // namespace npuscope::compare
