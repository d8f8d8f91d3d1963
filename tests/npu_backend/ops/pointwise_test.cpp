#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class PointwiseOps : public ::testing::TestWithParam<const char*> {};

TEST_P(PointwiseOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         PointwiseOps,
                         ::testing::Values("relu",
                                           "neg",
                                           "abs",
                                           "floor",
                                           "ceil",
                                           "round",
                                           "sqrt",
                                           "rsqrt",
                                           "reciprocal",
                                           "exp",
                                           "log",
                                           "erf",
                                           "sin",
                                           "cos",
                                           "add_Tensor",
                                           "add_Scalar",
                                           "sub_Tensor",
                                           "sub_Scalar",
                                           "mul_Tensor",
                                           "mul_Scalar",
                                           "div_Tensor",
                                           "div_Scalar",
                                           "div_Tensor_mode",
                                           "pow_Tensor_Scalar",
                                           "pow_Tensor_Tensor",
                                           "maximum",
                                           "minimum"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
