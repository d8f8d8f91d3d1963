#include <gtest/gtest.h>

#include "tests/npu_backend/op_cases.h"

namespace npuscope {
namespace {

class Views : public ::testing::TestWithParam<const char*> {};

TEST_P(Views, follow_pytorch_on_every_device) {
    test::check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(recorded,
                         Views,
                         ::testing::Values("view",
                                           "_unsafe_view",
                                           "reshape",
                                           "alias",
                                           "detach",
                                           "permute",
                                           "t",
                                           "transpose_int",
                                           "expand",
                                           "squeeze",
                                           "squeeze_dim",
                                           "squeeze_dims",
                                           "unsqueeze",
                                           "select_int",
                                           "slice_Tensor",
                                           "split_with_sizes",
                                           "split_Tensor"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace npuscope
