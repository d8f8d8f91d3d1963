// How a stored tensor gets from one memory format to another by the shape that its dump names, pair
// by pair as CANN's own tool msaccucmp has them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/layout/conversion.h"
#include "core/layout/format.h"

namespace npuscope::layout {

/// What is stored, and what is wanted.
struct FormatRequest {
    Format from = Format::kND;
    Format to = Format::kND;
    Dims shape;   ///< as the dump names it
    Dims target;  ///< the original shape; may be empty
    int64_t groups = 0;
};

/// NCHW, NHWC and HWCN whose shape has not 4 dims count as ND.
[[nodiscard]] Format real_format(Format format, const Dims& shape);

/// True for the pairs that msaccucmp converts.
[[nodiscard]] bool converts(Format from, Format to);

/// The conversion, and the shape of its result. Errors: Error(kUnsupported) for another pair,
/// (kFormat) shapes that do not fit the formats.
struct FormatPlan {
    Conversion conversion;
    Dims shape;
};
[[nodiscard]] FormatPlan plan_format(const FormatRequest& request);

/// The dims that the blocks of a FRACTAL_NZ shape have room for. Errors: Error(kFormat) too few
/// dims.
[[nodiscard]] Dims nz_room(const Dims& shape);
/// Whether the last two dims of `target` are at most 15 less than the room's, and the others equal.
[[nodiscard]] bool fits_nz(const Dims& target, const Dims& room);

/// The shape that a result is cut to, by the rules of msaccucmp: no cut, a shape of at
/// least 4 dims, or nothing where the target is larger than the result.
struct Slice {
    bool fails = false;
    std::optional<Dims> shape;
};
[[nodiscard]] Slice plan_slice(const Dims& result, const Dims& target);

}  // namespace npuscope::layout
