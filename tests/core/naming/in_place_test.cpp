#include "core/naming/in_place.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(InPlace, is_told_by_the_name_of_the_op) {
    for (const char* name : {"add_",
                             "add__Tensor",
                             "mul__Scalar",
                             "addcmul_",
                             "div__Tensor_mode",
                             "_foreach_mul_",
                             "aten._foreach_addcdiv_.Scalar",
                             "_foreach_mul__Scalar"})
        EXPECT_TRUE(calculates_in_place(name)) << name;
    for (const char* name : {"add_Tensor", "add", "relu_", "zero_", "addmm_", "mul_Tensor", ""})
        EXPECT_FALSE(calculates_in_place(name)) << name;
}

TEST(InPlace, is_told_of_tensors_by_their_names_and_of_places_by_the_function) {
    EXPECT_TRUE(writes_over("add__Tensor", "self", "self"));
    EXPECT_FALSE(writes_over("add_Tensor", "self", "result"));
    EXPECT_TRUE(writes_over("mul__Tensor", "self", "result"));
    EXPECT_TRUE(writes_over("_foreach_mul_.Scalar", "self/self_3", "result/result_3"));
    EXPECT_FALSE(writes_over("_foreach_mul_.Scalar", "self/self_3", "result/result_4"));
    EXPECT_FALSE(writes_over("mul__Tensor", "other", "result"));
    EXPECT_FALSE(writes_over("__and___Tensor", "self", "result"));
    EXPECT_TRUE(writes_over("Tensor.add_.3.forward", "0", "0"));
    EXPECT_TRUE(writes_over("Tensor.__iadd__.3.forward", "0", "0"));
    for (const char* record : {"Tensor.__add__.3.forward",
                               "Tensor.add.3.forward",
                               "Tensor.add_.3.backward",
                               "Module.fc.Linear.forward.0"})
        EXPECT_FALSE(writes_over(record, "0", "0")) << record;
    EXPECT_FALSE(writes_over("Tensor.add_.3.forward", "1", "1"));
}

}  // namespace
}  // namespace npuscope
