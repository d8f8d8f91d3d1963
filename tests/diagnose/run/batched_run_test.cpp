#include "diagnose/run/batched_run.h"

#include <gtest/gtest.h>

namespace npuscope::diagnose {
namespace {

TEST(SliceRows, repeats_the_last_row_past_the_end) {
    const Tensor rows = Tensor::from<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6});
    const Tensor slice = slice_rows(rows, 2, 3);
    EXPECT_TRUE(identical(slice, Tensor::from<int32_t>({3, 2}, {5, 6, 5, 6, 5, 6})));
    EXPECT_TRUE(identical(slice_rows(rows, 1, 2), Tensor::from<int32_t>({2, 2}, {3, 4, 5, 6})));
}

}  // namespace
}  // namespace npuscope::diagnose
