#include <gtest/gtest.h>

#include "tests/compare/standards/scored.h"

namespace npuscope::compare {
namespace {

const Tensor kExact = numbers(DType::kFloat64, {1, 2, 4});
// Off by 0.01, 0 and 0; and by 0.002, 0 and 0.
const Tensor kFar = numbers(DType::kFloat64, {1.01, 2, 4});
const Tensor kNear = numbers(DType::kFloat64, {1.002, 2, 4});

TEST(CannCommercial, divides_by_the_third_chips_errors) {
    const StandardVerdict verdict = scored("cann-L1", kFar, kExact, {kNear});
    EXPECT_NEAR(figure(verdict, "mare"), 0.01 / (1 + 1e-7), 1e-15);
    EXPECT_NEAR(figure(verdict, "mere"), 0.01 / (1 + 1e-7) / 3, 1e-15);
    EXPECT_NEAR(figure(verdict, "rmse"), 0.01 / std::sqrt(3), 1e-15);
    EXPECT_NEAR(figure(verdict, "mare_ratio"), 5, 1e-9);
    EXPECT_EQ(verdict.word, "fail");
    EXPECT_EQ(verdict.level, StandardLevel::kFail);
}

TEST(CannCommercial, has_three_levels) {
    const Tensor far = numbers(DType::kFloat64, {1.0028, 2, 4});
    EXPECT_EQ(scored("cann-L0", far, kExact, {kNear}).word, "pass");
    EXPECT_EQ(scored("cann-L1", far, kExact, {kNear}).word, "pass");
    EXPECT_EQ(scored("cann-L2", far, kExact, {kNear}).word, "fail");
}

TEST(CannCommercial, equals_a_third_chip_without_error_only_where_it_has_none_itself) {
    EXPECT_EQ(scored("cann-L2", kExact, kExact, {kExact}).word, "pass");
    const StandardVerdict verdict = scored("cann-L0", kNear, kExact, {kExact});
    EXPECT_EQ(verdict.word, "fail");
    EXPECT_EQ(figure(verdict, "mare_ratio"), kInfinite);
}

TEST(CannCommercial, counts_small_values_that_are_wrong) {
    // Below 2^-14, and off by more than 2^-30: three times, where the third chip is once.
    const Tensor exact = numbers(DType::kFloat32, {1e-6, 2e-6, 3e-6, 1});
    const Tensor third = numbers(DType::kFloat32, {1.1e-6, 2e-6, 3e-6, 1});
    const Tensor thrice = numbers(DType::kFloat32, {1.05e-6, 2.05e-6, 3.05e-6, 1});
    const Tensor twice = numbers(DType::kFloat32, {1.05e-6, 2.05e-6, 3e-6, 1});
    const StandardVerdict verdict = scored("cann-L0", thrice, exact, {third});
    EXPECT_EQ(figure(verdict, "small_wrong"), 3);
    EXPECT_EQ(figure(verdict, "small_wrong_third"), 1);
    EXPECT_EQ(verdict.word, "fail");
    EXPECT_EQ(scored("cann-L0", twice, exact, {third}).word, "pass");
}

TEST(CannCommercial, leaves_infinities_out_but_wants_nan_on_both_sides) {
    const Tensor exact = numbers(DType::kFloat32, {kInfinite, 2});
    const Tensor wrong = numbers(DType::kFloat32, {1, 2});
    const Tensor nan = numbers(DType::kFloat32, {kNotANumber, 2});
    EXPECT_EQ(scored("cann-L2", wrong, exact, {exact}).word, "pass");
    EXPECT_EQ(scored("cann-L2", nan, exact, {exact}).word, "fail");
    EXPECT_EQ(scored("cann-L2", nan, nan, {exact}).word, "pass");
}

TEST(CannCommercial, holds_infinities_to_the_golden_or_the_third_where_the_chip_has_them) {
    const Tensor exact = numbers(DType::kFloat32, {kInfinite, 2});
    const Tensor one = numbers(DType::kFloat32, {1, 2});
    const Tensor minus = numbers(DType::kFloat32, {-kInfinite, 2});
    EXPECT_EQ(scored("cann-L2", one, exact, {exact}, true).word, "fail");
    EXPECT_EQ(scored("cann-L2", exact, exact, {one}, true).word, "pass");
    // Three values: nobody knows.
    const StandardVerdict unclear = scored("cann-L2", minus, exact, {one}, true);
    EXPECT_EQ(unclear.word, "needs check");
    EXPECT_EQ(unclear.level, StandardLevel::kWarning);
    // Infinite where the golden is not: as the third chip, or wrong.
    EXPECT_EQ(scored("cann-L2", exact, one, {exact}, true).word, "pass");
    EXPECT_EQ(scored("cann-L2", exact, one, {one}, true).word, "fail");
}

TEST(CannCommercial, wants_whole_numbers_equal) {
    const Tensor whole = numbers(DType::kInt32, {1, 2, 3});
    EXPECT_EQ(scored("cann-L0", whole, whole, {whole}).word, "pass");
    EXPECT_EQ(scored("cann-L0", numbers(DType::kInt32, {1, 2, 4}), whole, {whole}).word, "fail");
}

TEST(CannCommercial, quantised_numbers_may_be_off_by_one) {
    const Tensor in = numbers(DType::kFloat32, {0.4, 1.6});
    const auto quantised = [&](double last) {
        Options options;
        options.standard.standard = &standard_named("cann-L1");
        const auto source = [&](double value) {
            return hand_made(
                {{"quantize", {{"self", in}}, {{"result", numbers(DType::kInt8, {0, value})}}}});
        };
        return compare_sources(source(last), source(2), PrecisionBounds(), options)
            .ops.at(0)
            .standard.word;
    };
    EXPECT_EQ(quantised(3), "pass");
    EXPECT_EQ(quantised(4), "fail");
}

TEST(CannCommercial, judges_nothing_without_a_reference_or_a_third_chip) {
    // The golden is the third chip then, and nothing is left to be the reference.
    const StandardVerdict verdict = scored("cann-L0", kNear, kExact);
    EXPECT_EQ(verdict.level, StandardLevel::kNotJudged);
    EXPECT_NE(verdict.why.find("no fp64 reference"), std::string::npos) << verdict.why;
}

}  // namespace
}  // namespace npuscope::compare
