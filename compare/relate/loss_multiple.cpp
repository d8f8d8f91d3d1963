#include "compare/relate/loss_multiple.h"

#include <cmath>

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
    double tt = 0;
    double gg = 0;
    double tg = 0;
    for (size_t i = 0; i < theirs.as<double>().size(); ++i) {
        const double t = mine.as<double>()[i];
        const double g = theirs.as<double>()[i];
        tt += t * t;
        gg += g * g;
        tg += t * g;
    }
    if (!(tg > 0) || tg * tg < kCosine * tt * gg) return 1;
    const double multiple = std::exp2(std::round(std::log2(tg / gg)));
    return multiple >= kLeastLossScale && std::abs(tg / gg / multiple - 1) < kAsNear ? multiple : 1;
}

}  // namespace npuscope::compare
