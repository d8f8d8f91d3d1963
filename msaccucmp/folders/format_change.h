// A tensor moved from one memory format to another, as the original tool does it: which pairs of
// formats there are, and what shape comes out.
#pragma once

#include <cstdint>

#include "core/layout/format.h"
#include "msaccucmp/kernel_dumps/reading.h"

namespace npuscope::msaccucmp {

/// Whether a dump's number is that of the format.
constexpr bool is(int64_t number, layout::Format format) {
    return number == static_cast<int64_t>(format);
}

struct FormatChange {
    int64_t from = 0;  ///< layout::Format, or any number
    int64_t to = 0;
    Shape from_shape;
    Shape to_shape;      ///< of the target, as far as the source format hides it; may be empty
    int64_t groups = 0;  ///< of a convolution's weight
};

/// The conversion itself; from_shape must fit the data. Errors: CompareFailure(kInvalidFormat) no
/// such pair, (kInvalidConvertFunction) shapes that do not fit it, (kInvalidNzDumpData) to_shape
/// cannot be that of a FRACTAL_NZ tensor.
[[nodiscard]] RealArray change_format(const FormatChange& change, const RealArray& data);

/// change_format, or a mere reshape to from_shape where no conversion is needed. Errors: those of
/// change_format, CompareFailure(kInvalidDumpData) elements and shape differ in number.
[[nodiscard]] RealArray change_format_if_needed(const FormatChange& change, const RealArray& data);

/// Errors: CompareFailure(kInvalidDumpData).
[[nodiscard]] RealArray reshaped_checked(const RealArray& data, const Shape& shape);

/// Cut down to `wanted` (both filled with 1s up to four dims) where it is larger. Errors:
/// CompareFailure(kInvalidShape) where it is smaller.
[[nodiscard]] RealArray cut_to(const RealArray& data, const Shape& wanted);

/// The name of a format number. Errors: CompareFailure(kInvalidFormat) when the original tool has
/// no name for it.
[[nodiscard]] std::string known_format_name(int64_t format);
/// Nothing when there is no such name.
[[nodiscard]] std::optional<int64_t> format_number(const std::string& name);

/// Names the two shapes that cannot be compared.
[[nodiscard]] std::string shapes_differ(const Shape& my, const Shape& golden);

}  // namespace npuscope::msaccucmp
