#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class TrigonometryOps : public ::testing::TestWithParam<const char*> {};

TEST_P(TrigonometryOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         TrigonometryOps,
                         ::testing::Values("tan",
                                           "asin",
                                           "acos",
                                           "atan",
                                           "sinh",
                                           "cosh",
                                           "asinh",
                                           "acosh",
                                           "atanh",
                                           "sign",
                                           "softplus"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
