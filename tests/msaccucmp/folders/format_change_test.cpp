#include "msaccucmp/folders/format_change.h"

#include <numeric>

#include <gtest/gtest.h>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"

namespace npuscope::msaccucmp {
namespace {

using layout::Format;

int64_t number(Format format) {
    return static_cast<int64_t>(format);
}

RealArray counted(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(numel_of(shape)));
    std::iota(values.begin(), values.end(), 0.0f);
    return {Tensor::from<float>(shape, std::span<const float>(values)), "float32"};
}

std::vector<float> elements(const RealArray& array) {
    const auto values = array.values.as<float>();
    return {values.begin(), values.end()};
}

template <class Work>
int code_of(const Work& work) {
    try {
        static_cast<void>(work());
    } catch (const CompareFailure& failure) {
        return failure.code();
    }
    return kOk;
}

TEST(FormatChange, puts_blocks_of_channels_side_by_side) {
    // Two blocks of two channels, one pixel row of two: NC1HWC0 (1,2,1,2,2).
    const RealArray changed = change_format({.from = number(Format::kNC1HWC0),
                                             .to = number(Format::kNCHW),
                                             .from_shape = {1, 2, 1, 2, 2},
                                             .to_shape = {1, 3, 1, 2}},
                                            counted({8}));
    EXPECT_EQ(changed.shape(), (Shape{1, 4, 1, 2}));
    EXPECT_EQ(elements(changed), (std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(FormatChange, refuses_pairs_shapes_and_padding_that_do_not_fit) {
    const FormatChange none{.from = number(Format::kND),
                            .to = number(Format::kNHWC),
                            .from_shape = {4},
                            .to_shape = {4}};
    EXPECT_EQ(code_of([&] { return change_format(none, counted({4})); }), kInvalidFormat);
    const FormatChange unknown{.from = 4711, .to = 0, .from_shape = {4}, .to_shape = {4}};
    EXPECT_EQ(code_of([&] { return change_format(unknown, counted({4})); }), kInvalidFormat);
    const FormatChange few{.from = number(Format::kNC1HWC0),
                           .to = number(Format::kNCHW),
                           .from_shape = {1, 2, 1, 2, 2},
                           .to_shape = {}};
    EXPECT_EQ(code_of([&] { return change_format(few, counted({4})); }), kInvalidConvertFunction);
    const FormatChange wide{.from = number(Format::kFRACTAL_NZ),
                            .to = number(Format::kND),
                            .from_shape = {1, 1, 16, 16},
                            .to_shape = {17, 16}};
    EXPECT_EQ(code_of([&] { return change_format(wide, counted({256})); }), kInvalidNzDumpData);
    EXPECT_EQ(code_of([&] { return reshaped_checked(counted({4}), {5}); }), kInvalidDumpData);
}

TEST(FormatChange, names_only_what_the_original_tool_names) {
    EXPECT_EQ(known_format_name(29), "FRACTAL_NZ");
    EXPECT_EQ(code_of([] { return known_format_name(28); }), kInvalidFormat);
    EXPECT_EQ(format_number("NHWC"), 1);
    EXPECT_FALSE(format_number("NC").has_value());
}

TEST(Cut, keeps_the_first_elements_of_every_dim) {
    const RealArray cut = cut_to(counted({1, 3, 1, 3}), {1, 2, 1, 2});
    EXPECT_EQ(cut.shape(), (Shape{1, 2, 1, 2}));
    EXPECT_EQ(elements(cut), (std::vector<float>{0, 1, 3, 4}));
}

TEST(Cut, fills_both_shapes_with_ones_on_the_right) {
    const RealArray cut = cut_to(counted({5, 2}), {3, 2});
    EXPECT_EQ(cut.shape(), (Shape{3, 2, 1, 1}));
    EXPECT_EQ(elements(cut), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(Cut, leaves_vectors_and_equal_shapes_alone) {
    EXPECT_EQ(cut_to(counted({1, 4, 1}), {4, 1, 1}).shape(), (Shape{1, 4, 1}));
    EXPECT_EQ(cut_to(counted({2, 3}), {2, 3}).shape(), (Shape{2, 3}));
    EXPECT_EQ(cut_to(counted({6}), {1, 6}).shape(), (Shape{6}));
}

TEST(Cut, rejects_what_is_smaller) {
    EXPECT_EQ(code_of([] { return cut_to(counted({2, 3}), {3, 3}); }), kInvalidShape);
    EXPECT_EQ(code_of([] { return cut_to(counted({6}), {2, 3}); }), kInvalidShape);
}

}  // namespace
}  // namespace npuscope::msaccucmp
