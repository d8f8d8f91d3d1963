// How `convert -f` turns a tensor of one memory format into another, pair by pair as the reference
// tool has them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/layout/conversion.h"
#include "core/layout/format.h"

namespace npuscope::msaccucmp {

using Dims = layout::Dims;

/// What is stored, and what is wanted.
struct FormatRequest {
    layout::Format from = layout::Format::kND;
    layout::Format to = layout::Format::kND;
    Dims shape;   ///< as the dump names it
    Dims target;  ///< of -s, or the dump's original shape; may be empty
    int64_t groups = 0;
};

/// NCHW, NHWC and HWCN whose shape has not 4 dims count as ND.
[[nodiscard]] layout::Format real_format(layout::Format format, const Dims& shape);

/// True for the pairs that the reference tool converts.
[[nodiscard]] bool converts(layout::Format from, layout::Format to);

/// The conversion, and the shape of its result. Errors: CommandError(kInvalidFormat) for another
/// pair, (kInvalidParameter) a target shape that FRACTAL_NZ cannot have, (kInvalidConvertFunction)
/// shapes that do not fit the formats.
struct FormatPlan {
    layout::Conversion conversion;
    Dims shape;
};
[[nodiscard]] FormatPlan plan_format(const FormatRequest& request);

/// Errors: CommandError(kInvalidParameter) unless the last two dims of `target` are at most 15 less
/// than those that the blocks have room for, and the others equal.
void check_nz_target(const Dims& target, const Dims& shape);

/// The shape that a result is cut to, by the rules of the reference tool: no cut, a shape of at
/// least 4 dims, or nothing where the target is larger than the result.
struct Slice {
    bool fails = false;
    std::optional<Dims> shape;
};
[[nodiscard]] Slice plan_slice(const Dims& result, const Dims& target);

}  // namespace npuscope::msaccucmp
