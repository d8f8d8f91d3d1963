#include "compare/growth/cancelled_sums.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// [6,4], whose columns sum to nothing but rounding.
Tensor balanced(unsigned seed) {
    Tensor tensor = random_tensor({6, 4}, seed);
    const auto values = tensor.mutable_as<float>();
    for (size_t column = 0; column < 4; ++column) {
        double sum = 0;
        for (size_t row = 0; row < 5; ++row)
            sum += values[row * 4 + column];
        values[20 + column] = static_cast<float>(-sum);
    }
    return tensor;
}

Tensor column_sums(const Tensor& tensor) {
    Tensor sums(DType::kFloat32, {4});
    for (size_t column = 0; column < 4; ++column) {
        float sum = 0;
        for (size_t row = 0; row < 6; ++row)
            sum += tensor.as<float>()[row * 4 + column];
        sums.mutable_as<float>()[column] = sum;
    }
    return sums;
}

Source sums(const Tensor& addends, const Tensor& result) {
    return hand_made({{"sub", {}, {{"out", addends}}}, {"sum", {}, {{"out", result}}}});
}

/// The verdict of the sum, which is far off.
Verdict verdict_of(const Source& target, const Source& golden) {
    const Plan plan{.ops = {{&target.ops[0], &golden.ops[0]}, {&target.ops[1], &golden.ops[1]}}};
    TensorResult tensor;
    tensor.target = tensor.golden = "/sum/2/output/out";
    tensor.judgement.verdict = Verdict::kFail;
    const MeasuredRun run{.place = 1, .tensor = &tensor};
    Dataflow mine = trace(target);
    Dataflow theirs = trace(golden);
    const bool is_sum =
        judge_cancelled_sum(PairedFlows(plan, {target, mine}, {golden, theirs}), run);
    EXPECT_EQ(is_sum, tensor.judgement.verdict == Verdict::kInherited);
    return tensor.judgement.verdict;
}

TEST(CancelledSums, are_right_for_what_is_summed) {
    const Tensor golden = balanced(1);
    // In other arithmetic the same, and the loss scaled by 8.
    const Tensor target = changed(golden, [](float value) { return 8 * value * 1.001F; });
    EXPECT_EQ(verdict_of(sums(target, column_sums(target)), sums(golden, column_sums(golden))),
              Verdict::kInherited);
}

TEST(CancelledSums, are_wrong_where_an_addend_is_missing_or_others_are_summed) {
    const Tensor golden = balanced(1);
    Tensor short_sum = column_sums(golden);
    short_sum.mutable_as<float>()[2] += golden.as<float>()[6];
    EXPECT_EQ(verdict_of(sums(golden, short_sum), sums(golden, column_sums(golden))),
              Verdict::kFail);
    const Tensor others = balanced(2);
    EXPECT_EQ(verdict_of(sums(others, column_sums(others)), sums(golden, column_sums(golden))),
              Verdict::kFail);
}

}  // namespace
}  // namespace npuscope::compare
