#include "diagnose/judge/vector_error.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "diagnose/judge/hidden_terms.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;
using test::recorded_run;

double step_ratio(const OpRun& run, std::string_view name) {
    const auto classes = vector_classes();
    const auto row =
        std::ranges::find_if(classes, [&](const VectorClass& each) { return each.name == name; });
    return VectorError(run).ratio(*row).value();
}

TEST(VectorError, takes_a_rounding_and_no_more) {
    const auto sum = [](float result) {
        return recorded_run(
            "add_Tensor", {{"self", floats({1})}, {"other", floats({2})}}, floats({result}));
    };
    EXPECT_EQ(step_ratio(sum(3), "fp32"), 0);
    EXPECT_LT(step_ratio(sum(3 + 0x1p-22F), "fp32"), 1);
    EXPECT_GT(step_ratio(sum(3 + 0x1p-17F), "fp32"), 1);
    EXPECT_LT(step_ratio(sum(3 + 0x1p-10F), "fp16 throughout"), 1);
    EXPECT_GT(step_ratio(sum(3 + 0x1p-3F), "fp16 throughout"), 1);
}

// x - y of near numbers: an error of u |x| is honest in neither; of the inputs' own rounding it is
// not made here.
TEST(VectorError, knows_conditioning) {
    const auto softmax = [](float first) {
        return recorded_run(
            "_softmax",
            {{"self", floats({1, 2}, {100, 100})}, {"dim", int64_t{1}}, {"half_to_float", false}},
            floats({1, 2}, {first, 1 - first}));
    };
    // A disturbance of 100 by 2^-24 moves p = 1/2 by about 100 2^-24 / 4.
    EXPECT_LT(step_ratio(softmax(0.5F + 100 * 0x1p-26F), "fp32"), 1);
    EXPECT_GT(step_ratio(softmax(0.5F + 100 * 0x1p-18F), "fp32"), 1);
}

// gelu(-4) = -4 Phi(-4) = -1.2668e-4 (NIST DLMF 7.18, Q(4) = 3.1671e-5). 1 + erf(x) in float32
// steps is off by units of 1, so of -4 2^-24: 2e-3 of the result.
TEST(VectorError, knows_terms_that_cancel_inside) {
    const auto gelu = [](float result) {
        return recorded_run("gelu", {{"self", floats({-4})}}, floats({result}));
    };
    EXPECT_LT(step_ratio(gelu(-1.2668497e-4F), "fp32"), 1);
    EXPECT_LT(step_ratio(gelu(-1.2668497e-4F - 4 * 0x1p-24F), "fp32"), 1);
    EXPECT_GT(step_ratio(gelu(-1.27e-4F - 1e-5F), "fp32"), 1);
}

// Each step in float16 may lose what is below half of its smallest number, 2^-24.
// erf(0.01) = 0.011283415556 (Abramowitz & Stegun, table 7.1); their 7.1.26, which is off by
// 1.5e-7 at most, is 1 minus a number near 1.
TEST(VectorError, knows_that_erf_may_be_one_less_a_polynomial) {
    const auto erf = [](float result) {
        return recorded_run("erf", {{"self", floats({0.01F})}}, floats({result}));
    };
    EXPECT_LT(step_ratio(erf(0.011283415556F), "fp32"), 1);
    EXPECT_LT(step_ratio(erf(0.011283415556F + 2.1e-7F), "fp32"), 1);
    EXPECT_GT(step_ratio(erf(0.011283415556F + 1e-5F), "fp32"), 1);
}

TEST(VectorError, lets_steps_lose_the_smallest_numbers) {
    const auto silu = [](float result) {
        return recorded_run("silu", {{"self", floats({0x1p-20F})}}, floats({result}));
    };
    // silu(x) = x / 2 for x near 0.
    EXPECT_LT(step_ratio(silu(0x1p-21F - 3 * 0x1p-24F), "fp16 throughout"), 1);
    EXPECT_GT(step_ratio(silu(0x1p-21F + 0x1p-18F), "fp16 throughout"), 1);
}

