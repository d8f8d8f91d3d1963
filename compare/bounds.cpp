#include "compare/bounds.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/error.h"

namespace npuscope::compare {

namespace {

constexpr auto kPrecisions = std::to_array<Precision>(
    {{"float64", 1e-12}, {"float32", 1e-5}, {"hf32", 2e-3}, {"float16", 4e-3}, {"bfloat16", 3e-2}});

const Precision* find_precision(std::string_view name) {
    const auto* const row =
        std::find_if(kPrecisions.begin(), kPrecisions.end(), [&](const Precision& precision) {
            return precision.name == name;
        });
    return row == kPrecisions.end() ? nullptr : row;
}

std::string short_number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

Bound exact_bound(DType dtype) {
    Bound bound;
    bound.exact = true;
    bound.source = std::string(name_of(dtype)) + " exact";
    return bound;
}

}  // namespace

std::span<const Precision> all_precisions() {
    return kPrecisions;
}

PrecisionBounds::PrecisionBounds(double factor) {
    for (const Precision& precision : kPrecisions) {
        Bound& bound = bounds_.emplace_back();
        bound.tolerance = precision.tolerance * factor;
        bound.source = std::string(precision.name) + " " + short_number(bound.tolerance);
    }
}

Bound PrecisionBounds::bound(const BoundQuery& query) const {
    if (!is_float(query.dtype)) return exact_bound(query.dtype);
    const Precision* used = find_precision(name_of(query.compute_type));
    if (used == nullptr) used = find_precision(name_of(query.dtype));
    if (used == nullptr)
        throw Error(ErrorKind::kInternal,
                    "no precision is known for the dtype " + std::string(name_of(query.dtype)));
    return bounds_[static_cast<size_t>(used - kPrecisions.data())];
}

Bound FixedBounds::bound(const BoundQuery& query) const {
    if (!is_float(query.dtype)) return exact_bound(query.dtype);
    Bound bound;
    bound.tolerance = tolerance_;
    bound.source = "given " + short_number(tolerance_);
    return bound;
}

}  // namespace npuscope::compare
