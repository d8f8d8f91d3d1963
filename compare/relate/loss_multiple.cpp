#include "compare/relate/loss_multiple.h"

#include <cmath>

#include "compare/relate/dot_products.h"

namespace npuscope::compare {

namespace {

/// Of a power of two.
constexpr double kAsNear = 0.01;
/// Cosine, squared, of a tensor and a multiple of it.
constexpr double kCosine = 0.99;

}  // namespace

double loss_multiple(const Tensor& target, const Tensor& golden) {
    const Tensor mine = target.cast(DType::kFloat64);
    const Tensor theirs = golden.cast(DType::kFloat64);
    const DotProducts found = dot_products(mine.as<double>(), theirs.as<double>());
    if (!found.are_multiples(kCosine)) return 1;
    const double times = found.tg / found.gg;
    const double multiple = std::exp2(std::round(std::log2(times)));
    return multiple >= kLeastLossScale && std::abs(times / multiple - 1) < kAsNear ? multiple : 1;
}

}  // namespace npuscope::compare
