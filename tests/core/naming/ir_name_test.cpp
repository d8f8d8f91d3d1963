#include "core/naming/ir_name.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(IrName, is_found_in_what_pytorch_calls_an_op) {
    // of torch.ops.aten.add.Tensor: str(), name(), __name__; and of ops without overload
    for (const char* name :
         {"aten.add.Tensor", "aten::add.Tensor", "add.Tensor", "torch.ops.aten.add.Tensor"})
        EXPECT_EQ(ir_name(name), "add_Tensor") << name;
    for (const char* name : {"aten.relu_.default", "aten::relu_", "relu_.default"})
        EXPECT_EQ(ir_name(name), "relu_") << name;
    EXPECT_EQ(ir_name("aten.sum.dim_IntList"), "sum_dim_IntList");
    EXPECT_EQ(ir_name("aten.div.Tensor_mode"), "div_Tensor_mode");
    EXPECT_EQ(ir_name("aten._softmax_backward_data.default"), "_softmax_backward_data");
}

TEST(IrName, leaves_other_names_alone) {
    for (const char* name : {"add_Tensor",
                             "Gemm",
                             "Functional.relu.0.forward",
                             "layer1.0.conv1",
                             "encoder.layer.0.attention.self",
                             "model.default.weight",
                             "torchvision::nms",
                             "com.microsoft::FusedMatMul",
                             ".Tensor",
                             "aten",
                             ""})
        EXPECT_EQ(ir_name(name), name);
}

TEST(WithoutOverload, is_what_some_recorders_call_an_op) {
    EXPECT_EQ(without_overload("add_Tensor"), "add");
    EXPECT_EQ(without_overload("mul__Tensor"), "mul_");
    EXPECT_EQ(without_overload("sum_dim_IntList"), "sum");
    EXPECT_EQ(without_overload("div_Tensor_mode"), "div");
    EXPECT_EQ(without_overload("_foreach_addcdiv__Scalar"), "_foreach_addcdiv_");
    for (const char* name : {"native_layer_norm_backward", "relu_", "add", "_softmax", ""})
        EXPECT_EQ(without_overload(name), name);
}

}  // namespace
}  // namespace npuscope
