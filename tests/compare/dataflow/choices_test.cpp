#include "compare/dataflow/choices.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

const Tensor kScores = random_tensor({6, 5}, 1);

/// Whether the golden's `chosen` may be chosen of scores that differ, or are `equal`.
bool chosen(const Tensor& chosen, bool equal = false) {
    const auto program = [&](float noise) {
        const Tensor scores = changed(kScores, [&](float x) { return x * (1 + noise); });
        return hand_made({{"mm", {}, {{"out", scores}}}, {"gather", {{"index", chosen}}, {}}});
    };
    TracedPair pair(program(equal ? 0 : 1e-3F), program(0));
    return may_be_chosen(pair.flows, pair.flows.inputs().at(0));
}

/// By row, the place of the score that comes `rank`-th by size.
Tensor places(size_t count, bool descending) {
    Tensor made(DType::kInt64, {6, static_cast<int64_t>(count)});
    for (size_t row = 0; row < 6; ++row) {
        const auto scores = kScores.as<float>().subspan(row * 5, 5);
        std::vector<int64_t> order = {0, 1, 2, 3, 4};
        std::ranges::sort(order, std::less{}, [&](int64_t i) {
            return (descending ? -1 : 1) * scores[static_cast<size_t>(i)];
        });
        for (size_t i = 0; i < count; ++i)
            made.mutable_as<int64_t>()[row * count + i] = order[i];
    }
    return made;
}

template <class T, class F>
Tensor made_of_each(DType dtype, F&& f) {
    Tensor made(dtype, {6, 5});
    for (size_t i = 0; i < 30; ++i)
        made.mutable_as<T>()[i] = static_cast<T>(f(kScores.as<float>()[i]));
    return made;
}

TEST(Choices, are_the_places_of_the_largest_and_smallest_in_order) {
    EXPECT_TRUE(chosen(places(1, true)));
    EXPECT_TRUE(chosen(places(1, false)));
    EXPECT_TRUE(chosen(places(3, true)));
    EXPECT_TRUE(chosen(places(5, false)));
    Tensor other = places(1, true);
    other.mutable_as<int64_t>()[4] = (other.as<int64_t>()[4] + 1) % 5;
    EXPECT_FALSE(chosen(other));
    other.mutable_as<int64_t>()[4] = 5;
    EXPECT_FALSE(chosen(other));
}

TEST(Choices, are_thresholds_and_cuts) {
    EXPECT_TRUE(chosen(made_of_each<bool>(DType::kBool, [](float x) { return x < 0.3F; })));
    EXPECT_TRUE(
        chosen(made_of_each<int64_t>(DType::kInt64, [](float x) { return std::trunc(x); })));
    EXPECT_TRUE(
        chosen(made_of_each<int64_t>(DType::kInt64, [](float x) { return std::floor(x); })));
    EXPECT_FALSE(
        chosen(made_of_each<bool>(DType::kBool, [](float x) { return std::abs(x) < 0.5F; })));
}

TEST(Choices, are_of_results_that_differ) {
    EXPECT_FALSE(chosen(places(1, true), true));
}

}  // namespace
}  // namespace npuscope::compare
