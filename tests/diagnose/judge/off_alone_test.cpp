#include "diagnose/judge/off_alone.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

constexpr size_t kNumbers = 200;

std::vector<float> numbers(unsigned seed) {
    return test::normal_numbers(kNumbers, seed);
}

/// The element whose number is of that rank, from 0.
size_t by_rank(const std::vector<float>& numbers, size_t rank) {
    std::vector<size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return numbers[i]; });
    return order[rank];
}

std::string told_alone(const OpRun& run) {
    const auto found = off_alone_error(test::in_limit(run, kFloat64, kFloat32, 0x1p-18, 0x1p-22));
    if (!found) return "";
    EXPECT_GT(found->ratio, 1);
    return found->told;
}

const std::string kOneAlone =
    "1 element is more than 6 times as far off as those of nearly the same numbers";

TEST(OffAlone, is_an_element_among_others_of_nearly_its_number) {
    const std::vector<float> x = numbers(1);
    const OpRun run = test::run_here("sigmoid", {{"self", floats(x)}});
    EXPECT_EQ(told_alone(run), "");
    const size_t middle = by_rank(x, kNumbers / 2);
    EXPECT_EQ(told_alone(test::with_element_times(run, middle, 1 + 0x1p-20F)), kOneAlone);
    EXPECT_EQ(told_alone(test::with_element_times(run, middle, 1 + 0x1p-23F)), "");
}

// Functions are approximated by pieces: what is off at the end of a range may be so everywhere
// there.
TEST(OffAlone, is_no_element_beside_which_few_stand) {
    const std::vector<float> x = numbers(1);
    const OpRun run = test::run_here("sigmoid", {{"self", floats(x)}});
    EXPECT_EQ(told_alone(test::with_element_times(run, by_rank(x, kNumbers - 1), 1 + 0x1p-20F)),
              "");
}

TEST(OffAlone, is_no_piece_of_a_function) {
    const std::vector<float> x = numbers(1);
    OpRun run = test::run_here("sigmoid", {{"self", floats(x)}});
    for (size_t rank = 90; rank < 100; ++rank)
        run = test::with_element_times(run, by_rank(x, rank), 1 + 0x1p-20F);
    EXPECT_EQ(told_alone(run), "");
}

// Gradients are multiplied by what comes in, and are off by as much more.
TEST(OffAlone, counts_but_for_the_gradient_that_comes_in) {
    const std::vector<float> x = numbers(1);
    std::vector<float> gradient = numbers(2);
    const size_t middle = by_rank(x, kNumbers / 2);
    for (size_t i = 0; i < kNumbers; i += 3)
        gradient[i] = 0;
    gradient[middle] = 50;
    const OpRun run = test::run_here("gelu_backward",
                                     {{"grad_output", floats(gradient)},
                                      {"self", floats(x)},
                                      {"approximate", std::string("none")}});
    EXPECT_EQ(told_alone(run), "");
    EXPECT_EQ(told_alone(test::with_element_times(run, middle, 1 + 0x1p-20F)), kOneAlone);
}

TEST(OffAlone, is_nothing_of_ops_that_take_in_two_numbers) {
    const std::vector<float> x = numbers(1);
    const OpRun run =
        test::run_here("mul_Tensor", {{"self", floats(x)}, {"other", floats(numbers(2))}});
    EXPECT_EQ(told_alone(test::with_element_times(run, by_rank(x, kNumbers / 2), 1 + 0x1p-20F)),
              "");
}

}  // namespace
}  // namespace npuscope::diagnose
