#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class InPlaceOps : public ::testing::TestWithParam<const char*> {};

TEST_P(InPlaceOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         InPlaceOps,
                         ::testing::Values("add__Tensor",
                                           "add__Scalar",
                                           "sub__Tensor",
                                           "sub__Scalar",
                                           "mul__Tensor",
                                           "mul__Scalar",
                                           "div__Tensor",
                                           "div__Scalar",
                                           "sqrt_",
                                           "neg_",
                                           "reciprocal_",
                                           "relu_"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
