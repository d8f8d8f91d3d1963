#include "compare/dataflow/side_branch.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

Tensor in_other_order(const Tensor& tensor) {
    Tensor moved = tensor;
    const auto elements = tensor.as<float>();
    for (size_t i = 0; i < elements.size(); ++i)
        moved.mutable_as<float>()[(i + 5) % elements.size()] = elements[i];
    return moved;
}

/// relu, an op on its result, and a sum that takes in what that op gives on.
bool goes_on_without(const std::string& name, const Tensor& made, const Tensor& taken_in) {
    const Tensor x = random_tensor({4, 6}, 1);
    const Source source =
        hand_made({{"relu", {{"self", random_tensor({4, 6}, 2)}}, {{"out", x}}},
                   {name, {{"self", x}}, {{"out", made}}},
                   {"sum", {{"self", taken_in}}, {{"out", random_tensor({4}, 3)}}},
                   {"exp", {{"self", x}}, {{"out", random_tensor({4, 6}, 4)}}}});
    Dataflow flow = trace(source);
    const Side side{source, flow};
    return leads_nowhere(side, {&source.ops[1]}, [](const SourceOp&) { return true; });
}

TEST(SideBranch, leads_nowhere_where_nobody_takes_in_what_it_makes) {
    const Tensor x = random_tensor({4, 6}, 1);
    const Tensor other = random_tensor({4, 6}, 9);
    EXPECT_TRUE(goes_on_without("isfinite", other, x));
    EXPECT_FALSE(goes_on_without("tanh", other, other));
    EXPECT_TRUE(goes_on_without("clamp", x, x));  // cuts nothing off
}

TEST(SideBranch, leads_on_where_an_op_moves_elements_and_no_view_or_copy_does) {
    const Tensor moved = in_other_order(random_tensor({4, 6}, 1));
    EXPECT_FALSE(goes_on_without("roll", moved, moved));
    EXPECT_FALSE(goes_on_without("index_select", moved, moved));
    EXPECT_TRUE(goes_on_without("contiguous", moved, moved));
}

/// An update of a state, and one of what may be its copy, which another op may read.
bool is_average(const Tensor& copy, bool is_read = false) {
    const Tensor state = random_tensor({4, 6}, 1);
    const Tensor average = random_tensor({4, 6}, 3);
    const auto update = [](const Tensor& from, const Tensor& to) {
        return HandMadeOp{"lerp__Scalar", {{"self", from}}, {{"self", to}}};
    };
    std::vector<HandMadeOp> ops = {update(state, random_tensor({4, 6}, 2)), update(copy, average)};
    if (is_read) ops.push_back({"exp", {{"self", average}}, {{"out", random_tensor({4, 6}, 4)}}});
    const Source source = hand_made(ops);
    Dataflow flow = trace(source);
    return averages_states(Side{source, flow}, {&source.ops[1]});
}

TEST(SideBranch, averages_states_where_it_adds_what_they_have_become_to_what_is_its_own) {
    const auto is_average_of = [](const Tensor& added, const Tensor& own) {
        const Tensor updated = random_tensor({4, 6}, 2);
        const Source source =
            hand_made({{"addcdiv_",
                        {{"self", random_tensor({4, 6}, 1)}, {"tensor1", random_tensor({4, 6}, 7)}},
                        {{"self", updated}}},
                       {"add__Tensor",
                        {{"self", own}, {"other", added}},
                        {{"self", random_tensor({4, 6}, 5)}}}});
        Dataflow flow = trace(source);
        return averages_states(Side{source, flow}, {&source.ops[1]});
    };
    const Tensor updated = random_tensor({4, 6}, 2);
    EXPECT_TRUE(is_average_of(updated, random_tensor({4, 6}, 8)));
    EXPECT_FALSE(is_average_of(random_tensor({4, 6}, 6), random_tensor({4, 6}, 8)));  // a gradient
    EXPECT_FALSE(is_average_of(updated, random_tensor({4, 6}, 7)));  // others take it in
}

TEST(SideBranch, averages_states_where_it_updates_their_copies_for_nobody) {
    EXPECT_TRUE(is_average(random_tensor({4, 6}, 1)));
    EXPECT_FALSE(is_average(random_tensor({4, 6}, 9)));
    EXPECT_FALSE(is_average(random_tensor({4, 6}, 1), true));
}

}  // namespace
}  // namespace npuscope::compare
