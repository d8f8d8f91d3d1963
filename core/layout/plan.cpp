#include "core/layout/plan.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace npuscope::layout {

namespace {

constexpr size_t kFour = 4;
constexpr int64_t kBlock = 16;

[[noreturn]] void unfit(const std::string& problem) {
    throw Error(ErrorKind::kFormat, problem);
}

std::string bracketed(const Dims& dims) {
    return "(" + joined(dims, ",") + ")";
}

/// Axis numbers of the dims of a 4-D format, in its order.
std::array<size_t, kFour> axes_of(Format format) {
    switch (format) {
        case Format::kNHWC:
            return {0, 2, 3, 1};
        case Format::kHWCN:
            return {2, 3, 1, 0};
        default:
            return {0, 1, 2, 3};
    }
}

/// N C H W of a shape in the order of `format`.
Dims logical_of(Format format, const Dims& shape) {
    Dims logical(kFour);
    const auto axes = axes_of(format);
    for (size_t i = 0; i < kFour; ++i)
        logical[axes[i]] = shape[i];
    return logical;
}

StoredLayout of_digits(Dims logical, std::vector<Digit> digits, Dims shape) {
    StoredLayout layout;
    layout.logical = std::move(logical);
    layout.digits = std::move(digits);
    layout.shape = std::move(shape);
    return layout;
}

/// The digits' product must be what is stored, or the formats and shapes are not what they say.
void check_numel(const StoredLayout& layout, const Dims& shape) {
    Dims extents;
    for (const Digit& digit : layout.digits)
        extents.push_back(digit.extent);
    if (checked_numel(extents) != checked_numel(shape))
        unfit("shape " + bracketed(shape) + " cannot be taken apart into " + bracketed(extents));
}

StoredLayout from_nc1hwc0(const Dims& shape) {
    if (shape.size() < 5) unfit("NC1HWC0 needs 5 dimensions, not shape " + bracketed(shape));
    return of_digits({shape[0], checked_numel(Dims{shape[1], shape[4]}), shape[2], shape[3]},
                     {{0, 1, shape[0]},
                      {1, shape[4], shape[1]},
                      {2, 1, shape[2]},
                      {3, 1, shape[3]},
                      {1, 1, shape[4]}},
                     shape);
}

StoredLayout from_ndc1hwc0(const Dims& shape) {
    if (shape.size() != 6) unfit("NDC1HWC0 needs 6 dimensions, not shape " + bracketed(shape));
    const int64_t channels = checked_numel(Dims{shape[2], shape[5]});
    return of_digits({shape[0], channels, shape[1], shape[3], shape[4]},
                     {{0, 1, shape[0]},
                      {2, 1, shape[1]},
                      {1, shape[5], shape[2]},
                      {3, 1, shape[3]},
                      {4, 1, shape[4]},
                      {1, 1, shape[5]}},
                     shape);
}

StoredLayout from_fractal_z(const FormatRequest& request, const Dims& logical) {
    const Dims& shape = request.shape;
    if (shape.size() != kFour) unfit("FRACTAL_Z needs 4 dimensions, not shape " + bracketed(shape));
    if (request.groups > 1) {
        const Blocks blocks{.c0 = shape[3], .n0 = shape[2], .groups = request.groups};
        StoredLayout layout = stored_layout(Format::kFRACTAL_Z, logical, blocks);
        if (layout.shape != shape)
            unfit("a weight " + bracketed(logical) + " of " + std::to_string(request.groups) +
                  " groups is stored as " + bracketed(layout.shape) + ", not " + bracketed(shape));
        return layout;
    }
    const int64_t pixels = checked_numel(Dims{logical[2], logical[3]});
    if (pixels == 0 || shape[0] % pixels != 0)
        unfit("the first of shape " + bracketed(shape) + " is no multiple of " +
              std::to_string(pixels) + " pixels");
    const int64_t c1 = shape[0] / pixels;
    const int64_t channels = checked_numel(Dims{c1, shape[3]});
    const int64_t outputs = checked_numel(Dims{shape[1], shape[2]});
    if (logical[1] > channels || logical[0] > outputs)
        unfit("target N C H W " + bracketed(logical) + " is larger than what shape " +
              bracketed(shape) + " holds");
    return of_digits({outputs, channels, logical[2], logical[3]},
                     {{1, shape[3], c1},
                      {2, 1, logical[2]},
                      {3, 1, logical[3]},
                      {0, shape[2], shape[1]},
                      {0, 1, shape[2]},
                      {1, 1, shape[3]}},
                     shape);
}

/// Leading dims, rows, columns.
StoredLayout from_fractal_nz(const Dims& shape) {
    if (shape.size() < kFour) unfit("FRACTAL_NZ needs 4 dimensions, not shape " + bracketed(shape));
    const size_t n = shape.size();
    const int64_t lead = checked_numel(std::span(shape).first(n - kFour));
    const int64_t rows = checked_numel(Dims{shape[n - 3], shape[n - 2]});
    const int64_t columns = checked_numel(Dims{shape[n - 4], shape[n - 1]});
    return of_digits({lead, rows, columns},
                     {{0, 1, lead},
                      {2, shape[n - 1], shape[n - 4]},
                      {1, shape[n - 2], shape[n - 3]},
                      {1, 1, shape[n - 2]},
                      {2, 1, shape[n - 1]}},
                     shape);
}

/// A plain layout whose i-th dim is the axis axes[i].
StoredLayout plain(const Dims& logical, std::span<const size_t> axes) {
    StoredLayout layout;
    layout.logical = logical;
    for (const size_t axis : axes) {
        layout.digits.push_back({axis, 1, logical[axis]});
        layout.shape.push_back(logical[axis]);
    }
    return layout;
}

StoredLayout plain_of(Format format, const Dims& logical) {
    const auto axes = axes_of(format);
    return plain(logical, axes);
}

FormatPlan to_plan(StoredLayout source, StoredLayout target, const Dims& stored) {
    if (source.groups == 1) check_numel(source, stored);
    Dims shape = target.shape;
    return {Conversion(std::move(source), std::move(target)), std::move(shape)};
}

FormatPlan plan_nz(const FormatRequest& request) {
    StoredLayout source = from_fractal_nz(request.shape);
    const Dims& wanted = request.target;
    const Dims logical{source.logical[0],
                       std::min(source.logical[1], wanted[wanted.size() - 2]),
                       std::min(source.logical[2], wanted.back())};
    constexpr std::array<size_t, 3> kAxes{0, 1, 2};
    FormatPlan plan = to_plan(std::move(source), plain(logical, kAxes), request.shape);
    if (wanted.size() <= 2) plan.shape.erase(plan.shape.begin());
    return plan;
}

FormatPlan plan_depth(const FormatRequest& request) {
    StoredLayout source = from_ndc1hwc0(request.shape);
    Dims logical = source.logical;
    if (request.to == Format::kNCDHW && request.target.size() < 2)
        unfit("NDC1HWC0 to NCDHW needs the original shape; give it with -s");
    if (request.to == Format::kNCDHW || request.target.size() == 5) {
        if (request.target[1] > logical[1])
            unfit("target " + bracketed(request.target) + " has more channels than are stored");
        logical[1] = request.target[1];
    }
    constexpr std::array<size_t, 5> kAxes{0, 1, 2, 3, 4};
    return to_plan(std::move(source), plain(logical, kAxes), request.shape);
}

FormatPlan plan_from_weight(const FormatRequest& request) {
    if (request.target.size() < kFour)
        unfit("FRACTAL_Z needs the original shape of 4 dimensions; give it with -s");
    const Dims logical = logical_of(request.to, request.target);
    return to_plan(from_fractal_z(request, logical), plain_of(request.to, logical), request.shape);
}

FormatPlan plan_to_weight(const FormatRequest& request) {
    const Dims logical = logical_of(request.from, request.shape);
    const Blocks blocks{.c0 = kBlock, .n0 = kBlock, .groups = std::max<int64_t>(request.groups, 1)};
    if (std::find(logical.begin(), logical.end(), 0) != logical.end())
        unfit("a weight without elements has no FRACTAL_Z layout");
    return to_plan(plain_of(request.from, logical),
                   stored_layout(Format::kFRACTAL_Z, logical, blocks),
                   request.shape);
}

constexpr auto kPairs = std::to_array<std::pair<Format, Format>>({
    {Format::kFRACTAL_NZ, Format::kNCHW},
    {Format::kFRACTAL_NZ, Format::kND},
    {Format::kFRACTAL_NZ, Format::kNHWC},
    {Format::kFRACTAL_Z, Format::kHWCN},
    {Format::kFRACTAL_Z, Format::kNCHW},
    {Format::kHWCN, Format::kFRACTAL_Z},
    {Format::kHWCN, Format::kNCHW},
    {Format::kHWCN, Format::kNHWC},
    {Format::kNC1HWC0, Format::kHWCN},
    {Format::kNC1HWC0, Format::kNCHW},
    {Format::kNC1HWC0, Format::kNHWC},
    {Format::kNCHW, Format::kFRACTAL_Z},
    {Format::kNCHW, Format::kNHWC},
    {Format::kNDC1HWC0, Format::kNCDHW},
    {Format::kNDC1HWC0, Format::kND},
    {Format::kNHWC, Format::kFRACTAL_Z},
    {Format::kNHWC, Format::kHWCN},
    {Format::kNHWC, Format::kNCHW},
});

}  // namespace