// (10.01, 9.99) has the variance 1e-4, which the mean square 100.0001 less 100 gives but for units
// of 100: 2^-24 100 / 1e-4 / 2 = 0.03 of the result, +1 and -1.
// 1 - 0.9999999 is exact in float32 (Sterbenz). A factor that is no 1 is one more product, which is
// rounded before the terms cancel, and 0.1 is no float32.
TEST(VectorError, lets_no_terms_cancel_before_the_one_rounding_of_recorded_numbers) {
    const float near = 1 - 0x1p-23F;
    const auto difference = [&](Scalar alpha, float result) {
        return recorded_run("add_Tensor",
                            {{"self", floats({1})}, {"other", floats({-near})}, {"alpha", alpha}},
                            floats({result}));
    };
    const float off = 0x1p-23F + 0x1p-30F;
    EXPECT_EQ(step_ratio(difference(Scalar{int64_t{1}}, 0x1p-23F), "fp32"), 0);
    EXPECT_GT(step_ratio(difference(Scalar{int64_t{1}}, off), "fp32"), 1);
    // In steps of float16 the operands themselves were others.
    EXPECT_LT(step_ratio(difference(Scalar{int64_t{1}}, off), "fp16 throughout"), 1);
    const float factor = 1 + 0x1p-12F;
    const auto product = static_cast<double>(factor) * near;
    EXPECT_LT(
        step_ratio(difference(Scalar{double{factor}}, static_cast<float>(1 - product) + 0x1p-24F),
                   "fp32"),
        1);
    const auto scalar = [](float result) {
        return recorded_run(
            "add_Scalar", {{"self", floats({-0.1F})}, {"other", Scalar{0.1}}}, floats({result}));
    };
    EXPECT_LT(step_ratio(scalar(0), "fp32"), 1);
}

// e^11.2 = 73 130 is more than float16's 65 504: 1 / (1 + e^11.2) = 1.3674e-5, which float16 would
// hold, is 0, or 1 / 65 505 = 1.5266e-5 where steps saturate, however small it should be.
TEST(VectorError, lets_what_leaves_the_range_of_steps_become_zero_or_saturate) {
    const auto sigmoid = [](float x, float result) {
        return recorded_run("sigmoid", {{"self", floats({x})}}, floats({result}));
    };
    EXPECT_LE(step_ratio(sigmoid(-11.2F, 0), "fp16 throughout"), 1);
    EXPECT_GT(step_ratio(sigmoid(-11, 0), "fp16 throughout"), 1);
    EXPECT_GT(step_ratio(sigmoid(-11.2F, 0), "fp32"), 1);
    EXPECT_GT(step_ratio(sigmoid(-11.2F, 4e-5F), "fp16 throughout"), 1);
    EXPECT_LE(step_ratio(sigmoid(-18.7F, 1.5318e-5F), "fp16 throughout"), 1);
    EXPECT_GT(step_ratio(sigmoid(-18.7F, 4e-5F), "fp16 throughout"), 1);
    const auto classes = vector_classes();
    const auto row = std::ranges::find(classes, "fp16 throughout", &VectorClass::name);
    const OpRun run = sigmoid(-11.2F, 0);
    EXPECT_LE(VectorError(run).judge(*row, run.results.front(), false, {.share = 0.1})->ratio, 1);
}

TEST(VectorError, lets_a_variance_be_taken_in_one_pass) {
    const auto norm = [](float of) {
        return recorded_run("native_layer_norm",
                            {{"input", floats({1, 2}, {10.01F, 9.99F})},
                             {"normalized_shape", IntList{2}},
                             {"eps", 0.0}},
                            floats({1, 2}, {of, -of}),
                            "result0");
    };
    EXPECT_LT(step_ratio(norm(1.0F), "fp32"), 1);
    EXPECT_LT(step_ratio(norm(1.06F), "fp32"), 1);
    EXPECT_GT(step_ratio(norm(1.6F), "fp32"), 1);
}

