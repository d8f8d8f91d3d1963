#include <cmath>

#include <gtest/gtest.h>

#include "tests/overflow/detectors/subject.h"

namespace npuscope::overflow {
namespace {

using test::finds;
using test::half_subject;
using test::measure;
using test::subject;

TEST(NanDetector, counts_nans_of_either_sign) {
    const Subject some = subject<float>({NAN, -NAN, INFINITY, 1.0F});
    EXPECT_EQ(measure("nan", some), 2.0);
    EXPECT_TRUE(finds("nan", some));
    EXPECT_TRUE(is_damaged(half_subject({NAN})));
}

TEST(NanDetector, finds_nothing_in_numbers) {
    EXPECT_FALSE(finds("nan", half_subject({INFINITY, 0})));
    EXPECT_EQ(measure("nan", subject<int64_t>({1})), std::nullopt);
}

}  // namespace
}  // namespace npuscope::overflow
