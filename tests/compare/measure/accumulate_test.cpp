#include "compare/measure/accumulate.h"

#include <cmath>
#include <cstring>
#include <hwy/targets.h>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/values.h"

namespace npuscope::compare {
namespace {

using test::floats;
using test::kInf;
using test::kNan;

TEST(Accumulate, gives_the_same_bits_for_one_and_three_threads) {
    std::vector<float> t(100000);
    std::vector<float> g(100000);
    for (size_t i = 0; i < t.size(); ++i) {
        g[i] = static_cast<float>(std::sin(static_cast<double>(i)) * 100);
        t[i] = g[i] * 1.001f + 1e-3f;
    }
    t[77777] = kNan;
    const Sums one = accumulate(floats(t), floats(g), true, 1);
    const Sums three = accumulate(floats(t), floats(g), true, 3);
    static_assert(std::is_trivially_copyable_v<Sums>);
    EXPECT_EQ(std::memcmp(&one, &three, sizeof one), 0);
    EXPECT_EQ(one.first_nonfinite, 77777);
}

TEST(Accumulate, gives_the_same_bits_for_every_instruction_set) {
    std::vector<float> t(40011);
    std::vector<float> g(40011);
    for (size_t i = 0; i < t.size(); ++i) {
        g[i] = static_cast<float>(std::sin(static_cast<double>(i)) * 100);
        t[i] = g[i] * 1.001f + 1e-3f;
    }
    const Sums expected = accumulate(floats(t), floats(g), true, 1);
    int compared = 0;
    for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
        hwy::SetSupportedTargetsForTest(rest & -rest);
        const Sums sums = accumulate(floats(t), floats(g), true, 1);
        EXPECT_EQ(std::memcmp(&sums, &expected, sizeof sums), 0) << hwy::TargetName(rest & -rest);
        ++compared;
    }
    hwy::SetSupportedTargetsForTest(0);
    EXPECT_GE(compared, 2);
}

/// The vector code against double arithmetic element by element, over lengths around its steps and
/// with an odd element at each place of a step.
TEST(Accumulate, finds_every_element_of_a_step) {
    for (size_t size = 1; size < 70; ++size) {
        for (const size_t at : {size_t{0}, size / 2, size - 1}) {
            std::vector<float> g(size, 2.0f);
            std::vector<float> t(size, 2.0f);
            t[at] = -6.0f;
            const Sums sums = accumulate(floats(t), floats(g), true, 1);
            EXPECT_EQ(sums.max_d, 8) << size;
            EXPECT_EQ(sums.max_d_at, static_cast<int64_t>(at));
            EXPECT_EQ(sums.max_rel, 4);
            EXPECT_EQ(sums.min_t, -6);
            EXPECT_EQ(sums.max_abs_t, 6);
            EXPECT_EQ(sums.unequal, 1);
            EXPECT_EQ(sums.within_1e3, static_cast<int64_t>(size) - 1);
            EXPECT_EQ(sums.max_ulp, 0x40000000u + 0x40c00000u);
            EXPECT_EQ(sums.tt, 4.0 * static_cast<double>(size - 1) + 36);
            EXPECT_EQ(sums.tg, 4.0 * static_cast<double>(size - 1) - 12);
            EXPECT_EQ(sums.dd, 64);
        }
    }
}

TEST(Accumulate, keeps_the_deviation_of_values_far_from_zero) {
    std::vector<float> t(5000);
    for (size_t i = 0; i < t.size(); ++i)
        t[i] = 1e6f + static_cast<float>(i % 2);
    const Sums sums = accumulate(floats(t), floats(t), false, 1);
    EXPECT_NEAR(sums.t.deviation(), 0.5, 1e-9);
}

TEST(Accumulate, sums_pairs_of_finite_elements_only) {
    const Sums sums = accumulate(floats({1, kNan, kInf, 4, kInf, -kInf, 7}),
                                 floats({1, kNan, kInf, kNan, -kInf, 6, 8}),
                                 true,
                                 1);
    EXPECT_EQ(sums.numel, 7);
    EXPECT_EQ(sums.pairs, 2);
    EXPECT_EQ(sums.target_nan, 1);
    EXPECT_EQ(sums.golden_nan, 2);
    EXPECT_EQ(sums.target_inf, 3);
    EXPECT_EQ(sums.golden_inf, 2);
    EXPECT_EQ(sums.nonfinite_differs, 3);
    EXPECT_EQ(sums.first_nonfinite, 3);
    EXPECT_EQ(sums.max_d, 1);
    EXPECT_EQ(sums.max_d_at, 6);
}

TEST(Accumulate, rounds_the_golden_to_the_targets_dtype) {
    const Tensor target = Tensor::from<Float16>({2}, {to_float16(1.0f), to_float16(0.1f)});
    const Tensor golden = Tensor::from<float>({2}, {1.0001f, 0.1f});
    const Sums sums = accumulate(target, golden, false, 1);
    EXPECT_EQ(sums.max_d, 0);
    EXPECT_EQ(sums.unequal, 0);
}

TEST(Accumulate, counts_golden_values_beyond_the_targets_range_apart) {
    const Tensor target =
        Tensor::from<Float16>({3}, {to_float16(kInf), to_float16(1.0f), Float16{0x7bff}});
    const Tensor golden = Tensor::from<float>({3}, {70000.0f, 1.0f, 1e9f});
    const Sums sums = accumulate(target, golden, false, 1);
    EXPECT_EQ(sums.golden_out_of_range, 2);
    EXPECT_EQ(sums.first_out_of_range, 0);
    EXPECT_EQ(sums.nonfinite_differs, 0);
    EXPECT_EQ(sums.golden_inf, 0);
    EXPECT_EQ(sums.pairs, 1);
}

TEST(Accumulate, treats_signed_zeros_and_subnormals_as_numbers) {
    const Sums sums = accumulate(floats({-0.0f, 0x1p-149f}), floats({0.0f, 0x1p-148f}), false, 1);
    EXPECT_EQ(sums.pairs, 2);
    EXPECT_EQ(sums.unequal, 1);
    EXPECT_EQ(sums.max_d, 0x1p-149);
    EXPECT_EQ(sums.max_ulp, 1);
}

TEST(Accumulate, compares_large_integers_exactly) {
    const int64_t large = (int64_t{1} << 62) + 1;
    const Sums sums = accumulate(Tensor::from<int64_t>({2}, {large, -large}),
                                 Tensor::from<int64_t>({2}, {large - 1, -large}),
                                 false,
                                 1);
    EXPECT_EQ(sums.unequal, 1);
    EXPECT_EQ(sums.max_d, 1);
    EXPECT_EQ(sums.max_d_at, 0);
}

TEST(Accumulate, sees_integers_that_the_targets_dtype_cannot_hold) {
    const Sums sums = accumulate(Tensor::from<int32_t>({3}, {0, -1, 5}),
                                 Tensor::from<int64_t>({3}, {int64_t{1} << 32, 4294967295, 5}),
                                 false,
                                 1);
    EXPECT_EQ(sums.golden_out_of_range, 2);
    EXPECT_EQ(sums.pairs, 1);
    const Sums bools = accumulate(
        Tensor::from<bool>({2}, {true, true}), Tensor::from<uint8_t>({2}, {1, 2}), false, 1);
    EXPECT_EQ(bools.golden_out_of_range, 1);
}

TEST(Accumulate, of_a_long_tensor_has_the_moments_of_the_slow_formula) {
    std::vector<float> values(50001);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = 1000.0f + static_cast<float>(i % 7);
    long double sum = 0;
    for (const float v : values)
        sum += v;
    const long double mean = sum / 50001;
    long double squares = 0;
    for (const float v : values)
        squares += (v - mean) * (v - mean);
    const Sums sums = accumulate(floats(values), floats(values), false, 2);
    EXPECT_NEAR(sums.t.mean, static_cast<double>(mean), 1e-11);
    EXPECT_NEAR(sums.t.deviation(), static_cast<double>(std::sqrt(squares / 50001)), 1e-11);
}

TEST(Accumulate, rejects_tensors_that_cannot_be_compared) {
    EXPECT_THROW(static_cast<void>(accumulate(floats({1}), floats({1, 2}), false, 1)), Error);
    EXPECT_THROW(
        static_cast<void>(accumulate(floats({1}), Tensor::from<int32_t>({1}, {1}), false, 1)),
        Error);
}

TEST(AreComparable, floats_with_floats_and_integers_with_integers) {
    EXPECT_TRUE(are_comparable(DType::kFloat16, DType::kFloat64));
    EXPECT_TRUE(are_comparable(DType::kBool, DType::kInt64));
    EXPECT_FALSE(are_comparable(DType::kFloat32, DType::kInt32));
}

}  // namespace
}  // namespace npuscope::compare
