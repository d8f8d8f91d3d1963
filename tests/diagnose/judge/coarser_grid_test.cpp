#include "diagnose/judge/coarser_grid.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

Tensor sines(int64_t count, float size) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i)
        values.push_back(size * std::sin(1.3F * static_cast<float>(i + 1)));
    return floats({count}, values);
}

OpRun sum_of(const Tensor& self, const Tensor& other) {
    return test::run_here("add_Tensor", {{"self", self}, {"other", other}});
}

OpRun rounded(OpRun run, DType dtype) {
    Tensor& elements = run.results.front().elements;
    elements = elements.cast(dtype).cast(elements.dtype());
    return run;
}

/// "" where it is not coarser; each element may be off by this share of itself.
std::string grid_of(const OpRun& run,
                    const NumberFormat& results = kFloat64,
                    double allowed = 0x1p-7) {
    const auto grid = coarser_grid(test::in_limit(run, results, kFloat32, allowed));
    return grid ? std::string(name_of(*grid)) : "";
}

TEST(CoarserGrid, is_that_of_fewer_bits_than_a_class_leaves) {
    const OpRun run = sum_of(sines(12, 1), sines(12, 3));
    EXPECT_EQ(grid_of(run), "");
    EXPECT_EQ(grid_of(rounded(run, DType::kFloat16)), "float16");
    EXPECT_EQ(grid_of(rounded(run, DType::kBFloat16)), "bfloat16");
    // A class whose results are in float16 has it all the same.
    EXPECT_EQ(grid_of(rounded(run, DType::kFloat16), kFloat16), "");
    EXPECT_EQ(grid_of(rounded(run, DType::kBFloat16), kFloat16), "bfloat16");
}

// A number of float16 is one of bfloat16 by a chance of 1 to 8, one of float32 by 1 to 65536.
TEST(CoarserGrid, needs_more_numbers_the_fewer_bits_are_lost) {
    const OpRun ten = sum_of(sines(10, 1), sines(10, 3));
    EXPECT_EQ(grid_of(rounded(ten, DType::kBFloat16), kFloat16), "bfloat16");
    const OpRun six = sum_of(sines(6, 1), sines(6, 3));
    EXPECT_EQ(grid_of(rounded(six, DType::kBFloat16), kFloat16), "");
    EXPECT_EQ(grid_of(rounded(six, DType::kBFloat16)), "bfloat16");
    const OpRun two = sum_of(sines(2, 1), sines(2, 3));
    EXPECT_EQ(grid_of(rounded(two, DType::kBFloat16)), "");
    // The same number time and again is one.
    const OpRun same =
        sum_of(floats(std::vector<float>(64, 0.1F)), floats(std::vector<float>(64, 0.2F)));
    EXPECT_EQ(grid_of(rounded(same, DType::kBFloat16)), "");
}

// What is of the grid by its mathematics tells nothing.
TEST(CoarserGrid, is_none_of_numbers_that_are_exact) {
    std::vector<float> halves;
    for (int i = 1; i < 40; ++i)
        halves.push_back(0.5F * static_cast<float>(i));
    EXPECT_EQ(grid_of(sum_of(floats(halves), floats(halves))), "");
}

// 1 + x - 1 of small x leaves the few bits of x that float32 keeps beside 1, wherever it is
// computed.
TEST(CoarserGrid, is_none_of_sums_that_cancel) {
    std::vector<float> terms;
    for (int i = 0; i < 16; ++i)
        for (const float term : {1.0F, 3e-6F * std::sin(1.3F * static_cast<float>(i + 1)), -1.0F})
            terms.push_back(term);
    const OpRun run =
        test::run_here("sum_dim_IntList",
                       {{"self", floats({16, 3}, terms)}, {"dim", IntList{1}}, {"keepdim", false}});
    EXPECT_EQ(grid_of(run, kFloat64, 0.05), "");
}

TEST(CoarserGrid, is_told_with_its_name) {
    const OpRun run = rounded(sum_of(sines(12, 1), sines(12, 3)), DType::kBFloat16);
    const compare::Introduced error =
        coarser_error(test::in_limit(run, kFloat64, kFloat32, 0, 1), DType::kBFloat16);
    EXPECT_EQ(error.told,
              "rounded to bfloat16: all elements are numbers of that, as of no other such result");
    EXPECT_EQ(error.ratio, 0x1p16);
}

}  // namespace
}  // namespace npuscope::diagnose
