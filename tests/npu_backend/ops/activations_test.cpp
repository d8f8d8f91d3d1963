#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class Activations : public ::testing::TestWithParam<const char*> {};

TEST_P(Activations, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         Activations,
                         ::testing::Values("tanh",
                                           "sigmoid",
                                           "silu",
                                           "hardsigmoid",
                                           "hardswish",
                                           "leaky_relu",
                                           "elu",
                                           "_softmax",
                                           "_log_softmax"),
                         [](const auto& row) { return std::string(row.param); });

// CANN's Gelu is the tanh form; from the erf form it differs by up to 5e-4.
TEST(Gelu, follows_its_tanh_form_on_chips) {
    test::check_op("gelu", 1e-3);
}

}  // namespace
}  // namespace npuscope
