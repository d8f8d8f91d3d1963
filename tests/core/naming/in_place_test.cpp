#include "core/naming/in_place.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(InPlace, is_told_by_the_name_of_the_op) {
    for (const char* name : {"add_", "add__Tensor", "mul__Scalar", "addcmul_", "div__Tensor_mode"})
        EXPECT_TRUE(calculates_in_place(name)) << name;
    for (const char* name : {"add_Tensor", "add", "relu_", "zero_", "addmm_", "mul_Tensor", ""})
        EXPECT_FALSE(calculates_in_place(name)) << name;
}

}  // namespace
}  // namespace npuscope
