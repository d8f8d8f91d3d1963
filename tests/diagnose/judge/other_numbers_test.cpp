#include "diagnose/judge/other_numbers.h"

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

bool is_told(double target, double golden) {
    const auto filled = [](double value) {
        return test::recorded_run("masked_fill_Scalar",
                                  {{"self", floats({1})},
                                   {"mask", Tensor::from<bool>({1}, std::array<bool, 1>{true})},
                                   {"value", Scalar{value}}},
                                  floats({1}));
    };
    return has_other_constant(filled(target), filled(golden));
}

TEST(OtherConstant, is_another_number_than_the_programs_text_holds) {
    EXPECT_TRUE(is_told(-9998.63, -10000));
    EXPECT_TRUE(is_told(1.1e-5, 1e-5));
    EXPECT_TRUE(is_told(0, 0.5));
    EXPECT_TRUE(is_told(1, 0));
    EXPECT_FALSE(is_told(-10000, -10000));
}

// 0.1 is 0.100000001490116 in float32, 0.0999755859375 in float16 and 0.10009765625 in bfloat16.
TEST(OtherConstant, may_be_rounded) {
    for (const double rounded : {0.100000001490116, 0.0999755859375, 0.10009765625})
        EXPECT_FALSE(is_told(rounded, 0.1)) << rounded;
    EXPECT_TRUE(is_told(0.0999, 0.1));
}

TEST(OtherConstant, is_none_where_the_program_computed_the_number) {
    EXPECT_FALSE(is_told(0.73128, 0.7311586));
}

// With a variance near 1 an eps of 1e-3 halves to 5e-4 of a norm's result, 1e-12 to nothing of it.
TEST(OtherConstant, changes_results_by_more_than_float32_does) {
    const auto norm = [](double eps) {
        return test::recorded_run("native_layer_norm",
                                  {{"input", floats({1, 4}, {-1, 1, -1, 1})},
                                   {"normalized_shape", IntList{4}},
                                   {"eps", eps}},
                                  floats({1, 4}, {-1, 1, -1, 1}),
                                  "result0");
    };
    EXPECT_TRUE(numbers_change_results(norm(1e-3), norm(1e-5)));
    EXPECT_FALSE(numbers_change_results(norm(1e-12), norm(1e-8)));
}

}  // namespace
}  // namespace npuscope::diagnose
