#include "core/naming/unspecified.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Unspecified, memory_that_nothing_was_written_into_is) {
    EXPECT_TRUE(is_unspecified("empty_like", "result", true));
    EXPECT_FALSE(is_unspecified("empty_like", "self", false));
    EXPECT_FALSE(is_unspecified("zeros_like", "result", true));
}

TEST(Unspecified, states_of_generators_are_and_what_attention_makes_is_not) {
    const char* op = "_scaled_dot_product_efficient_attention";
    for (const char* name : {"log_sumexp", "philox_seed", "philox_offset"})
        EXPECT_TRUE(is_unspecified(op, name, true)) << name;
    for (const char* name : {"output", "philox", "", "philox_seed,philox_offset"})
        EXPECT_FALSE(is_unspecified(op, name, true)) << name;
}

}  // namespace
}  // namespace npuscope
