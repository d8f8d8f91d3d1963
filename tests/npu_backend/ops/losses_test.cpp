#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class LossOps : public ::testing::TestWithParam<const char*> {};

TEST_P(LossOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         LossOps,
                         ::testing::Values("nll_loss_forward", "nll_loss_backward"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
