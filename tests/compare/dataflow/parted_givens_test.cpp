#include "compare/dataflow/parted_givens.h"

#include <gtest/gtest.h>

#include "compare/dataflow/givens.h"
#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

const Tensor kSplitBatch = random_tensor({12, 6}, 1);
const Tensor kHalfOfBatch = random_tensor({12, 3}, 2);
const Tensor kWeightOfHalf = random_tensor({3, 4}, 3);

/// The batch with another row, as another reader of the data would give it.
Tensor with_another_row() {
    int64_t i = 0;
    return changed(kSplitBatch, [&](float x) { return i++ / 6 == 5 ? x + 1 : x; });
}

HandMadeOp layer_of_half() {
    return {"mm",
            {{"self", kHalfOfBatch}, {"mat2", kWeightOfHalf}},
            {{"result", random_tensor({12, 4}, 4)}}};
}

/// A side that splits its batch, and one that slices it: the findings among what nobody made.
Givens found_of_batch(const std::vector<HandMadeOp>& splits,
                      const std::vector<HandMadeOp>& slices,
                      bool as_casts) {
    std::vector<HandMadeOp> mine = splits;
    std::vector<HandMadeOp> theirs = slices;
    mine.push_back(layer_of_half());
    theirs.push_back(layer_of_half());
    const Source target = hand_made(mine);
    const Source golden = hand_made(theirs);
    Plan plan{.ops = {{.target = &target.ops.back(), .golden = &golden.ops.back()}}};
    Parting parting;
    for (size_t i = 0; i < splits.size(); ++i) {
        plan.casts.push_back({.target = &target.ops[i]});
        parting.only_target.push_back(&target.ops[i]);
    }
    for (size_t i = 0; i < slices.size(); ++i) {
        plan.casts.push_back({.golden = &golden.ops[i]});
        parting.only_golden.push_back(&golden.ops[i]);
    }
    if (!as_casts) {
        plan.casts.clear();
        for (const SourceOp* op : parting.only_target)
            plan.ops.insert(plan.ops.begin(), {.target = op});
        plan.partings.push_back(parting);
    }
    Dataflow one = trace(target);
    Dataflow other = trace(golden);
    PairedFlows flows(plan, {target, one}, {golden, other});
    return differing_givens(flows, 1);
}

std::vector<HandMadeOp> split_of(const Tensor& batch) {
    return {{"split_Tensor", {{"self", batch}}, {{"result0", kHalfOfBatch}}}};
}

std::vector<HandMadeOp> slice_of(const Tensor& batch) {
    return {{"slice_Tensor", {{"self", batch}}, {{"result", kHalfOfBatch}}}};
}

TEST(PartedGivens, tell_a_batch_that_one_side_splits_and_the_other_slices) {
    for (const bool as_casts : {true, false}) {
        const Givens givens =
            found_of_batch(split_of(with_another_row()), slice_of(kSplitBatch), as_casts);
        ASSERT_EQ(givens.findings.size(), 1U) << as_casts;
        EXPECT_TRUE(givens.findings[0].text.starts_with(
            "input `self` of /split_Tensor/1 is not the golden's: 6 of 72 elements differ, all at "
            "5 along axis 0"))
            << givens.findings[0].text;
        EXPECT_TRUE(found_of_batch(split_of(kSplitBatch), slice_of(kSplitBatch), as_casts)
                        .findings.empty());
    }
}

TEST(PartedGivens, leave_alone_what_may_be_something_else) {
    for (const bool as_casts : {true, false}) {
        EXPECT_TRUE(
            found_of_batch(split_of(random_tensor({12, 6}, 7)), slice_of(kSplitBatch), as_casts)
                .findings.empty());
        std::vector<HandMadeOp> two = split_of(with_another_row());
        two.push_back(
            {"split_Tensor", {{"self", random_tensor({12, 6}, 8)}}, {{"result0", kHalfOfBatch}}});
        EXPECT_TRUE(found_of_batch(two, slice_of(kSplitBatch), as_casts).findings.empty());
    }
}

}  // namespace
}  // namespace npuscope::compare
