#include "loss/sides.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "loss/factor.h"
#include "loss/pairing.h"

namespace npuscope::loss {

namespace {

constexpr double kNormPart = 0.05;
constexpr double kSetPart = 1e-3;  // what one log prints with fewer digits than the other

bool has_step_in_common(const Curve& a, const Curve& b) {
    for (const int64_t step : a.steps)
        if (b.at(step) != nullptr) return true;
    return false;
}

}  // namespace

std::vector<SideDifference> side_differences(const Log& golden, const Log& target) {
    std::vector<SideDifference> found;
    for (size_t q = 1; q < kQuantities; ++q) {
        const auto quantity = static_cast<Quantity>(q);
        // The count of zeros depends on the last bit.
        if (quantity == Quantity::kZeros ||
            !has_step_in_common(golden.of(quantity), target.of(quantity)))
            continue;
        const Pairing both = pair(golden, target, quantity);
        for (size_t i = 0; i < both.size(); ++i) {
            const double size = std::max(std::abs(both.golden[i]), std::abs(both.target[i]));
            const double allowed = quantity == Quantity::kGradNorm
                                       ? std::max(kNormPart * size, 3 * both.unit[i])
                                       : kSetPart * size;
            const bool same = both.golden[i] == both.target[i] ||
                              (std::isnan(both.golden[i]) && std::isnan(both.target[i]));
            if (same || std::abs(both.difference(i)) <= allowed) continue;
            found.push_back({quantity,
                             both.steps[i],
                             both.golden[i],
                             both.target[i],
                             factor_words(both.target[i], both.golden[i], both.unit[i])});
            break;
        }
    }
    return found;
}

std::string to_text(const SideDifference& side) {
    return fmt::format("the {} differs at step {}: {:.6g}, golden {:.6g}{}",
                       name_of(side.quantity),
                       side.step,
                       side.target,
                       side.golden,
                       side.factor ? "; it is " + *side.factor : "");
}

}  // namespace npuscope::loss
