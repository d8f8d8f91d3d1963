#include "loss/numbering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/base/printable.h"

namespace npuscope::loss {

namespace {

/// Records that are compared, and the fewest that tell.
constexpr size_t kMostCompared = 64;
constexpr size_t kLeastCompared = 4;
/// Of the distance by numbers: nearer than that, the order is right.
constexpr double kNearer = 0.5;

/// The median distance of the golden's records from those of the target, its steps moved.
double distance(const Curve& golden, const Curve& target, int64_t moved) {
    std::vector<double> all;
    for (size_t i = 0; i < golden.size() && all.size() < kMostCompared; ++i)
        if (const double* other = target.at(golden.steps[i] - moved);
            other != nullptr && std::isfinite(*other) && std::isfinite(golden.values[i]))
            all.push_back(std::abs(*other - golden.values[i]));
    if (all.size() < kLeastCompared) return std::numeric_limits<double>::infinity();
    const auto middle = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle);
    return *middle;
}

}  // namespace

Log numbered_like(const Log& golden, Log target) {
    const Curve& ours = target.of(Quantity::kLoss);
    const Curve& theirs = golden.of(Quantity::kLoss);
    if (ours.empty() || theirs.empty()) return target;
    const int64_t first = ours.steps.front();
    const int64_t moved = theirs.steps.front() - first;
    if (std::abs(moved) != 1 || std::min(first, theirs.steps.front()) != 0 ||
        !(distance(theirs, ours, moved) < kNearer * distance(theirs, ours, 0)))
        return target;
    for (Curve& curve : target.curves)
        for (int64_t& step : curve.steps)
            step += moved;
    target.remarks.push_back(
        fmt::format("{}: counts its steps from {}, the golden from {}; told "
                    "as the golden counts",
                    in_quotes(target.path),
                    first,
                    theirs.steps.front()));
    return target;
}

}  // namespace npuscope::loss
