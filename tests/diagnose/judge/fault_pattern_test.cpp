#include "diagnose/judge/fault_pattern.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

/// Numbers of [4, 6, 5] that are no ramp, and what the target has of them.
class Pattern : public testing::Test {
  protected:
    using Index = std::function<double(int, int, int)>;

    Pattern() { fill(right); }

    static double right(int i, int j, int k) { return std::sin(1.0 + 13.7 * (30 * i + 5 * j + k)); }

    /// The recorded elements are `of`, the exact ones right().
    void fill(const Index& of) {
        exact_.clear();
        recorded_.clear();
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 6; ++j)
                for (int k = 0; k < 5; ++k) {
                    exact_.push_back(right(i, j, k));
                    recorded_.push_back(static_cast<float>(of(i, j, k)));
                }
    }

    [[nodiscard]] std::string told() const {
        RecordedResult result;
        result.elements = floats(recorded_).reshaped({4, 6, 5});
        return told_by_pattern(result, exact_, std::vector<double>(exact_.size(), 1e-6));
    }

    std::vector<double> exact_;
    std::vector<float> recorded_;
};

TEST_F(Pattern, is_told_of_all_elements_one_place_on) {
    fill([](int i, int j, int k) { return right(i, (j + 5) % 6, k); });
    EXPECT_EQ(told(), "all elements stand one place further along axis 1");
    fill([](int i, int j, int k) { return right(i, j, (k + 1) % 5); });
    EXPECT_EQ(told(), "all elements stand one place back along axis 2");
}

TEST_F(Pattern, is_told_of_two_channels_exchanged) {
    fill([](int i, int j, int k) { return right(i, j == 2 ? 3 : j == 3 ? 2 : j, k); });
    EXPECT_EQ(told(), "[:, 2, ...] and [:, 3, ...] are exchanged");
}

TEST_F(Pattern, is_told_of_a_row_that_holds_its_neighbours) {
    fill([](int i, int j, int k) { return right(i, j, k == 3 ? 4 : k); });
    EXPECT_EQ(told(), "[:, :, 3] holds what belongs in [:, :, 4]");
}

TEST_F(Pattern, is_told_of_another_sign) {
    fill([](int i, int j, int k) { return j == 4 ? -right(i, j, k) : right(i, j, k); });
    EXPECT_EQ(told(), "[:, 4, ...] has the other sign");
}

TEST_F(Pattern, is_told_of_a_tile_written_twice) {
    for (size_t i = 0; i < 15; ++i)
        recorded_[45 + i] = recorded_[30 + i];
    EXPECT_EQ(told(), "elements 45 to 59 hold what belongs in elements 30 to 44");
}

TEST_F(Pattern, is_told_of_elements_cut_off) {
    fill([](int i, int j, int k) { return std::clamp(right(i, j, k), -0.75, 0.75); });
    EXPECT_EQ(told(), "the largest elements are cut off at 0.75");
}

TEST_F(Pattern, is_told_of_elements_that_were_not_written) {
    for (size_t i = 100; i < 120; ++i)
        recorded_[i] = 0;
    EXPECT_EQ(told(), "20 elements are 0, whatever they should be");
}

TEST_F(Pattern, is_none_where_nothing_is_off) {
    EXPECT_EQ(told(), "");
}

TEST_F(Pattern, is_none_of_a_factor_or_of_single_elements) {
    fill([](int i, int j, int k) { return 1.01 * right(i, j, k); });
    EXPECT_EQ(told(), "");
    fill([](int i, int j, int k) { return right(i, j, k); });
    recorded_[17] = 5;
    EXPECT_EQ(told(), "");
}

// A product of constants is one number everywhere, if it is off or not.
TEST_F(Pattern, is_no_number_whatever_should_be_there_where_one_should) {
    fill([](int, int, int) { return 0.5; });
    EXPECT_EQ(told(), "120 elements are 0.5, whatever they should be");
    std::ranges::fill(exact_, 0.50001);
    EXPECT_EQ(told(), "");
}

TEST_F(Pattern, is_none_where_it_does_not_explain_all) {
    fill([](int i, int j, int k) { return j == 4 ? -right(i, j, k) : right(i, j, k); });
    recorded_[0] += 1;
    EXPECT_EQ(told(), "");
}

TEST_F(Pattern, is_none_where_elements_are_no_numbers) {
    fill([](int i, int j, int k) { return j == 4 ? -right(i, j, k) : right(i, j, k); });
    recorded_[0] = NAN;
    EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace npuscope::diagnose
