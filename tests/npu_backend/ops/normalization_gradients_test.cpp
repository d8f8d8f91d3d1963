#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class NormalizationGradientOps : public ::testing::TestWithParam<const char*> {};

TEST_P(NormalizationGradientOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         NormalizationGradientOps,
                         ::testing::Values("native_batch_norm_backward"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
