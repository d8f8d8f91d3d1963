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

// Half a unit of float16 at 1 is 2^-11; its smallest number is 2^-24, of which half is lost by each
// step.
TEST(Tightened, is_a_share_of_the_limit_but_some_half_units_at_least) {
    RecordedResult result;
    result.elements = floats({1, 1, 0, 0});
    const std::vector<double> exact = {1, 1, 0x1p-20, 0x1p-14};
    const AllowedErrors limit = {1, 0x1p-6, 0x1p-6, 0x1p-6};
    EXPECT_EQ(tightened(limit, 0x1p-4, 2, result, kFloat16, exact),
              (AllowedErrors{0x1p-4, 0x1p-10, 0x1p-10, 0x1p-10}));
    EXPECT_EQ(tightened(limit, 0x1p-30, 2, result, kFloat16, exact),
              (AllowedErrors{0x1p-10, 0x1p-10, 0x1p-23, 0x1p-24}));
}

}  // namespace
}  // namespace npuscope::diagnose
