#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class Poolings : public ::testing::TestWithParam<const char*> {};

TEST_P(Poolings, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         Poolings,
                         ::testing::Values("max_pool2d_with_indices", "avg_pool2d"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
