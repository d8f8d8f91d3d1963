#include "diagnose/judge/foretold.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::diagnose {
namespace {

/// 2, 3, … as differences: all apart.
std::vector<double> numbers(size_t count) {
    std::vector<double> found;
    for (size_t i = 0; i < count; ++i)
        found.push_back(static_cast<double>(i + 2));
    return found;
}

TEST(NoChance, is_what_odds_of_a_million_say) {
    // n numbers are n - 1 independent ones: (n - 1) / 2 log(10^6) is log(10^6) for n = 3.
    EXPECT_TRUE(is_no_chance(1e6, 1, numbers(3)));
    EXPECT_FALSE(is_no_chance(1e6, 1, numbers(2)));
    // 10 / 2 log(16) is 13.86, log(10^6) 13.82.
    EXPECT_TRUE(is_no_chance(16, 1, numbers(11)));
    EXPECT_FALSE(is_no_chance(16, 1, numbers(10)));
}

TEST(NoChance, asks_for_a_quarter_of_the_error_however_many_elements_there_are) {
    EXPECT_FALSE(is_no_chance(15.9, 1, numbers(4000)));
    EXPECT_FALSE(is_no_chance(0, 0, numbers(4000)));
}

TEST(NoChance, counts_equal_numbers_once) {
    const std::vector<double> two = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2.0000001};
    EXPECT_FALSE(is_no_chance(1e9, 1, two));
    EXPECT_TRUE(is_no_chance(1e30, 1, two));
}

TEST(Foretold, by_what_each_element_is_instead) {
    Foretold shifted(kFloat32);
    Foretold honest(kFloat32);
    for (int i = 0; i < 16; ++i) {
        const double here = std::sin(7.0 * i);
        const double there = std::sin(7.0 * (i + 1));
        shifted.add(there, here, there);
        honest.add(here + 1e-7 * std::cos(11.0 * i), here, there);
    }
    EXPECT_TRUE(shifted.by_others());
    EXPECT_FALSE(honest.by_others());
}

TEST(Foretold, not_by_zeros_where_small_numbers_were_lost) {
    Foretold lost(kFloat32);
    for (int i = 0; i < 16; ++i)
        lost.add(0, 1e-6 * std::sin(7.0 * i), 0);
    EXPECT_FALSE(lost.by_others());
}

TEST(Foretold, not_where_all_are_off_by_as_much) {
    Foretold offset(kFloat32);
    for (int i = 0; i < 16; ++i)
        offset.add(i + 1.0, i, i + 1.0);
    EXPECT_FALSE(offset.by_others());
}

}  // namespace
}  // namespace npuscope::diagnose
