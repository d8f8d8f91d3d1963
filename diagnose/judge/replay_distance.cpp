#include "diagnose/judge/replay_distance.h"

#include <cmath>

#include "compare/relate/arrangements.h"

namespace npuscope::diagnose {

namespace {

/// A mask in place of minus infinity, after what is masked was added.
constexpr double kMasked = -9e3;

/// Ways to arrange axes that are tried.
constexpr size_t kArrangements = 64;

}  // namespace

Distance distance(const Tensor& one, const Tensor& other) {
    const Tensor a = one.cast(DType::kFloat64);
    const Tensor b = other.cast(DType::kFloat64);
    double squares = 0;
    double size = 0;
    for (size_t i = 0; i < a.as<double>().size(); ++i) {
        const double x = a.as<double>()[i];
        const double y = b.as<double>()[i];
        if (x <= kMasked && y <= kMasked) continue;
        if (x == y || (std::isnan(x) && std::isnan(y))) {
            if (std::isfinite(y)) size += y * y;
            continue;
        }
        squares += (x - y) * (x - y);
        if (std::isfinite(y)) size += y * y;
    }
    if (std::isnan(squares)) squares = std::numeric_limits<double>::infinity();
    return {std::sqrt(squares), std::sqrt(size)};
}

double share_of_others(const Tensor& one, const Tensor& other) {
    const Tensor a = one.cast(DType::kFloat64);
    const Tensor b = other.cast(DType::kFloat64);
    const auto x = a.as<double>();
    const auto y = b.as<double>();
    size_t others = 0;
    for (size_t i = 0; i < x.size(); ++i)
        others += x[i] == y[i] ? 0 : 1;
    return x.empty() ? 0 : static_cast<double>(others) / static_cast<double>(x.size());
}

std::optional<compare::View> arrangement_within(const Tensor& from,
                                                const Tensor& shown,
                                                double allowed) {
    for (compare::View& view : compare::arrangements(from.shape(), shown.shape(), kArrangements))
        if (distance(compare::apply(view, from), shown).relative() <= allowed)
            return std::move(view);
    return std::nullopt;
}

}  // namespace npuscope::diagnose
