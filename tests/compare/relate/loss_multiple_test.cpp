#include "compare/relate/loss_multiple.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

Tensor gradient(float factor, float turned = -1) {
    return Tensor::from<float>({4}, {0.5F * factor, turned * factor, 0, 2 * factor});
}

TEST(LossMultiple, IsAPowerOfTwoAsNearAsRounding) {
    EXPECT_EQ(loss_multiple(gradient(1024), gradient(1)), 1024);
    EXPECT_EQ(loss_multiple(Tensor::from<float>({4}, {513, -1023, 1, 2049}), gradient(1)), 1024);
}

TEST(LossMultiple, IsNoFactorThatSomebodyMeant) {
    for (const float factor : {1.0F, 10.0F, 64.0F, 1000.0F, -1024.0F})
        EXPECT_EQ(loss_multiple(gradient(factor), gradient(1)), 1) << factor;
}

TEST(LossMultiple, IsNoOtherTensor) {
    EXPECT_EQ(loss_multiple(gradient(1024, 1), gradient(1)), 1);
    EXPECT_EQ(loss_multiple(gradient(0), gradient(1)), 1);
}

}  // namespace
}  // namespace npuscope::compare
