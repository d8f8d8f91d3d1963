#include "diagnose/judge/misfit.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

constexpr int64_t kRows = 16;
constexpr int64_t kWidth = 32;

Tensor waves(float size) {
    std::vector<float> x;
    for (int i = 0; i < kRows * kWidth; ++i)
        x.push_back(size * std::sin(1.7F * static_cast<float>(i * i % 977)));
    return floats({kRows, kWidth}, x);
}

/// A layer norm of numbers about 0.05 with this eps.
OpRun norm(double eps) {
    std::vector<float> ones(kWidth, 1);
    std::vector<float> zeros(kWidth, 0);
    OpRun run = test::run_here("native_layer_norm",
                               {{"input", waves(0.05F)},
                                {"normalized_shape", IntList{kWidth}},
                                {"weight", floats(ones)},
                                {"bias", floats(zeros)},
                                {"eps", eps}});
    run.results.front().name = "result0";
    return run;
}

/// What is said of the run's result, when 2^-9 of its size is allowed.
std::string told(const OpRun& run, const NumberFormat& steps = kFloat32) {
    const auto found = misfit_error(test::in_limit(run, kFloat64, steps, 0x1p-9, 0x1p-20));
    if (!found) return "";
    EXPECT_GT(found->ratio, 1);
    return found->told;
}

OpRun scaled(OpRun run, float factor) {
    for (float& each : run.results.front().elements.mutable_as<float>())
        each *= factor;
    return run;
}

TEST(Misfit, is_another_number_than_the_recorded_one) {
    EXPECT_EQ(told(norm(1e-5)), "");
    OpRun run = norm(1e-5);
    run.results = norm(1.2e-5).results;
    EXPECT_EQ(told(run), "computed as if eps were 1.2e-05, not 1e-05");
}

TEST(Misfit, is_nothing_that_is_too_small_for_a_normal_number) {
    OpRun run = test::run_here("div_Tensor", {{"self", waves(3e-36F)}, {"other", 4800.0}});
    ASSERT_EQ(told(run), "");
    for (float& each : run.results.front().elements.mutable_as<float>())
        each = 0;
    EXPECT_EQ(told(run), "");
}

TEST(Misfit, is_a_factor_of_all_elements) {
    EXPECT_EQ(told(scaled(norm(1e-5), 1 - 0x1p-14F)),
              "all elements are 1 - 6.1e-05 times what they should be");
    // A statistic that is off by a unit.
    EXPECT_EQ(told(scaled(norm(1e-5), 1 + 0x1p-23F)), "");
}

OpRun sum(double alpha, double used) {
    const NamedValues recorded = {
        {"self", waves(1)}, {"other", waves(3)}, {"alpha", Scalar{alpha}}};
    NamedValues changed = recorded;
    changed.back().value = Scalar{used};
    OpRun run = test::run_here("add_Tensor", changed);
    run.arguments = recorded;
    run.wide = widened(recorded);
    return run;
}

// Chips in 16 bits round what they are given: 0.1 is 0.0999756 in float16, 0.1001 in bfloat16.
TEST(Misfit, is_no_number_that_was_rounded) {
    EXPECT_EQ(told(sum(0.1, 0.0999756), kFloat16), "");
    EXPECT_NE(told(sum(0.1, 0.0999756), kFloat32), "");
}

// Half a unit of float16 is 0.00049: nobody multiplies by 1, nor rounds it.
TEST(Misfit, is_a_number_that_multiplies_and_that_all_formats_hold) {
    EXPECT_EQ(told(sum(1, 1.0015), kFloat16), "computed as if alpha were 1.002, not 1");
    EXPECT_EQ(told(sum(1.1, 1.1015), kFloat16), "");
}

/// A layer norm of rows whose sizes differ.
OpRun norm_of_rows(double eps) {
    Tensor rows = waves(0.02F);
    for (int i = 0; i < kRows * kWidth; ++i)
        rows.mutable_as<float>()[static_cast<size_t>(i)] *=
            1 + 0.3F * static_cast<float>(i / static_cast<int>(kWidth));
    OpRun run = norm(eps);
    run.arguments.front().value = rows;
    OpRun other = test::run_here("native_layer_norm", run.arguments);
    other.results.front().name = "result0";
    return other;
}

