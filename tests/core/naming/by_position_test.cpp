#include "core/naming/by_position.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(ByPosition, is_read_from_names_that_are_numbered) {
    EXPECT_EQ(position_of_argument("0"), 0U);
    EXPECT_EQ(position_of_argument("arg1"), 1U);
    EXPECT_EQ(position_of_argument("args_12"), 12U);
    EXPECT_EQ(position_of_argument("input_2"), 2U);
    EXPECT_EQ(position_of_result("result0"), 0U);
    EXPECT_EQ(position_of_result("output_1"), 1U);
    EXPECT_EQ(position_of_result("2"), 2U);
}

TEST(ByPosition, is_of_no_other_name) {
    for (const char* name : {"",
                             "self",
                             "mat1",
                             "arg",
                             "result",
                             "out",
                             "weight_0",
                             "output1x",
                             "99999999999999999999999"}) {
        EXPECT_EQ(position_of_argument(name), std::nullopt) << name;
        EXPECT_EQ(position_of_result(name), std::nullopt) << name;
    }
}

}  // namespace
}  // namespace npuscope