Format real_format(Format format, const Dims& shape) {
    const bool is_4d =
        format == Format::kNCHW || format == Format::kNHWC || format == Format::kHWCN;
    return is_4d && shape.size() != kFour ? Format::kND : format;
}

bool converts(Format from, Format to) {
    return std::find(kPairs.begin(), kPairs.end(), std::pair(from, to)) != kPairs.end();
}

Dims nz_room(const Dims& shape) {
    if (shape.size() < kFour) unfit("FRACTAL_NZ needs 4 dimensions, not shape " + bracketed(shape));
    const size_t n = shape.size();
    Dims room(shape.begin(), shape.end() - kFour);
    room.push_back(checked_numel(Dims{shape[n - 2], shape[n - 3]}));
    room.push_back(checked_numel(Dims{shape[n - 1], shape[n - 4]}));
    return room;
}

bool fits_nz(const Dims& target, const Dims& room) {
    bool fits = target.size() == room.size();
    for (size_t i = 0; fits && i < room.size(); ++i)
        fits = i + 2 < room.size() ? target[i] == room[i]
                                   : target[i] <= room[i] && target[i] > room[i] - kBlock;
    return fits;
}

FormatPlan plan_format(const FormatRequest& request) {
    if (!converts(request.from, request.to))
        throw Error(ErrorKind::kUnsupported,
                    "format " + std::string(name_of(request.from)) + " cannot be converted to " +
                        std::string(name_of(request.to)));
    switch (request.from) {
        case Format::kFRACTAL_NZ:
            return plan_nz(request);
        case Format::kNDC1HWC0:
            return plan_depth(request);
        case Format::kFRACTAL_Z:
            return plan_from_weight(request);
        case Format::kNC1HWC0: {
            StoredLayout source = from_nc1hwc0(request.shape);
            const Dims logical = source.logical;
            return to_plan(std::move(source), plain_of(request.to, logical), request.shape);
        }
        default:
            break;
    }
    if (request.to == Format::kFRACTAL_Z) return plan_to_weight(request);
    const Dims logical = logical_of(request.from, request.shape);
    return to_plan(plain_of(request.from, logical), plain_of(request.to, logical), request.shape);
}

