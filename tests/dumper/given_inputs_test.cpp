#include "dumper/given_inputs.h"

#include <gtest/gtest.h>

namespace npuscope::dumper {
namespace {

Tensor matrix(const std::vector<float>& values) {
    return Tensor::from<float>({2, 2}, std::span<const float>(values));
}

TEST(GivenInputs, agree_within_the_rounding_of_the_coarser_dtype) {
    const Tensor golden = Tensor::from<float>({2}, {1, 3});
    EXPECT_FALSE(given_difference(golden, golden));
    EXPECT_FALSE(given_difference(Tensor::from<float>({2}, {1, 3.000001f}), golden));
    EXPECT_TRUE(given_difference(Tensor::from<float>({2}, {1, 3.00001f}), golden));
    // 1/3 in float16 is 0.33325195.
    const Tensor third = Tensor::from<float>({1}, {1.0f / 3});
    EXPECT_FALSE(given_difference(third.cast(DType::kFloat16), third));
    EXPECT_FALSE(given_difference(third, third.cast(DType::kFloat16)));
}

TEST(GivenInputs, want_integers_equal) {
    const Tensor golden = Tensor::from<int64_t>({2}, {1'000'000'000, 2});
    EXPECT_FALSE(given_difference(golden, golden));
    EXPECT_TRUE(given_difference(Tensor::from<int64_t>({2}, {1'000'000'001, 2}), golden));
}

TEST(GivenInputs, tell_how_far_they_are_off) {
    const auto found = given_difference(matrix({1, 2, 3, 5}), matrix({1, 2, 3, 4}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->relative, 0.25);
    EXPECT_EQ(found->relation, "");
}

TEST(GivenInputs, recognise_the_transpose) {
    const auto found = given_difference(matrix({1, 3, 2, 4}), matrix({1, 2, 3, 4}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->relation, "its transpose");
}

TEST(GivenInputs, are_described_in_one_sentence) {
    EXPECT_EQ(describe({"/mm/3/input/mat2", "blocks.1, net.py:20", 1.5, "its transpose"}),
              "/mm/3/input/mat2 (blocks.1, net.py:20) is not the golden's: it is its transpose");
    EXPECT_EQ(describe({"/mm/3/input/\x1b", "", 0.83, ""}).find('\x1b'), std::string::npos);
    EXPECT_EQ(describe({"/mm/3/input/self", "", 0.83, ""}),
              "/mm/3/input/self is not the golden's: off by 0.83 of its largest value");
}

}  // namespace
}  // namespace npuscope::dumper
