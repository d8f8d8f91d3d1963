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
    if (pair.target == nullptr || pair.golden == nullptr || are_of_two_kinds(pair)) return false;
    double others = 0;
    for (const TensorResult& each : op.tensors)
        if (each.direction == dumpfile::Direction::kInput && each.target != tensor &&
            !each.metrics.empty())
            others = std::max(others, relative_error(each));
    return std::ranges::any_of(op.tensors, [&](const TensorResult& each) {
        if (!each.split || !each.split->inherited || !each.split->target || !each.split->golden)
            return false;
        const double rounding =
            std::max(each.split->target->relative, each.split->golden->relative);
        return *each.split->inherited > kBeyondRounding * rounding &&
               *each.split->inherited > kBeyondOthers * others;
    });
}

}  // namespace npuscope::compare
