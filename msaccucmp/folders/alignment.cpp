#include "msaccucmp/folders/alignment.h"

#include "core/layout/format.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/columns/algorithm_set.h"
#include "msaccucmp/folders/format_change.h"

namespace npuscope::msaccucmp {

namespace {

using layout::Format;

/// A rule that says NHWC for data that lies as NCHW, or the other way round, is put right.
std::string format_by_data(const GoldenTensor& golden) {
    const Shape& rule = golden.shape;
    const Shape& data = golden.tensor.shape;
    if (rule.size() != 4 || data.size() != 4 || rule == data) return golden.format;
    if (golden.format == "NHWC" && Shape{rule[0], rule[3], rule[1], rule[2]} == data) return "NCHW";
    if (golden.format == "NCHW" && Shape{rule[0], rule[2], rule[3], rule[1]} == data) return "NHWC";
    return golden.format;
}

/// A golden tensor of unknown format counts as being in mine.
int64_t golden_format(const DumpedTensor& my, const GoldenTensor& golden) {
    if (golden.format.empty()) return my.format;
    const bool may_be_swapped = golden.format == "NHWC" || golden.format == "NCHW";
    const std::string name = may_be_swapped ? format_by_data(golden) : golden.format;
    const auto number = format_number(name);
    if (!number)
        throw CompareFailure(kInvalidFormat,
                             "The rule file has the format '" + name + "', which there is not.");
    return *number;
}

struct Targets {
    int64_t my;
    int64_t golden;
};

Targets targets_for_details(const DumpedTensor& my, int64_t golden) {
    const auto both = [](Format format) {
        return Targets{static_cast<int64_t>(format), static_cast<int64_t>(format)};
    };
    if (has_depth(my.format)) return both(Format::kNCDHW);
    if (is(my.format, Format::kFRACTAL_Z)) return {golden, golden};
    return both(Format::kNCHW);
}

}  // namespace

bool has_depth(int64_t format) {
    return is(format, Format::kNDHWC) || is(format, Format::kNCDHW) || is(format, Format::kDHWCN) ||
           is(format, Format::kNDC1HWC0);
}

AlignedPair align(const DumpedTensor& my, GoldenTensor golden, const AlignmentOptions& options) {
    if (!my.original_shape.empty()) golden.shape = my.original_shape;
    const int64_t format = golden_format(my, golden);
    if (options.are_both_original) {
        if (my.shape != golden.tensor.shape)
            throw CompareFailure(kInvalidShape, shapes_differ(my.shape, golden.tensor.shape));
        return {reshaped_checked(my.data, my.shape), golden.tensor.data};
    }
    static_cast<void>(known_format_name(my.format));
    const Targets targets =
        options.for_details ? targets_for_details(my, format) : Targets{format, format};
    const bool must_change = is(my.format, Format::kFRACTAL_NZ) || is(my.format, Format::kNDC1HWC0);
    AlignedPair pair{my.data, golden.tensor.data};
    const bool is_tensor = !is_scalar_shape(my.shape);
    if (is_tensor && (!is(targets.my, Format::kND) || must_change)) {
        pair.my = change_format_if_needed({.from = my.format,
                                           .to = targets.my,
                                           .from_shape = my.shape,
                                           .to_shape = golden.shape,
                                           .groups = my.groups},
                                          my.data);
        pair.golden = change_format_if_needed({.from = format,
                                               .to = targets.golden,
                                               .from_shape = golden.tensor.shape,
                                               .to_shape = golden.tensor.shape,
                                               .groups = my.groups},
                                              golden.tensor.data);
    }
    const bool sizes_differ = pair.my.values.numel() != pair.golden.values.numel();
    if (!is(my.format, Format::kND) || (is_tensor && sizes_differ))
        pair.my = cut_to(pair.my, pair.golden.shape());
    if (pair.my.values.numel() != pair.golden.values.numel())
        throw CompareFailure(kInvalidShape, shapes_differ(pair.my.shape(), pair.golden.shape()));
    return pair;
}

}  // namespace npuscope::msaccucmp
