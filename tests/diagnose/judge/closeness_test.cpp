#include "diagnose/judge/closeness.h"

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

/// Of 64 elements that are exactly 0 and may be off by 1: a quarter is off by 1/64, a quarter each
/// by 2, 3 and 4 times as much, the last one by `worst`. The upper quartile is 4/64.
RecordedResult off_by(double worst) {
    std::vector<float> values;
    for (int i = 0; i < 64; ++i)
        values.push_back(static_cast<float>(1 + i / 16) / 64);
    values.back() = static_cast<float>(worst);
    RecordedResult result;
    result.elements = floats(values);
    return result;
}

const std::vector<double> kExact(64, 0.0);
const std::vector<double> kLimit(64, 1.0);

// Here the worst is twice the quartile; 32/64 is eight times it, so four times further out.
TEST(SingledOut, is_how_much_further_the_worst_is_from_the_usual_than_here) {
    const std::vector<Shares> own = {{.most = 8.0 / 64, .usual = 4.0 / 64}};
    EXPECT_DOUBLE_EQ(singled_out(off_by(0.5), kExact, kLimit, 0.5, own), 4);
    EXPECT_DOUBLE_EQ(singled_out(off_by(8.0 / 64), kExact, kLimit, 8.0 / 64, own), 1);
}

TEST(SingledOut, is_beside_the_run_here_that_is_most_so) {
    const std::vector<Shares> own = {{.most = 8.0 / 64, .usual = 4.0 / 64},
                                     {.most = 16.0 / 64, .usual = 4.0 / 64}};
    EXPECT_DOUBLE_EQ(singled_out(off_by(0.5), kExact, kLimit, 0.5, own), 2);
}

// Most elements are four times nearer than here: half of what is usual here counts.
TEST(SingledOut, holds_nobody_to_what_is_nearer_than_here) {
    const std::vector<Shares> own = {{.most = 16.0 / 64, .usual = 16.0 / 64}};
    EXPECT_DOUBLE_EQ(singled_out(off_by(0.5), kExact, kLimit, 0.5, own), 4);
}

TEST(SingledOut, tells_nothing_of_few_elements_or_without_a_run_here) {
    const std::vector<Shares> own = {{.most = 8.0 / 64, .usual = 4.0 / 64}};
    RecordedResult few;
    few.elements = floats({0.5F, 0.25F, 0.125F});
    EXPECT_EQ(singled_out(few, std::vector<double>(3, 0), std::vector<double>(3, 1), 0.5, own), 0);
    EXPECT_EQ(singled_out(off_by(0.5), kExact, kLimit, 0.5, {}), 0);
    EXPECT_EQ(singled_out(off_by(0.5), kExact, kLimit, 0.5, std::vector<Shares>{{.most = 1}}), 0);
}

}  // namespace
}  // namespace npuscope::diagnose
