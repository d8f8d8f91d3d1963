#include "compare/growth/noise_of_products.h"

#include <algorithm>
#include <cmath>

#include "compare/growth/allowance.h"

namespace npuscope::compare {

namespace {

/// Of noise: its largest element over the root of the mean square, and the share of its norm that
/// a factor makes.
constexpr double kLargestOfNoise = 8;
constexpr double kShareOfScale = 1.0 / 4;

/// Of the norm: products of operands that are rounded to 8 bits are off by so much at least, and
/// so many of them tell.
constexpr double kLeastOfCoarse = 8e-4;
constexpr size_t kFewestCoarse = 3;

}  // namespace

bool is_noise(const MeasuredRun& run) {
    const Sums& sums = run.tensor->sums;
    const double root = std::sqrt(static_cast<double>(std::max<int64_t>(1, sums.pairs)));
    return sums.max_d * root <= kLargestOfNoise * std::sqrt(sums.dd) &&
           !is_mostly_factor(run.out, sums.pairs, kShareOfScale);
}

double added_in_order(const MeasuredRun& run) {
    const double in = run.before.norm;
    return run.out.norm > in ? std::sqrt(run.out.norm * run.out.norm - in * in) : 0;
}

bool are_products_coarse(const std::vector<MeasuredRun>& runs,
                         const std::function<bool(const MeasuredRun&)>& is_product) {
    size_t any = 0;
    size_t coarse = 0;
    for (const MeasuredRun& run : runs) {
        if (!is_product(run) || run.out.norm == 0 || !is_noise(run)) continue;
        ++any;
        coarse += added_in_order(run) >= kLeastOfCoarse ? 1 : 0;
    }
    return coarse >= kFewestCoarse && 2 * coarse > any;
}

}  // namespace npuscope::compare
