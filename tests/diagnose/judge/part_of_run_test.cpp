#include "diagnose/judge/part_of_run.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using compare::random_tensor;
using test::run_here;

TEST(PartOfRun, of_elementwise_ops_is_some_elements) {
    const Tensor x = random_tensor({100, 200}, 1);
    const OpRun whole = run_here("sigmoid", {{"self", x}});
    const std::vector<int64_t> also = {7, 12345};
    const auto part = part_of(whole, 1000, also);
    ASSERT_TRUE(part && part->by_element());
    ASSERT_EQ(part->places.size(), 1000u);
    EXPECT_EQ(part->places[0], 7);
    EXPECT_EQ(part->places[2], 12345);
    const auto results = whole.results.front().elements.as<float>();
    const auto chosen = part->run.results.front().elements.as<float>();
    for (size_t i = 0; i < chosen.size(); ++i)
        EXPECT_EQ(chosen[i], results[static_cast<size_t>(part->places[i])]);
    // From all over, not from some columns.
    std::vector<bool> columns(200);
    for (const int64_t place : part->places)
        columns[static_cast<size_t>(place % 200)] = true;
    EXPECT_GT(std::ranges::count(columns, true), 190);
}

TEST(PartOfRun, keeps_operands_of_one_element) {
    const NamedValues arguments = {{"self", random_tensor({100, 200}, 1)},
                                   {"other", random_tensor({1}, 2)}};
    const auto part = part_of(run_here("mul_Tensor", arguments), 1000);
    ASSERT_TRUE(part && part->by_element());
    EXPECT_TRUE(identical(std::get<Tensor>(part->run.arguments[1].value),
                          std::get<Tensor>(arguments[1].value)));
}

TEST(PartOfRun, of_ops_along_rows_is_some_rows) {
    const Tensor x = random_tensor({200, 100}, 1);
    const auto softmax = [&](int64_t dim) {
        return run_here("_softmax", {{"self", x}, {"dim", dim}, {"half_to_float", false}});
    };
    const auto part = part_of(softmax(1), 1000);
    ASSERT_TRUE(part);
    EXPECT_FALSE(part->by_element());
    EXPECT_EQ(part->run.results.front().elements.shape(), (Shape{10, 100}));
    EXPECT_FALSE(part_of(softmax(0), 1000));
    // A vector that is added to every row stays whole.
    const auto sum =
        part_of(run_here("add_Tensor", {{"self", x}, {"other", random_tensor({100}, 2)}}), 1000);
    ASSERT_TRUE(sum);
    EXPECT_FALSE(sum->by_element());
}

TEST(PartOfRun, of_products_cuts_the_first_operand) {
    const auto part = part_of(
        run_here("mm",
                 {{"self", random_tensor({128, 128}, 1)}, {"mat2", random_tensor({128, 128}, 2)}}),
        1000);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->cut, Cut::kFirst);
    EXPECT_EQ(part->run.results.front().elements.shape(), (Shape{7, 128}));
}

TEST(PartOfRun, is_none_where_elements_depend_on_others_or_on_their_number) {
    const Tensor x = random_tensor({200, 100}, 1);
    EXPECT_FALSE(part_of(run_here("cumsum", {{"self", x}, {"dim", int64_t{0}}}), 1000));
    EXPECT_FALSE(part_of(run_here("sum_dim_IntList", {{"self", x}, {"dim", IntList{0}}}), 10));
    EXPECT_FALSE(part_of(run_here("triu", {{"self", x}}), 1000));
    EXPECT_FALSE(part_of(run_here("mse_loss_backward",
                                  {{"grad_output", random_tensor({1}, 3)},
                                   {"self", x},
                                   {"target", random_tensor({200, 100}, 2)},
                                   {"reduction", int64_t{1}}}),
                         1000));
    // Not large enough for a part.
    EXPECT_FALSE(part_of(run_here("sigmoid", {{"self", x}}), 15000));
}

TEST(PartOfRun, takes_the_same_places_of_another_run) {
    const OpRun one = run_here("sigmoid", {{"self", random_tensor({100, 200}, 1)}});
    const OpRun other = run_here("sigmoid", {{"self", random_tensor({100, 200}, 2)}});
    const auto part = part_of(one, 1000);
    ASSERT_TRUE(part);
    const auto same = same_part(other, *part);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->results.front().elements.as<float>()[5],
              other.results.front().elements.as<float>()[static_cast<size_t>(part->places[5])]);
    EXPECT_FALSE(same_part(run_here("sigmoid", {{"self", random_tensor({10, 20}, 2)}}), *part));
}

}  // namespace
}  // namespace npuscope::diagnose
