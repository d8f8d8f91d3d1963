#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(Order, cumsum_can_leave_out_its_own_element_and_run_backward) {
    const Tensor x = Tensor::from<int32_t>({3}, {1, 2, 4});
    const auto sums = [&](bool exclusive, bool reverse) {
        const auto run = run_kernel(
            "Cumsum", {x}, {{"axis", int64_t{0}}, {"exclusive", exclusive}, {"reverse", reverse}});
        const auto values = run.outputs[0].as<int32_t>();
        return std::vector<int32_t>(values.begin(), values.end());
    };
    EXPECT_EQ(sums(false, false), (std::vector<int32_t>{1, 3, 7}));
    EXPECT_EQ(sums(true, false), (std::vector<int32_t>{0, 1, 3}));
    EXPECT_EQ(sums(false, true), (std::vector<int32_t>{7, 6, 4}));
    EXPECT_EQ(sums(true, true), (std::vector<int32_t>{6, 4, 0}));
}

TEST(Order, sorting_puts_nan_above_everything_and_keeps_ties) {
    const Tensor x = Tensor::from<float>({4}, {std::nanf(""), 1, 2, 1});
    const auto run = run_kernel("Sort", {x}, {{"axis", int64_t{0}}, {"descending", false}});
    const int64_t places[] = {1, 3, 2, 0};
    for (int64_t i = 0; i < 4; ++i)
        EXPECT_EQ(run.outputs[1].at(i), places[i]);
}

TEST(Order, rejects_more_than_there_is) {
    EXPECT_THROW((void)run_kernel("TopKV2",
                                  {Tensor::from<float>({2}, {1, 2})},
                                  {{"dim", int64_t{0}}, {"k", int64_t{3}}, {"largest", true}}),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
