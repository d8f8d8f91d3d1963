#include "diagnose/judge/flushed.h"

#include <algorithm>
#include <cmath>

namespace npuscope::diagnose {

namespace {

/// Of fewer elements it says nothing that none is a subnormal number.
constexpr size_t kFewestOfUnit = 8;

}  // namespace

void allow_flushed(const NumberFormat& steps,
                   const RecordedResult& result,
                   std::span<const double> exact,
                   AllowedErrors& limits) {
    if (steps.lowest <= kFloat32.lowest || exact.size() < kFewestOfUnit) return;
    const double normal = power_of_two(steps.lowest);
    const auto is_subnormal = [normal](double value) {
        return value != 0 && std::abs(value) < normal;
    };
    if (std::ranges::none_of(exact, is_subnormal)) return;
    const Tensor wide = result.elements.cast(DType::kFloat64);
    if (std::ranges::any_of(wide.as<double>(), is_subnormal)) return;
    for (size_t i = 0; i < exact.size(); ++i)
        if (is_subnormal(exact[i])) limits[i] = std::max(limits[i], std::abs(exact[i]));
}

}  // namespace npuscope::diagnose
