#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class ScattersOps : public ::testing::TestWithParam<const char*> {};

TEST_P(ScattersOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         ScattersOps,
                         ::testing::Values("scatter_src", "scatter_add", "scatter_reduce_two"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
