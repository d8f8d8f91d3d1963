#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(MaxUlpDistance, of_ten_elements_by_hand) {
    // 0 to 0.25 is farthest: the bits of 0.25f are 0x3e800000.
    EXPECT_EQ(value("max_ulp_distance"), 0x3e800000);
    EXPECT_EQ(value("max_ulp_distance", {1.5f}, {1}), 1 << 22);
    EXPECT_EQ(value("max_ulp_distance", {std::nextafter(7.0f, 8.0f)}, {7}), 1);
}

TEST(MaxUlpDistance, counts_through_zero) {
    EXPECT_EQ(value("max_ulp_distance", {0.0f}, {-0.0f}), 0);
    EXPECT_EQ(value("max_ulp_distance", {0x1p-149f}, {-0x1p-149f}), 2);
}

TEST(MaxUlpDistance, is_in_the_targets_dtype) {
    const Tensor target = Tensor::from<Float16>({1}, {to_float16(1.0f + 0x1p-10f)});
    const Tensor golden = Tensor::from<float>({1}, {1.0f});
    EXPECT_EQ(metric("max_ulp_distance").compute(accumulate(target, golden, false, 1)), 1);
    const Tensor far = Tensor::from<double>({1}, {-1.0});
    const Tensor one = Tensor::from<double>({1}, {1.0});
    EXPECT_EQ(metric("max_ulp_distance").compute(accumulate(far, one, false, 1)),
              2.0 * static_cast<double>(0x3ff0000000000000));
}

TEST(MaxUlpDistance, of_identical_tensors_is_best) {
    expect_best_for_identical("max_ulp_distance");
}

TEST(MaxUlpDistance, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("max_ulp_distance");
}

}  // namespace
}  // namespace npuscope::compare::test
