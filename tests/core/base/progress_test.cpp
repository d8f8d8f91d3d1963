#include "core/base/progress.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Progress, tells_the_time_that_is_left) {
    EXPECT_EQ(time_left(10, 100, 1), "");
    EXPECT_EQ(time_left(10, 100, 5), "about 45 s left");
    EXPECT_EQ(time_left(1, 100, 4), "about 7 min left");
    EXPECT_EQ(time_left(1, 10000, 4), "about 11 h left");
    EXPECT_EQ(time_left(99, 100, 5), "about 1 s left");
    EXPECT_EQ(time_left(5, 0, 5), "");
    EXPECT_EQ(time_left(100, 100, 5), "");
}

}  // namespace
}  // namespace npuscope
