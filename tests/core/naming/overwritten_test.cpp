#include "core/naming/overwritten.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Overwritten, tells_arguments_that_an_op_writes_into_alone) {
    EXPECT_TRUE(is_overwritten("copy_", "self"));
    EXPECT_TRUE(is_overwritten("bernoulli__float", "self"));
    EXPECT_TRUE(is_overwritten("add_out", "out"));
    EXPECT_FALSE(is_overwritten("copy_", "src"));
    EXPECT_FALSE(is_overwritten("add__Tensor", "self"));
}

TEST(Overwritten, tells_the_noise_that_rrelu_keeps_and_its_gradient_reads) {
    EXPECT_TRUE(is_overwritten("rrelu_with_noise", "noise"));
    EXPECT_TRUE(is_overwritten("rrelu_with_noise_", "noise"));
    EXPECT_FALSE(is_overwritten("rrelu_with_noise_backward", "noise"));
}

}  // namespace
}  // namespace npuscope