Slice plan_slice(const Dims& result, const Dims& target) {
    const auto without_ones = [](const Dims& dims) {
        Dims rest = dims;
        std::erase(rest, 1);
        return rest.empty() ? dims : rest;
    };
    if (result.size() < target.size()) {
        const auto all_ones = [](const Dims& dims) {
            return std::all_of(dims.begin(), dims.end(), [](int64_t dim) { return dim == 1; });
        };
        const bool equal =
            (all_ones(result) && all_ones(target)) || without_ones(result) == without_ones(target);
        return {.fails = !equal, .shape = std::nullopt};
    }
    Dims padded = result;
    padded.resize(std::max(padded.size(), kFour), 1);
    Dims limits = target;
    limits.resize(padded.size(), 1);
    const auto ones = static_cast<size_t>(std::count(result.begin(), result.end(), 1));
    if (checked_numel(padded) == checked_numel(limits) &&
        (ones == result.size() || ones + 1 == result.size()))
        return {};
    for (size_t i = 0; i < padded.size(); ++i) {
        if (padded[i] < limits[i]) return {.fails = true, .shape = std::nullopt};
        if (padded[i] == limits[i]) continue;
        if (padded.size() <= 5)
            for (size_t k = 0; k < padded.size(); ++k)
                padded[k] = std::min(padded[k], limits[k]);
        return {.fails = false, .shape = padded};
    }
    return {};
}

}  // namespace npuscope::layout
