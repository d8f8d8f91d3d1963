#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class Arrangements : public ::testing::TestWithParam<const char*> {};

TEST_P(Arrangements, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         Arrangements,
                         ::testing::Values("cat",
                                           "index_select",
                                           "embedding",
                                           "gather",
                                           "clone",
                                           "_to_copy",
                                           "constant_pad_nd",
                                           "argmax",
                                           "argmin"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
