#include "core/naming/chosen_sizes.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(ChosenSizes, are_those_of_ops_that_look_at_elements) {
    EXPECT_TRUE(chooses_size("nonzero"));
    EXPECT_TRUE(chooses_size("masked_select"));
    EXPECT_TRUE(chooses_size("index_Tensor"));
    EXPECT_FALSE(chooses_size("index_select"));
    EXPECT_FALSE(chooses_size("topk"));
}

}  // namespace
}  // namespace npuscope
