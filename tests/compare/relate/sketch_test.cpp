#include "compare/relate/sketch.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::changed;
using test::random_tensor;

Sketch sketch(const Tensor& tensor) {
    return sketch_of(TensorElements(tensor));
}

}  // namespace

TEST(Sketch, has_the_sums_of_its_elements) {
    const Sketch told = sketch(Tensor::from<float>({5}, {1, -2, 0, 4, NAN}));
    EXPECT_EQ(told.numel, 5);
    EXPECT_EQ(told.nonfinite, 1);
    EXPECT_EQ(told.sum, 3);
    EXPECT_EQ(told.l1, 7);
    EXPECT_DOUBLE_EQ(told.l2, std::sqrt(21.0));
    EXPECT_EQ(told.cubes, 73);
    EXPECT_EQ(told.tops[0].value, 4);
    EXPECT_EQ(told.tops[0].place, 3);
}

TEST(Sketch, is_as_far_from_another_as_the_tensors_are) {
    const Tensor one = random_tensor({64, 64}, 1);
    const Tensor other = random_tensor({64, 64}, 2);
    EXPECT_NEAR(distance_of(sketch(one), sketch(other)), std::sqrt(2.0), 0.4);
    EXPECT_NEAR(distance_of(sketch(one), sketch(changed(one, 1.1F))), 0.1 / 1.1, 0.02);
    EXPECT_LT(distance_of(sketch(one), sketch(changed(one, 1, true))), 1e-3);
}

TEST(Sketch, knows_equal_elements_in_order_and_in_any_order) {
    const Tensor matrix = random_tensor({6, 9}, 1);
    const Sketch turned = sketch(test::transposed(matrix));
    const Sketch plain = sketch(matrix);
    EXPECT_EQ(plain.sequence, sketch(matrix.reshaped({9, 6})).sequence);
    EXPECT_NE(plain.sequence, turned.sequence);
    EXPECT_EQ(plain.bag, turned.bag);
    EXPECT_TRUE(hold_alike(plain, turned, 1e-9));
    EXPECT_FALSE(hold_alike(plain, sketch(changed(matrix, 1.2F)), 0.02));
}

TEST(Sketch, leaves_a_mask_out) {
    Tensor one = random_tensor({16, 16}, 1);
    Tensor other = random_tensor({16, 16}, 2);
    for (size_t i = 0; i < 256; i += 2)
        one.mutable_as<float>()[i] = other.mutable_as<float>()[i] = -1e9F;
    EXPECT_EQ(sketch(one).nonfinite, 128);
    EXPECT_GT(distance_of(sketch(one), sketch(other)), 0.8);
}

TEST(Sketch, sees_past_few_elements_that_are_wrong) {
    const Tensor one = random_tensor({32, 32}, 1);
    Tensor spoilt = Tensor::copy_of(one.view());
    spoilt.mutable_as<float>()[7] = 1000;
    EXPECT_GT(distance_of(sketch(spoilt), sketch(one)), 0.9);
    EXPECT_EQ(sampled_distance(sketch(spoilt), sketch(one)), 0);
}

}  // namespace npuscope::compare
