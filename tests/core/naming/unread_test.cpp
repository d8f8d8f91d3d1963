#include "core/naming/unread.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Unread, tells_arguments_that_an_op_writes_into_alone) {
    EXPECT_TRUE(is_unread("copy_", "self"));
    EXPECT_TRUE(is_unread("bernoulli__float", "self"));
    EXPECT_TRUE(is_unread("add_out", "out"));
    EXPECT_FALSE(is_unread("copy_", "src"));
    EXPECT_FALSE(is_unread("add__Tensor", "self"));
}

TEST(Unread, tells_the_noise_that_rrelu_keeps_and_its_gradient_reads) {
    EXPECT_TRUE(is_unread("rrelu_with_noise", "noise"));
    EXPECT_TRUE(is_unread("rrelu_with_noise_", "noise"));
    EXPECT_FALSE(is_unread("rrelu_with_noise_backward", "noise"));
}

TEST(Unread, tells_arguments_whose_shape_alone_is_read) {
    EXPECT_TRUE(is_unread("ones_like", "self"));
    EXPECT_TRUE(is_unread("new_empty_strided", "self"));
    EXPECT_FALSE(is_unread("full_like", "fill_value"));
    EXPECT_FALSE(is_unread("expand_as", "self"));
}

}  // namespace
}  // namespace npuscope
