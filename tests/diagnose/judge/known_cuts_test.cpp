#include "diagnose/judge/known_cuts.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using compare::random_tensor;

OpRun softmax(const Shape& shape, int64_t dim, unsigned seed) {
    return test::run_here(
        "_softmax", {{"self", random_tensor(shape, seed)}, {"dim", dim}, {"half_to_float", false}});
}

TEST(KnownCuts, hold_for_other_elements_of_the_same_shapes) {
    KnownCuts cuts;
    EXPECT_FALSE(cuts.cut_of(softmax({8, 6}, 1, 1)));
    cuts.learn(softmax({8, 6}, 1, 1), Cut::kFirst);
    EXPECT_EQ(cuts.cut_of(softmax({8, 6}, 1, 2)), Cut::kFirst);
}

TEST(KnownCuts, tell_nothing_of_other_shapes_arguments_and_ops) {
    KnownCuts cuts;
    cuts.learn(softmax({8, 6}, 1, 1), Cut::kFirst);
    EXPECT_FALSE(cuts.cut_of(softmax({8, 7}, 1, 1)));
    EXPECT_FALSE(cuts.cut_of(softmax({8, 6}, 0, 1)));
    OpRun other = softmax({8, 6}, 1, 1);
    other.op = backend::find_op("_log_softmax");
    EXPECT_FALSE(cuts.cut_of(other));
    OpRun narrower = softmax({8, 6}, 1, 1);
    narrower.results.front().elements = narrower.results.front().elements.cast(DType::kFloat16);
    EXPECT_FALSE(cuts.cut_of(narrower));
}

}  // namespace
}  // namespace npuscope::diagnose
