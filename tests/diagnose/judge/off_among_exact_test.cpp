#include "diagnose/judge/off_among_exact.h"

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

Tensor many_numbers(unsigned seed) {
    return floats(test::normal_numbers(200, seed));
}

/// Each product is rounded once.
OpRun products() {
    return test::run_here("mul_Tensor", {{"self", many_numbers(1)}, {"other", many_numbers(2)}});
}

/// So many of the elements are `units` of 2^-23 further from zero.
OpRun some_off(OpRun run, size_t elements, float units) {
    for (size_t i = 0; i < elements; ++i)
        run.results.front().elements.mutable_as<float>()[7 * i] *= 1 + units * 0x1p-23F;
    return run;
}

std::string told_among(const OpRun& run) {
    const auto found =
        off_among_exact_error(test::in_limit(run, kFloat64, kFloat32, 0x1p-18, 0x1p-22));
    if (!found) return "";
    EXPECT_GT(found->ratio, 1);
    return found->told;
}

TEST(OffAmongExact, is_an_element_where_all_others_are_rounded_once) {
    EXPECT_EQ(told_among(products()), "");
    EXPECT_EQ(told_among(some_off(products(), 1, 6)),
              "1 element is off, and all others are rounded correctly");
    EXPECT_EQ(told_among(some_off(products(), 3, 6)),
              "3 elements are off, and all others are rounded correctly");
}

TEST(OffAmongExact, are_few) {
    EXPECT_EQ(told_among(some_off(products(), 20, 6)), "");
}

TEST(OffAmongExact, is_nothing_that_another_rounding_makes) {
    EXPECT_EQ(told_among(some_off(products(), 1, 1)), "");
}

// Steps of float32 inside make some elements a little further off, and may make one much further.
TEST(OffAmongExact, is_nothing_where_others_are_rounded_more_often) {
    OpRun run = some_off(products(), 1, 6);
    run.results.front().elements.mutable_as<float>()[100] *= 1 + 0x1p-23F;
    EXPECT_EQ(told_among(run), "");
}

// What is zero, or moved, tells nothing of how others are rounded.
TEST(OffAmongExact, is_nothing_where_most_need_no_rounding) {
    const OpRun run = test::run_here("mul_Tensor", {{"self", many_numbers(1)}, {"other", 2.0}});
    EXPECT_EQ(told_among(some_off(run, 1, 6)), "");
}

}  // namespace
}  // namespace npuscope::diagnose
