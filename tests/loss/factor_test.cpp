#include "loss/factor.h"

#include <cmath>

#include <gtest/gtest.h>

namespace npuscope::loss {
namespace {

TEST(FactorWords, tell_whole_multiples) {
    EXPECT_EQ(factor_words(323.2655, 10.10205, 1e-5), "32 times the golden's");
    EXPECT_EQ(factor_words(10.10205, 323.2655, 1e-5), "1/32 of the golden's");
    // Three decimals: 26.661 / 3.333 is 7.9991.
    EXPECT_EQ(factor_words(26.661, 3.333, 1e-3), "8 times the golden's");
    EXPECT_EQ(factor_words(-6, -2, 1e-5), "3 times the golden's");
}

TEST(FactorWords, are_empty_where_nothing_tells) {
    EXPECT_FALSE(factor_words(2.1, 1, 1e-5));
    EXPECT_FALSE(factor_words(1.00001, 1, 1e-3));
    EXPECT_FALSE(factor_words(-2, 1, 1e-5));
    EXPECT_FALSE(factor_words(2, 0, 1e-5));
    EXPECT_FALSE(factor_words(std::nan(""), 1, 1e-5));
    // Of two digits any ratio is near to a whole one.
    EXPECT_FALSE(factor_words(41, 1.3, 0.1));
}

}  // namespace
}  // namespace npuscope::loss
