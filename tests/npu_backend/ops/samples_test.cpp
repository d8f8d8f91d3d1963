#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class SamplesOps : public ::testing::TestWithParam<const char*> {};

TEST_P(SamplesOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         SamplesOps,
                         ::testing::Values("grid_sampler_2d", "linalg_det"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
