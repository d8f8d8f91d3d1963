#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class OrdersOps : public ::testing::TestWithParam<const char*> {};

TEST_P(OrdersOps, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    recorded,
    OrdersOps,
    ::testing::Values("cumsum", "prod_dim_int", "sort", "topk", "tril", "triu", "nonzero"),
    [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
