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

}  // namespace
}  // namespace npuscope::compare
