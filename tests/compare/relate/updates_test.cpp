#include "compare/relate/updates.h"

#include <gtest/gtest.h>

#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::changed;
using test::random_tensor;
using test::transposed;

/// Adds an op that writes over `before`.
void add_step(Source& source, const std::string& name, const Tensor& before, const Tensor& after) {
    test::add_op(source, name, {before}, after);
    SourceOp& op = source.ops.back();
    std::vector<SourceTensor> tensors = op.load();
    for (SourceTensor& tensor : tensors)
        tensor.argument = "self";
    op.load = [tensors] { return tensors; };
}

Listing listed(const Source& source) {
    return list_tensors(source, 1);
}

/// What pair_updates() alone makes of the sides.
std::vector<TensorRelation> pairs_of(const Source& target, const Source& golden) {
    const Listing mine = listed(target);
    const Listing theirs = listed(golden);
    Matches matches(mine, theirs);
    pair_updates(matches);
    std::vector<TensorRelation> pairs = matches.relations();
    for (TensorRelation& pair : pairs)
        pair.text = mine.tensors[pair.target].path + " " + theirs.tensors[pair.golden].path;
    return pairs;
}

}  // namespace

TEST(Updates, pair_what_one_op_leaves_with_what_several_do) {
    const Tensor weight = random_tensor({6, 9}, 1);
    const Tensor decayed = changed(weight, 0.99F);
    Source target;
    Source golden;
    add_step(target, "step", weight, random_tensor({6, 9}, 2));
    // Read as its transpose first.
    test::add_op(golden, "product", {transposed(weight)}, random_tensor({4}, 3));
    add_step(golden, "decay", weight, decayed);
    add_step(golden, "move", decayed, random_tensor({6, 9}, 4));
    const auto pairs = pairs_of(target, golden);
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].text, "/step/1/output/result /move/3/output/result");
    EXPECT_TRUE(pairs[0].by_place);
}

TEST(Updates, pair_nothing_of_other_parameters_or_of_results_beside) {
    const Tensor weight = random_tensor({6, 9}, 1);
    Source target;
    Source golden;
    add_step(target, "step", weight, random_tensor({6, 9}, 2));
    add_step(golden, "step", random_tensor({6, 9}, 5), random_tensor({6, 9}, 4));
    EXPECT_TRUE(pairs_of(target, golden).empty());
    Source beside;
    test::add_op(beside, "step", {weight}, random_tensor({6, 9}, 4));
    EXPECT_TRUE(pairs_of(target, beside).empty());
}

}  // namespace npuscope::compare
