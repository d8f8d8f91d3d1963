#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class Comparisons : public ::testing::TestWithParam<const char*> {};

TEST_P(Comparisons, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         Comparisons,
                         ::testing::Values("eq_Tensor",
                                           "ne_Tensor",
                                           "gt_Tensor",
                                           "ge_Tensor",
                                           "lt_Tensor",
                                           "le_Tensor",
                                           "eq_Scalar",
                                           "ne_Scalar",
                                           "gt_Scalar",
                                           "ge_Scalar",
                                           "lt_Scalar",
                                           "le_Scalar",
                                           "where_self",
                                           "clamp",
                                           "hardtanh"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