// The gradient of a weight by a kernel that takes sum(g x) - mean sum(g): PyTorch's of group norms.
TEST(VectorError, lets_a_norms_gradient_be_taken_apart) {
    const auto norm = [](float of) {
        return recorded_run("native_layer_norm_backward",
                            {{"grad_out", floats({2, 2}, {1, 1, 1, 1})},
                             {"input", floats({2, 2}, {100.01F, 99.99F, 100.01F, 99.99F})},
                             {"normalized_shape", IntList{2}},
                             {"mean", floats({2, 1}, {100, 100})},
                             {"rstd", floats({2, 1}, {100, 100})},
                             {"weight", floats({2}, {1, 1})},
                             {"bias", floats({2}, {0, 0})},
                             {"output_mask", BoolMask{{true, true, true}}}},
                            floats({2}, {of, -of}),
                            "result1");
    };
    // 2 (100.01 - 100) 100, as float32 has 100.01; half a unit in each product is 2^-24 10^4.
    EXPECT_LT(step_ratio(norm(2.0004F + 0.002F), "fp32"), 1);
    EXPECT_GT(step_ratio(norm(2.1F), "fp32"), 1);
}

// At 3 the slope jumps from 1.5 to 1.
TEST(VectorError, takes_either_side_of_a_jump) {
    const auto slopes = [](float of) {
        const auto all = [](float value) {
            return floats(std::vector<float>(size_t{1} << 15U, value));
        };
        return recorded_run(
            "hardswish_backward", {{"grad_output", all(0.7F)}, {"self", all(3)}}, all(of));
    };
    EXPECT_LE(step_ratio(slopes(0.7F), "fp32"), 1);
    EXPECT_LE(step_ratio(slopes(0.7F * 1.5F), "fp32"), 1);
    EXPECT_GT(step_ratio(slopes(7), "fp32"), 1);
}

TEST(VectorError, lets_a_long_sum_walk) {
    const std::vector<float> ones(10000, 1.0F);
    const auto sum = [&](float result) {
        return recorded_run("sum", {{"self", floats(ones)}}, floats(Shape{}, {result}));
    };
    // 2^-24 4 sqrt(10^4) 10^4 = 0.24.
    EXPECT_LT(step_ratio(sum(10000.1F), "fp32"), 1);
    EXPECT_GT(step_ratio(sum(10001), "fp32"), 1);
}

TEST(VectorError, lets_a_long_running_sum_walk) {
    const auto sums = [](float last) {
        std::vector<float> all;
        for (int i = 1; i < 10000; ++i)
            all.push_back(static_cast<float>(i));
        all.push_back(last);
        return recorded_run(
            "cumsum",
            {{"self", floats(std::vector<float>(10000, 1.0F))}, {"dim", int64_t{0}}},
            floats(std::move(all)));
    };
    EXPECT_LT(step_ratio(sums(10000.1F), "fp32"), 1);
    EXPECT_GT(step_ratio(sums(10001), "fp32"), 1);
}

// Half of what the sum of squares may be off: PyTorch's own float32 norm of 19200 numbers is off by
// 1.4e-6, 12 units of the last place.
// 8 rows of 40 columns, the last a thousandth of the others: what is little beside their sums is
// much beside its own.
TEST(VectorError, holds_a_sum_to_what_it_adds_up_and_not_to_its_neighbours) {
    constexpr int kRows = 8;
    constexpr int kColumns = 40;
    std::vector<float> terms;
    std::vector<float> sums(kColumns);
    double magnitudes = 0;  // of the last column
    for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < kColumns; ++column) {
            const float scale = column == kColumns - 1 ? 1e-3F : 1.0F;
            terms.push_back(scale * std::sin(static_cast<float>(3 * row + 7 * column + 1)));
            sums[static_cast<size_t>(column)] += terms.back();
            if (column == kColumns - 1) magnitudes += std::abs(terms.back());
        }
    const auto times_off = [&](int column) {
        std::vector<float> results = sums;
        results[static_cast<size_t>(column)] += static_cast<float>(12 * 0x1p-24 * magnitudes);
        const OpRun run = recorded_run("sum_dim_IntList",
                                       {{"self", floats({kRows, kColumns}, terms)},
                                        {"dim", std::vector<int64_t>{0}},
                                        {"keepdim", false}},
                                       floats({kColumns}, std::move(results)));
        const auto classes = vector_classes();
        const auto by = std::ranges::find(classes, "fp32", &VectorClass::name);
        return VectorError(run).closeness(*by, run.results[0], HonestRuns::kChips, 0)->times();
    };
    EXPECT_LT(times_off(0), 2);
    EXPECT_GT(times_off(kColumns - 1), 4);
}

