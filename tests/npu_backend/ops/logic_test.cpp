#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class LogicOps : public ::testing::TestWithParam<const char*> {};

TEST_P(LogicOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         LogicOps,
                         ::testing::Values("logical_and",
                                           "logical_or",
                                           "logical_xor",
                                           "logical_not",
                                           "bitwise_left_shift_Tensor",
                                           "bitwise_right_shift_Tensor",
                                           "fmod_Tensor",
                                           "remainder_Tensor",
                                           "isnan",
                                           "isinf"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
