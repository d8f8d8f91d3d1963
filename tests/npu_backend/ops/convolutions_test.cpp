#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class Convolutions : public ::testing::TestWithParam<const char*> {};

TEST_P(Convolutions, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         Convolutions,
                         ::testing::Values("convolution"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
