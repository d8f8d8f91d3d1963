#include "compare/growth/allowance.h"

#include <algorithm>
#include <cmath>

#include "compare/agreement.h"
#include "compare/growth/bits_in_use.h"

namespace npuscope::compare {

namespace {

/// As kNormGrowth, of the largest element and of the scale.
constexpr double kPeakGrowth = 16;
constexpr double kScaleGrowth = 4;

/// Noise moves the scale by at most this share of it, of few elements by one over their root.
constexpr double kScaleOfNoise = 1.0 / 8;

/// Operands of TF32 that are cut off after ten bits are smaller by half a unit in the middle, and
/// so are products by two of these at most.
constexpr double kScaleOfCutOff = 0x1p-10;

/// Of the norm: across ops of a backward pass of which nothing was compared much may happen, as the
/// few gates that rounding opens or shuts.
constexpr double kNormAcross = 0.05;

/// Of the norm, and of the scale: what a chain of sums in float32 leaves.
constexpr double kLeast = 2e-6;

/// The sine of the angle between a result and a multiple of it, where something else came in.
constexpr double kMostTurned = 0.1;

/// Of the norm of n elements, what noise makes a factor of them, over the root of n.
constexpr double kShareOfFew = 6;

/// Sums in float32 are off by more than one rounding of their results.
constexpr int kBitsOfSums = 21;

}  // namespace

Distance rounding_to(int bits) {
    bits = std::min(bits, kBitsOfSums);
    return {std::ldexp(1.0, -bits - 1), std::ldexp(1.0, -bits), std::ldexp(1.0, -bits - 3)};
}

double noise_of(const MeasuredRun& run) {
    return std::max(rounding_to(run.bits).norm, run.like);
}

Distance unsuspicious(const MeasuredRun& run) {
    Distance allowed = run.entry.worst;
    if (!run.entry.is_known) allowed.take(run.before);
    allowed.take(rounding_to(run.bits));
    allowed.take({run.like, run.like, 0});
    const auto numel = static_cast<double>(std::max<int64_t>(1, run.tensor->sums.pairs));
    const double share = std::max(kScaleOfNoise, 1 / std::sqrt(numel));
    allowed.scale = std::max(allowed.scale, share * allowed.norm);
    // Two operands that are rounded to 8 bits are off by more than those that are cut off.
    const double factor = run.bits <= kBitsOfBFloat16 ? std::ldexp(1.0, -run.bits) : kScaleOfCutOff;
    if (run.may_cut_off) allowed.scale = std::max(allowed.scale, factor / kScaleGrowth);
    return allowed;
}

double growth_of(const MeasuredRun& run) {
    Distance base = unsuspicious(run);
    if ((!run.crossed.empty() || run.crosses_gates) && run.is_gradient)
        base.take({kNormAcross / kNormGrowth, kNormAcross, kNormAcross / kScaleGrowth});
    // Where terms cancel, as those of the gradient of a bias that moves nothing, only their size
    // tells what is left: of what came in all at worst, of roundings as much as by chance.
    const auto numel = std::max(1.0, static_cast<double>(run.tensor->sums.pairs));
    const double came_in = run.entry.is_known ? run.entry.worst.norm : base.norm;
    const double rounding = std::max(base.norm, rounding_to(run.bits).peak);
    const double terms = kNormGrowth * std::max(came_in * run.entry.sum / numel,
                                                rounding * run.entry.size / std::sqrt(numel));
    if (std::isfinite(run.out.norm) && (run.largest <= terms || run.out.norm <= kLeast)) return 0;
    return std::max({run.out.norm / base.norm / kNormGrowth,
                     run.out.peak / base.peak / kPeakGrowth,
                     run.out.scale / base.scale / kScaleGrowth});
}

bool is_mostly_factor(const Distance& off, int64_t numel, double share) {
    const double root = std::sqrt(static_cast<double>(std::max<int64_t>(1, numel)));
    return !(off.scale <= std::max(share, kShareOfFew / root) * off.norm);
}

bool is_rescaled(const MeasuredRun& run) {
    const Sums& sums = run.tensor->sums;
    // Of one element any other is a multiple.
    if (sums.pairs < 2 || !(sums.tt > 0) || !(sums.gg > 0)) return false;
    return sums.tg > 0 && std::sqrt(std::max(0.0, 1 - cosine_squared(sums))) <=
                              std::min(kMostTurned, kNormGrowth * unsuspicious(run).norm);
}

}  // namespace npuscope::compare
