#include "compare/origins/first_nonfinite.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

TensorResult result_of(int64_t nan, Verdict verdict) {
    TensorResult tensor;
    tensor.direction = dumpfile::Direction::kOutput;
    tensor.metrics = {1.0};
    tensor.sums.numel = 24;
    tensor.sums.target_nan = nan;
    tensor.sums.nonfinite_differs = nan;
    tensor.sums.first_nonfinite = nan > 0 ? 3 : -1;
    tensor.judgement = {verdict, "nobody can compute it"};
    return tensor;
}

/// Two pairs, each of one result.
Result results(const TensorResult& first, const TensorResult& second) {
    Result result;
    for (const TensorResult* each : {&first, &second}) {
        OpResult op;
        op.target = "/exp/" + std::to_string(result.ops.size() + 1);
        op.golden = op.target;
        op.tensors = {*each};
        conclude(op, false);
        result.ops.push_back(op);
    }
    accuse_first_nonfinite(result);
    return result;
}

TEST(FirstNonfinite, is_at_fault_though_nobody_can_compute_its_op) {
    const Result result =
        results(result_of(0, Verdict::kPass), result_of(2, Verdict::kNotProvable));
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[1].tensors[0].judgement.rule,
              "2 of 24 elements are NaN or infinite, first at [3], which the golden's are not, and "
              "nothing that was compared before is");
}

TEST(FirstNonfinite, is_none_behind_another) {
    const Result result =
        results(result_of(1, Verdict::kInherited), result_of(2, Verdict::kNotProvable));
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kNotProvable);
}

}  // namespace
}  // namespace npuscope::compare
