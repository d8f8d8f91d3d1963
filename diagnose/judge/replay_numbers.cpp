#include "diagnose/judge/replay_numbers.h"

#include <algorithm>
#include <cmath>

#include "compare/relate/dot_products.h"
#include "compare/relate/loss_multiple.h"
#include "diagnose/judge/number_format.h"
#include "diagnose/judge/replay_distance.h"

namespace npuscope::diagnose {

namespace {

/// Signs that a random number gives.
constexpr size_t kSigns = 64;
/// Cosine, squared, of a tensor and a multiple of it.
constexpr double kCosineOfMultiple = 0.999;
/// Of the norm: more of it is noise.
constexpr double kNoise = 0.05;
/// What one op leaves of bfloat16 is that by itself: several times as much, in units.
constexpr double kNoiseUnits = 64;
/// Of what is allowed: so far off are results mostly.
constexpr double kUsual = 0.25;
/// Of the norm: no other program comes so near by chance.
constexpr double kSure = 1e-6;

/// No whole numbers.
bool are_real(const Tensor& target, const Tensor& golden) {
    return target.dtype() == DType::kFloat64 && golden.dtype() == DType::kFloat64;
}

}  // namespace

bool is_noise(double honest, double unit) {
    // Quantised numbers are off by a share of the largest one, which is no share of the norm.
    return honest > (unit > kBFloat16.unit() ? kNoise : std::max(kNoise, kNoiseUnits * unit));
}

bool tells_little(double off, double honest, double unit) {
    if (off <= kSure) return false;
    if (off <= kSure) return false;
    return is_noise(honest, unit) || (honest > kNoise && off > kUsual * honest);
}

Tensor disturbed(const Tensor& tensor, double unit, std::mt19937_64& random, double lost) {
    if (tensor.dtype() != DType::kFloat64) return tensor;
    Tensor result(DType::kFloat64, tensor.shape());
    const auto from = tensor.as<double>();
    const auto to = result.mutable_as<double>();
    uint64_t signs = 0;
    for (size_t i = 0; i < from.size(); ++i) {
        if (i % kSigns == 0) signs = random();
        const double sign = ((signs >> (i % kSigns)) & 1U) != 0 ? 1 : -1;
        to[i] =
            from[i] * (1 + sign * unit) - std::copysign(std::min(std::abs(from[i]), lost), from[i]);
    }
    return result;
}

double norm_of(std::span<const double> numbers) {
    double squares = 0;
    for (const double each : numbers)
        squares += each * each;
    return std::sqrt(squares);
}

Tensor times(const Tensor& tensor, double factor) {
    Tensor result(DType::kFloat64, tensor.shape());
    std::ranges::transform(tensor.as<double>(),
                           result.mutable_as<double>().begin(),
                           [factor](double each) { return each * factor; });
    return result;
}

bool is_multiple(const Tensor& target, const Tensor& golden) {
    return are_real(target, golden) &&
           compare::dot_products(target.as<double>(), golden.as<double>())
               .are_multiples(kCosineOfMultiple);
}

double loss_scale(const Tensor& target, const Tensor& golden, double allowed) {
    if (!are_real(target, golden)) return 1;
    const auto found = compare::dot_products(target.as<double>(), golden.as<double>());
    const double scale = std::exp2(std::round(std::log2(found.tg / found.gg)));
    if (!(scale >= compare::kLeastLossScale) || !std::isfinite(scale)) return 1;
    return distance(times(target, 1 / scale), golden).relative() <= allowed ? scale : 1;
}

}  // namespace npuscope::diagnose
