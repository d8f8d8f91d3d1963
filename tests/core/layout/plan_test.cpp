// Shapes and rules by hand; the elements of all pairs are held by the recorded runs and by the
// tests of core/layout.
#include "core/layout/plan.h"

#include <optional>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::layout {
namespace {

/// Nothing where the plan is made.
std::optional<ErrorKind> plan_error(
    Format from, Format to, const Dims& shape, const Dims& target, int64_t groups = 0) {
    try {
        static_cast<void>(plan_format(
            {.from = from, .to = to, .shape = shape, .target = target, .groups = groups}));
    } catch (const Error& problem) {
        return problem.kind();
    }
    return std::nullopt;
}

Dims result(Format from, Format to, const Dims& shape, const Dims& target) {
    return plan_format({.from = from, .to = to, .shape = shape, .target = target}).shape;
}

TEST(FormatPlan, gives_the_shapes_of_the_reference_tool) {
    EXPECT_EQ(result(Format::kNC1HWC0, Format::kNCHW, {2, 1, 3, 4, 16}, {}), (Dims{2, 16, 3, 4}));
    EXPECT_EQ(result(Format::kNC1HWC0, Format::kHWCN, {2, 1, 3, 4, 16}, {}), (Dims{3, 4, 16, 2}));
    EXPECT_EQ(result(Format::kFRACTAL_Z, Format::kHWCN, {12, 1, 16, 16}, {3, 4, 5, 2}),
              (Dims{3, 4, 5, 2}));
    EXPECT_EQ(result(Format::kFRACTAL_NZ, Format::kND, {2, 2, 16, 16}, {20, 18}), (Dims{20, 18}));
    EXPECT_EQ(result(Format::kFRACTAL_NZ, Format::kND, {4, 2, 2, 2, 16, 16}, {4, 2, 20, 18}),
              (Dims{8, 20, 18}));
    EXPECT_EQ(result(Format::kNDC1HWC0, Format::kNCDHW, {2, 3, 1, 4, 5, 16}, {2, 7, 3, 4, 5}),
              (Dims{2, 7, 3, 4, 5}));
    EXPECT_EQ(result(Format::kNDC1HWC0, Format::kND, {2, 3, 1, 4, 5, 16}, {}),
              (Dims{2, 16, 3, 4, 5}));
    EXPECT_EQ(result(Format::kNHWC, Format::kFRACTAL_Z, {2, 3, 4, 5}, {}), (Dims{12, 1, 16, 16}));
}

TEST(FormatPlan, rejects_pairs_that_the_reference_tool_lacks) {
    EXPECT_EQ(plan_error(Format::kNCHW, Format::kHWCN, {1, 2, 3, 4}, {}), ErrorKind::kUnsupported);
    EXPECT_EQ(plan_error(Format::kND, Format::kNHWC, {1, 2, 3, 4}, {}), ErrorKind::kUnsupported);
    EXPECT_FALSE(converts(Format::kNCHW, Format::kNC1HWC0));
}

TEST(FormatPlan, rejects_shapes_that_do_not_fit) {
    EXPECT_EQ(plan_error(Format::kNC1HWC0, Format::kNCHW, {2, 1, 3, 4}, {}), ErrorKind::kFormat);
    EXPECT_EQ(plan_error(Format::kNC1HWC0, Format::kNCHW, {2, 1, 3, 4, 16, 2}, {}),
              ErrorKind::kFormat);
    EXPECT_EQ(plan_error(Format::kFRACTAL_Z, Format::kNCHW, {12, 1, 16, 16}, {}),
              ErrorKind::kFormat);
    EXPECT_EQ(plan_error(Format::kFRACTAL_Z, Format::kNCHW, {12, 1, 16, 16}, {2, 5, 7, 4}),
              ErrorKind::kFormat);
    EXPECT_EQ(plan_error(Format::kFRACTAL_Z, Format::kNCHW, {12, 1, 16, 16}, {2, 5, 0, 4}),
              ErrorKind::kFormat);
    EXPECT_EQ(plan_error(Format::kFRACTAL_Z, Format::kNCHW, {12, 1, 16, 16}, {17, 5, 3, 4}),
              ErrorKind::kFormat);
    EXPECT_EQ(plan_error(Format::kNDC1HWC0, Format::kNCDHW, {2, 3, 1, 4, 5, 16}, {}),
              ErrorKind::kFormat);
    EXPECT_EQ(plan_error(Format::kNCHW, Format::kFRACTAL_Z, {6, 2, 1, 1}, {}, 4),
              ErrorKind::kFormat);
    EXPECT_EQ(plan_error(Format::kNCHW, Format::kFRACTAL_Z, {0, 2, 1, 1}, {}), ErrorKind::kFormat);
}

TEST(FormatPlan, takes_a_grouped_weight_apart) {
    const auto plan = plan_format({.from = Format::kFRACTAL_Z,
                                   .to = Format::kNCHW,
                                   .shape = {4, 1, 16, 16},
                                   .target = {24, 8, 1, 2},
                                   .groups = 3});
    EXPECT_EQ(plan.shape, (Dims{24, 8, 1, 2}));
    EXPECT_EQ(plan.conversion.source().enlarge, 2);
    EXPECT_EQ(plan_error(Format::kFRACTAL_Z, Format::kNCHW, {2, 1, 16, 16}, {24, 8, 1, 2}, 3),
              ErrorKind::kFormat);
}

TEST(NzTarget, is_within_a_block_of_what_is_stored) {
    const auto fits = [](const Dims& target, const Dims& shape) {
        return fits_nz(target, nz_room(shape));
    };
    EXPECT_TRUE(fits({20, 18}, {2, 2, 16, 16}));
    EXPECT_TRUE(fits({32, 32}, {2, 2, 16, 16}));
    EXPECT_TRUE(fits({17, 17}, {2, 2, 16, 16}));
    EXPECT_FALSE(fits({16, 18}, {2, 2, 16, 16}));
    EXPECT_FALSE(fits({33, 18}, {2, 2, 16, 16}));
    EXPECT_FALSE(fits({2, 20, 18}, {2, 2, 16, 16}));
    EXPECT_FALSE(fits({3, 20, 18}, {2, 2, 2, 16, 16}));
    EXPECT_FALSE(fits({}, {2, 2, 16, 16}));
    EXPECT_FALSE(fits({18}, {2, 2, 16, 16}));
    EXPECT_THROW(static_cast<void>(nz_room({2, 16, 16})), Error);
}

TEST(RealFormat, is_nd_for_4d_formats_of_other_shapes) {
    EXPECT_EQ(real_format(Format::kNCHW, {2, 3}), Format::kND);
    EXPECT_EQ(real_format(Format::kNCHW, {1, 2, 3, 4}), Format::kNCHW);
    EXPECT_EQ(real_format(Format::kNC1HWC0, {2, 3}), Format::kNC1HWC0);
}

TEST(Slice, follows_the_reference_tools_rules) {
    EXPECT_EQ(plan_slice({2, 16, 3, 4}, {2, 5, 3, 4}).shape, (Dims{2, 5, 3, 4}));
    EXPECT_FALSE(plan_slice({2, 5, 3, 4}, {2, 5, 3, 4}).shape.has_value());
    EXPECT_TRUE(plan_slice({2, 16, 3, 4}, {2, 50, 3, 4}).fails);
    // After the first larger dim nothing is checked any more.
    EXPECT_EQ(plan_slice({2, 16, 3, 4}, {1, 50, 3, 4}).shape, (Dims{1, 16, 3, 4}));
    // Two dims become four.
    EXPECT_EQ(plan_slice({32, 32}, {20, 18}).shape, (Dims{20, 18, 1, 1}));
    // A target of more dims: only ones may differ.
    EXPECT_FALSE(plan_slice({2, 5, 7}, {1, 2, 5, 7}).fails);
    EXPECT_TRUE(plan_slice({2, 5, 7}, {3, 2, 5, 7}).fails);
    // All but one dim are 1: as it is.
    EXPECT_FALSE(plan_slice({6, 1, 1}, {1, 6, 1}).fails);
}

}  // namespace
}  // namespace npuscope::layout
