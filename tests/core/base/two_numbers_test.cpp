#include "core/base/two_numbers.h"

#include <gtest/gtest.h>

namespace npuscope {

TEST(TwoNumbers, have_as_many_digits_as_tell_them_apart) {
    const TwoNumbers plain(0.25, 0.5);
    EXPECT_EQ(plain.first, "0.25");
    EXPECT_EQ(plain.second, "0.5");
    const TwoNumbers near(1.0000001, 1);
    EXPECT_EQ(near.first, "1.0000001");
    EXPECT_EQ(near.second, "1");
    const TwoNumbers nearest(1, 1 + 0x1p-52);
    EXPECT_EQ(nearest.second, "1.0000000000000002");
    EXPECT_EQ(TwoNumbers(2, 2).first, "2");
}

}  // namespace npuscope
