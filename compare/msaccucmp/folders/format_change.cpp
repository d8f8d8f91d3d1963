#include "compare/msaccucmp/folders/format_change.h"

#include <algorithm>
#include <array>

#include "compare/msaccucmp/exit_codes.h"
#include "compare/msaccucmp/folders/failure.h"
#include "core/layout/conversion.h"
#include "core/layout/stored_layout.h"

namespace npuscope::compare::msaccucmp {

namespace {

using layout::Format;
using layout::StoredLayout;

constexpr size_t kFourDims = 4;
constexpr int64_t kNzBlock = 16;

struct Pair {
    Format from;
    Format to;
};
constexpr auto kPairs = std::to_array<Pair>({{Format::kNC1HWC0, Format::kNCHW},
                                             {Format::kNC1HWC0, Format::kNHWC},
                                             {Format::kNC1HWC0, Format::kHWCN},
                                             {Format::kFRACTAL_Z, Format::kNCHW},
                                             {Format::kFRACTAL_Z, Format::kHWCN},
                                             {Format::kFRACTAL_NZ, Format::kND},
                                             {Format::kFRACTAL_NZ, Format::kNCHW},
                                             {Format::kFRACTAL_NZ, Format::kNHWC},
                                             {Format::kNDC1HWC0, Format::kNCDHW},
                                             {Format::kNDC1HWC0, Format::kND},
                                             {Format::kNCHW, Format::kNHWC},
                                             {Format::kNHWC, Format::kNCHW},
                                             {Format::kHWCN, Format::kNCHW},
                                             {Format::kHWCN, Format::kNHWC},
                                             {Format::kNHWC, Format::kHWCN},
                                             {Format::kNCHW, Format::kFRACTAL_Z},
                                             {Format::kNHWC, Format::kFRACTAL_Z},
                                             {Format::kHWCN, Format::kFRACTAL_Z}});

bool is(int64_t number, Format format) {
    return number == static_cast<int64_t>(format);
}

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

/// N C H W out of a shape in one of the plain formats.
layout::Dims logical_of(Format format, const Shape& shape) {
    if (format == Format::kNHWC) return {shape[0], shape[3], shape[1], shape[2]};
    if (format == Format::kHWCN) return {shape[3], shape[2], shape[0], shape[1]};
    return {shape[0], shape[1], shape[2], shape[3]};
}

struct Layouts {
    StoredLayout source;
    StoredLayout target;
};

int64_t product(const Shape& shape, size_t first, size_t last) {
    return layout::checked_numel(std::span(shape).subspan(first, last - first));
}

Layouts of_blocks_of_channels(const FormatChange& change, Format to) {
    const Shape& from = change.from_shape;
    if (from.size() != 5) does_not_fit(change);
    const layout::Dims logical{from[0], from[1] * from[4], from[2], from[3]};
    return {layout::stored_layout(Format::kNC1HWC0, logical, {.c0 = from[4]}),
            layout::stored_layout(to, logical)};
}

Layouts of_weight(const FormatChange& change, Format to) {
    const Shape& from = change.from_shape;
    if (from.size() != kFourDims || change.to_shape.size() < kFourDims) does_not_fit(change);
    const layout::Dims wanted = logical_of(to, change.to_shape);
    const layout::Dims padded{
        from[1] * from[2],
        wanted[2] * wanted[3] == 0 ? 0 : from[0] / (wanted[2] * wanted[3]) * from[3],
        wanted[2],
        wanted[3]};
    const bool is_grouped = change.groups > 1;
    if (!is_grouped && (wanted[0] > padded[0] || wanted[1] > padded[1])) does_not_fit(change);
    return {layout::stored_layout(
                Format::kFRACTAL_Z,
                is_grouped ? wanted : padded,
                {.c0 = from[3], .n0 = from[2], .groups = std::max<int64_t>(1, change.groups)}),
            layout::stored_layout(to, wanted)};
}

Layouts of_matrix(const FormatChange& change) {
    const Shape& from = change.from_shape;
    const Shape& to = change.to_shape;
    if (from.size() < kFourDims || to.empty()) does_not_fit(change);
    const size_t n = from.size();
    const int64_t lead = to.size() <= 2 ? 1 : product(to, 0, to.size() - 2);
    const int64_t rows = to.size() == 1 ? 1 : to[to.size() - 2];
    const layout::Dims padded{lead, from[n - 3] * from[n - 2], from[n - 4] * from[n - 1]};
    const layout::Dims wanted{lead, rows, to.back()};
    if (wanted[1] > padded[1] || wanted[2] > padded[2]) does_not_fit(change);
    return {layout::stored_layout(
                Format::kFRACTAL_NZ, padded, {.c0 = from[n - 1], .n0 = from[n - 2]}),
            layout::stored_layout(Format::kND, wanted)};
}

Layouts of_blocks_with_depth(const FormatChange& change, Format to) {
    const Shape& from = change.from_shape;
    if (from.size() != 6) does_not_fit(change);
    const layout::Dims padded{from[0], from[2] * from[5], from[1], from[3], from[4]};
    layout::Dims wanted = padded;
    const bool crops = to == Format::kNCDHW || change.to_shape.size() == 5;
    if (crops && change.to_shape.size() < 2) does_not_fit(change);
    if (crops) wanted[1] = change.to_shape[1];
    if (wanted[1] > padded[1]) does_not_fit(change);
    return {layout::stored_layout(Format::kNDC1HWC0, padded, {.c0 = from[5]}),
            layout::stored_layout(Format::kNCDHW, wanted)};
}

Layouts layouts_of(const FormatChange& change) {
    const auto from = static_cast<Format>(change.from);
    const auto to = static_cast<Format>(change.to);
    switch (from) {
        case Format::kNC1HWC0:
            return of_blocks_of_channels(change, to);
        case Format::kFRACTAL_Z:
            return of_weight(change, to);
        case Format::kFRACTAL_NZ:
            return of_matrix(change);
        case Format::kNDC1HWC0:
            return of_blocks_with_depth(change, to);
        default:
            break;
    }
    if (change.from_shape.size() != kFourDims) does_not_fit(change);
    const layout::Dims logical = logical_of(from, change.from_shape);
    return {layout::stored_layout(from, logical),
            layout::stored_layout(to, logical, {.groups = std::max<int64_t>(1, change.groups)})};
}

/// Whether to_shape can be what a FRACTAL_NZ tensor was before it was padded.
void check_nz(const FormatChange& change) {
    const Shape& from = change.from_shape;
    const Shape& to = change.to_shape;
    if (from.size() < kFourDims) does_not_fit(change);
    const size_t n = from.size();
    Shape padded(from.begin(), from.end() - 4);
    padded.push_back(from[n - 2] * from[n - 3]);
    padded.push_back(from[n - 1] * from[n - 4]);
    bool fits = to.size() == padded.size();
    for (size_t i = 0; fits && i < to.size(); ++i) {
        const bool is_blocked = i + 2 >= to.size();
        fits = is_blocked ? to[i] <= padded[i] && to[i] > padded[i] - kNzBlock : to[i] == padded[i];
    }
    if (!fits)
        throw CompareFailure(kInvalidNzDumpData,
                             "The shape " + to_string(to) +
                                 " cannot be that of this FRACTAL_NZ tensor; " + to_string(padded) +
                                 " would fit.");
}

}  // namespace

std::string format_name(int64_t format) {
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

bool can_change(int64_t from, int64_t to) {
    return std::any_of(kPairs.begin(), kPairs.end(), [&](const Pair& pair) {
        return is(from, pair.from) && is(to, pair.to);
    });
}

Array reshaped_checked(const Array& data, const Shape& shape) {
    if (numel_of(shape) != data.values.numel())
        throw CompareFailure(kInvalidDumpData,
                             "The dump has " + std::to_string(data.values.numel()) +
                                 " elements, which do not fit its shape " + to_string(shape) + ".");
    return data.reshaped(shape);
}

Array change_format(const FormatChange& change, const Array& data) {
    if (!can_change(change.from, change.to))
        throw CompareFailure(kInvalidFormat,
                             "There is no conversion from " + number_or_name(change.from) + " to " +
                                 number_or_name(change.to) + ".");
    try {
        const Layouts layouts = layouts_of(change);
        if (layouts.source.numel() != data.values.numel()) does_not_fit(change);
        Tensor result = Tensor::zeros(data.values.dtype(), layouts.target.shape);
        if (result.numel() > 0)
            layout::Conversion(layouts.source, layouts.target)
                .run(size_of(result.dtype()), data.values.data(), result.mutable_data());
        // A matrix keeps a leading dim only where the target has one.
        if (is(change.from, Format::kFRACTAL_NZ) && change.to_shape.size() <= 2)
            result = result.reshaped({result.dim(1), result.dim(2)});
        return {std::move(result), data.dtype};
    } catch (const CompareFailure&) {
        throw;
    } catch (const Error&) {
        does_not_fit(change);
    }
}

Array change_format_if_needed(const FormatChange& change, const Array& data) {
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
    check_nz(change);
    return change_format(change, data);
}

}  // namespace npuscope::compare::msaccucmp
