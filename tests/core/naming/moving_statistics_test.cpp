#include "core/naming/moving_statistics.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(MovesStatistics, are_batch_norms_by_any_name) {
    EXPECT_TRUE(moves_statistics("native_batch_norm"));
    EXPECT_TRUE(moves_statistics("cudnn_batch_norm"));
    EXPECT_FALSE(moves_statistics("native_batch_norm_backward"));
    EXPECT_FALSE(moves_statistics("native_layer_norm"));
}

}  // namespace
}  // namespace npuscope
