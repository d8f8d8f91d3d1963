// Faults that have a name: what the elements of a result are instead of what they should be.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// A recorded result in float64 beside the exact one, and what honest arithmetic may be off by.
struct ResultElements {
    const Shape& shape;
    std::span<const double> recorded;
    std::span<const double> exact;
    std::span<const double> limit;
    NumberFormat format;  ///< as recorded
    int64_t furthest;     ///< where the error is the largest share of the limit
};

struct FaultPattern {
    std::string told;             ///< "[:, 3] holds what belongs in [:, 4]"
    std::vector<int64_t> places;  ///< whose elements it explains, in their order
};

/// Elements that belong in another place of the result, or have the other sign: a row, a column or
/// a tile around the one that is furthest off, or all of them.
[[nodiscard]] std::optional<FaultPattern> displaced(const ResultElements& elements);

/// The largest elements, which are one number where the exact ones are several.
[[nodiscard]] std::optional<FaultPattern> cut_off(const ResultElements& elements);

/// Elements that are one number, whatever they should be: never written, or cleared.
[[nodiscard]] std::optional<FaultPattern> one_number(const ResultElements& elements);

/// The pattern that explains every element over its limit; "" without one, and where an element or
/// its exact value is not finite.
[[nodiscard]] std::string told_by_pattern(const RecordedResult& result,
                                          std::span<const double> exact,
                                          std::span<const double> limit);

}  // namespace npuscope::diagnose
