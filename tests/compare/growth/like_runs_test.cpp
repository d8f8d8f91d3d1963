#include "compare/growth/like_runs.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

TEST(LikeRuns, TellWhatTheOtherOnesInTheMiddleAdd) {
    LikeRuns like;
    for (const double added : {1.0, 5.0, 2.0, 100.0})
        like.add("q", added);
    // Without 100: 1, 2, 5. Without 1: 2, 5, 100.
    EXPECT_EQ(like.usual("q", 100), 2);
    EXPECT_EQ(like.usual("q", 1), 5);
}

TEST(LikeRuns, FewTellNothing) {
    LikeRuns like;
    like.add("q", 1);
    like.add("q", 2);
    like.add("k", 3);
    EXPECT_FALSE(like.usual("q", 1));
    EXPECT_FALSE(like.usual("v", 1));
}

}  // namespace
}  // namespace npuscope::compare
