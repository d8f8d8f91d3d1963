#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class ActivationGradientOps : public ::testing::TestWithParam<const char*> {};

TEST_P(ActivationGradientOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         ActivationGradientOps,
                         ::testing::Values("threshold_backward",
                                           "tanh_backward",
                                           "sigmoid_backward",
                                           "silu_backward",
                                           "_log_softmax_backward_data",
                                           "_softmax_backward_data"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
