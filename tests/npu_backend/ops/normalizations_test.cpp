#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class Normalizations : public ::testing::TestWithParam<const char*> {};

TEST_P(Normalizations, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         Normalizations,
                         ::testing::Values("native_layer_norm", "native_batch_norm"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
