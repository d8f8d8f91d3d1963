#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class Reductions : public ::testing::TestWithParam<const char*> {};

TEST_P(Reductions, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         Reductions,
                         ::testing::Values("mean_dim", "sum_dim_IntList", "amax", "amin"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
