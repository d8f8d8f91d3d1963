#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class FillOps : public ::testing::TestWithParam<const char*> {};

TEST_P(FillOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    recorded,
    FillOps,
    ::testing::Values(
        "zeros_like", "ones_like", "new_zeros", "zero_", "fill__Scalar", "copy_", "as_strided_"),
    [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
