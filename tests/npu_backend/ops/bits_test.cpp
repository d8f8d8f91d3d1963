#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class BitsOps : public ::testing::TestWithParam<const char*> {};

TEST_P(BitsOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         BitsOps,
                         ::testing::Values("bitwise_and_Tensor",
                                           "bitwise_or_Tensor",
                                           "bitwise_xor_Tensor",
                                           "bitwise_not"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
