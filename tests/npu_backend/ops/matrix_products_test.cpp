#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class MatrixProducts : public ::testing::TestWithParam<const char*> {};

TEST_P(MatrixProducts, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         MatrixProducts,
                         ::testing::Values("mm", "bmm", "addmm", "baddbmm"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