// Libraries' reciprocal roots are some units off, all of them alike; an eps is off most where a row
// is small.
TEST(Misfit, is_a_number_by_which_errors_go_where_they_go_by_no_factor) {
    EXPECT_EQ(told(norm_of_rows(1e-5)), "");
    OpRun run = norm_of_rows(1e-5);
    run.results = norm_of_rows(1.0003e-5).results;
    EXPECT_TRUE(told(run).starts_with("computed as if eps were 1.0003e-05, not 1e-05"))
        << told(run);
    EXPECT_EQ(told(scaled(norm_of_rows(1e-5), 1 + 0x1p-22F)), "");
}

// Nothing multiplies all elements of a sum.
TEST(Misfit, is_a_small_factor_of_a_sum) {
    const Tensor few_bits = waves(1).cast(DType::kBFloat16).cast(DType::kFloat32);
    const OpRun sums = test::run_here(
        "sum_dim_IntList", {{"self", few_bits}, {"dim", IntList{0}}, {"keepdim", false}});
    EXPECT_EQ(told(sums), "");
    EXPECT_NE(told(scaled(sums, 1 + 0x1p-22F)), "");
    const OpRun quotients = test::run_here("div_Tensor", {{"self", waves(1)}, {"other", 160.0}});
    EXPECT_EQ(told(scaled(quotients, 1 + 0x1p-22F)), "");
    EXPECT_NE(told(scaled(quotients, 1 + 0x1p-21F)), "");
}

/// Of addmm, whose alpha is recorded as the integer 1. No terms cancel.
OpRun product(double used) {
    const auto positive = [](Tensor tensor) {
        for (float& each : tensor.mutable_as<float>())
            each += 1;
        return tensor;
    };
    std::vector<float> bias;
    for (int i = 0; i < kRows; ++i)
        bias.push_back(static_cast<float>(i));
    NamedValues arguments = {{"self", floats(bias)},
                             {"mat1", positive(waves(0.5F))},
                             {"mat2", positive(waves(0.5F)).reshaped({kWidth, kRows})},
                             {"beta", Scalar{int64_t{1}}},
                             {"alpha", Scalar{used}}};
    OpRun run = test::run_here("addmm", arguments);
    arguments.back().value = Scalar{int64_t{1}};
    run.arguments = arguments;
    run.wide = widened(arguments);
    return run;
}

// Programs write 1 as an integer.
TEST(Misfit, is_another_number_than_a_recorded_integer) {
    EXPECT_EQ(told(product(1.001)), "computed as if alpha were 1.001, not 1");
    EXPECT_EQ(told(product(1)), "");
}

// A unit of bfloat16 is 2^-8: what is off by less, and by nothing but one rounding beside it, is
// off by more than products have in common, but not by more than a sum whose number was rounded.
TEST(Misfit, may_be_less_than_a_unit_of_the_result_where_one_rounding_is_left) {
    const auto in_bfloat16 = [](OpRun run) {
        Tensor& elements = run.results.front().elements;
        elements = elements.cast(DType::kBFloat16);
        return run;
    };
    EXPECT_EQ(told(in_bfloat16(product(1.004))), "computed as if alpha were 1.004, not 1");
    EXPECT_EQ(told(in_bfloat16(sum(1.1, 1.104))), "");
}

// What is left of gradients that cancel is less than rounding makes of them: nothing is right too.
TEST(Misfit, is_no_result_that_is_lost_in_what_cancels) {
    const auto left_of = [](float more) {
        const std::vector<float> alike(32, 0.03125F * (1 + more));
        return scaled(test::run_here("_softmax_backward_data",
                                     {{"grad_output", floats(std::vector<float>(32, 1))},
                                      {"output", floats(alike)},
                                      {"dim", int64_t{0}},
                                      {"input_dtype", DType::kFloat32}}),
                      0);
    };
    EXPECT_EQ(told(left_of(0x1p-22F)), "");
    EXPECT_NE(told(left_of(0x1p-10F)), "");
}

// Matrix units of GPUs round sums toward zero.
TEST(Misfit, is_no_sum_that_is_cut_off) {
    const auto row_sums = [](float factor) {
        const Tensor a = floats({1, 512}, std::vector<float>(512, 1));
        std::vector<float> b;
        for (int i = 0; i < 512 * 32; ++i)
            b.push_back(1 + 0.5F * std::sin(static_cast<float>(i)));
        return scaled(test::run_here("mm", {{"self", a}, {"mat2", floats({512, 32}, b)}}), factor);
    };
    EXPECT_EQ(told(row_sums(1 - 0x1p-18F)), "");
    EXPECT_NE(told(row_sums(1 - 0x1p-14F)), "");
}

}  // namespace
}  // namespace npuscope::diagnose