TEST(VectorError, lets_a_long_norm_walk) {
    const std::vector<float> ones(10000, 1.0F);
    const auto norm = [&](float result) {
        return recorded_run("norm_ScalarOpt_dim",
                            {{"self", floats(ones)}, {"p", 2.0}, {"dim", IntList{}}},
                            floats(Shape{}, {result}));
    };
    EXPECT_LT(step_ratio(norm(100 * (1 + 1.4e-6F)), "fp32"), 1);
    EXPECT_GT(step_ratio(norm(100.1F), "fp32"), 1);
}

// The larger of two rounded numbers is one of them, however large the others are.
TEST(VectorError, lets_a_choice_be_off_by_the_rounding_of_what_was_chosen) {
    const auto pooled = [](float small) {
        return recorded_run("max_pool2d_with_indices",
                            {{"self", floats({1, 1, 1, 4}, {1000, 999, 0.001F, 0})},
                             {"kernel_size", IntList{1, 2}},
                             {"stride", IntList{1, 2}}},
                            floats({1, 1, 1, 2}, {1000, small}),
                            "result0");
    };
    EXPECT_LT(step_ratio(pooled(0.0010004F), "fp16 throughout"), 1);
    EXPECT_GT(step_ratio(pooled(0.0011F), "fp16 throughout"), 1);
}

TEST(VectorError, holds_nan_and_infinity_against_what_they_should_be) {
    const auto logarithm = [](float x, float y) {
        return recorded_run("log", {{"self", floats({x})}}, floats({y}));
    };
    EXPECT_EQ(step_ratio(logarithm(-1, NAN), "fp32"), 0);
    EXPECT_EQ(step_ratio(logarithm(0, -INFINITY), "fp32"), 0);
    EXPECT_TRUE(std::isinf(step_ratio(logarithm(2, NAN), "fp32")));
    EXPECT_TRUE(std::isinf(step_ratio(logarithm(0, -88), "fp32")));
}

TEST(VectorError, takes_other_places_of_equal_elements_for_ties) {
    const auto places = [](const std::vector<float>& x, int64_t place) {
        return recorded_run(
            "argmax", {{"self", floats(x)}, {"dim", int64_t{0}}}, Tensor::scalar<int64_t>(place));
    };
    EXPECT_EQ(step_ratio(places({1, 3, 3}, 2), "fp32"), 0);
    EXPECT_EQ(step_ratio(places({1, 3, 3}, 1), "fp32"), 0);
    EXPECT_TRUE(std::isinf(step_ratio(places({1, 3, 3}, 0), "fp32")));
    EXPECT_TRUE(std::isinf(step_ratio(places({1, 3, 3}, 7), "fp32")));
}

// Row [ln 1/4, ln 3/4], g = [1, -1]: |g| + p (|1| + |-1|).
TEST(HiddenTerms, of_a_softmax_gradient_add_magnitudes) {
    const OpRun run = recorded_run("_log_softmax_backward_data",
                                   {{"grad_output", floats({1, 2}, {1, -1})},
                                    {"output", floats({1, 2}, {std::log(0.25F), std::log(0.75F)})},
                                    {"dim", int64_t{1}},
                                    {"input_dtype", DType::kFloat32}},
                                   floats({1, 2}, {1, -1}));
    const auto terms = hidden_terms(run, run.results.front());
    ASSERT_EQ(terms.size(), 2U);
    EXPECT_NEAR(terms[0], 1.5, 1e-6);
    EXPECT_NEAR(terms[1], 2.5, 1e-6);
}

}  // namespace
}  // namespace npuscope::diagnose
