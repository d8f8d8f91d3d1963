#include "msaccucmp/folders/format_change.h"

#include "core/cann_dump/unpadded.h"
#include "core/layout/format.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"

namespace npuscope::msaccucmp {

namespace {

using layout::Format;

constexpr size_t kFourDims = 4;

std::string number_or_name(int64_t format) {
    const auto known = layout::format_from_code(format);
    return known ? std::string(layout::name_of(*known)) : std::to_string(format);
}

[[noreturn]] void does_not_fit(const FormatChange& change) {
    throw CompareFailure(kInvalidConvertFunction,
                         "The shape " + to_string(change.from_shape) + " of " +
                             number_or_name(change.from) + " cannot be brought to " +
                             to_string(change.to_shape) + " of " + number_or_name(change.to) + ".");
}

/// Whether to_shape can be what a FRACTAL_NZ tensor was before it was padded.
void check_nz(const FormatChange& change) {
    if (change.from_shape.size() < kFourDims) does_not_fit(change);
    const Shape room = layout::nz_room(change.from_shape);
    if (!layout::fits_nz(change.to_shape, room))
        throw CompareFailure(kInvalidNzDumpData,
                             "The shape " + to_string(change.to_shape) +
                                 " cannot be that of this FRACTAL_NZ tensor; " + to_string(room) +
                                 " would fit.");
}

}  // namespace

std::string known_format_name(int64_t format) {
    const auto known = layout::format_from_code(format);
    for (const layout::FormatInfo& row : layout::all_formats())
        if (known && row.format == *known && row.known_to_msaccucmp) return std::string(row.name);
    throw CompareFailure(kInvalidFormat,
                         "The format number " + std::to_string(format) + " has no name.");
}

std::optional<int64_t> format_number(const std::string& name) {
    const auto format = layout::format_from_name(name);
    if (!format) return std::nullopt;
    for (const layout::FormatInfo& row : layout::all_formats())
        if (row.format == *format && row.known_to_msaccucmp) return static_cast<int64_t>(*format);
    return std::nullopt;
}

std::string shapes_differ(const Shape& my, const Shape& golden) {
    return "The shapes of the two sides differ: " + to_string(my) + " on my side, " +
           to_string(golden) + " on the golden side.";
}

RealArray reshaped_checked(const RealArray& data, const Shape& shape) {
    if (numel_of(shape) != data.values.numel())
        throw CompareFailure(kInvalidDumpData,
                             "The dump has " + std::to_string(data.values.numel()) +
                                 " elements, which do not fit its shape " + to_string(shape) + ".");
    return data.reshaped(shape);
}

RealArray change_format(const FormatChange& change, const RealArray& data) {
    const auto from = layout::format_from_code(change.from);
    const auto to = layout::format_from_code(change.to);
    if (!from || !to || !layout::converts(*from, *to))
        throw CompareFailure(kInvalidFormat,
                             "There is no conversion from " + number_or_name(change.from) + " to " +
                                 number_or_name(change.to) + ".");
    if (*from == Format::kFRACTAL_NZ) check_nz(change);
    try {
        return cann_dump::converted(layout::plan_format({.from = *from,
                                                         .to = *to,
                                                         .shape = change.from_shape,
                                                         .target = change.to_shape,
                                                         .groups = change.groups}),
                                    data);
    } catch (const Error&) {
        does_not_fit(change);
    }
}

RealArray cut_to(const RealArray& data, const Shape& wanted) {
    const auto cut = cann_dump::cut_to(data, wanted);
    if (!cut) throw CompareFailure(kInvalidShape, shapes_differ(data.shape(), wanted));
    return *cut;
}

RealArray change_format_if_needed(const FormatChange& change, const RealArray& data) {
    const bool is_plain = is(change.from, Format::kNCHW) || is(change.from, Format::kHWCN) ||
                          is(change.from, Format::kNHWC);
    if (is(change.from, Format::kND) || change.from == change.to ||
        (is_plain && change.from_shape.size() != kFourDims))
        return reshaped_checked(data, change.from_shape);
    if (!is(change.from, Format::kFRACTAL_NZ)) return change_format(change, data);
    const size_t rank = change.to_shape.size();
    const size_t from_rank = change.from_shape.size();
    if (is(change.to, Format::kND) && rank > 2 && from_rank >= kFourDims) {
        Shape all(change.to_shape.begin(), change.to_shape.end() - 2);
        all.insert(all.end(), change.from_shape.end() - 4, change.from_shape.end());
        if (numel_of(all) != data.values.numel()) return reshaped_checked(data, change.from_shape);
    }
    return change_format(change, data);
}

}  // namespace npuscope::msaccucmp
