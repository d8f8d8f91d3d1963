#include <cmath>

#include <gtest/gtest.h>

#include "compare/compare.h"
#include "compare/metric.h"

namespace npuscope::compare {
namespace {

TEST(CompareTensors, refuses_other_shapes_and_kinds_of_dtype) {
    const Bound bound{.tolerance = 0.01, .limit = {}, .source = "test"};
    const Tensor a = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
    EXPECT_EQ(compare_tensors(a, a.reshaped({4}), bound).judgement.rule,
              "shapes differ: [2,2] and [4]");
    const Tensor b = Tensor::from<float>({2, 2}, {1, 2, 3, 4.5F});
    EXPECT_EQ(compare_tensors(b, b.cast(DType::kInt32), bound).judgement.verdict,
              Verdict::kIncomparable);
}

TEST(CompareTensors, whole_numbers_kept_as_floats_are_the_same_numbers) {
    const Bound bound{.tolerance = 0.01, .limit = {}, .source = "test"};
    const Tensor a = Tensor::from<float>({2, 2}, {1, 2, -3, 4});
    const TensorResult result = compare_tensors(a, a.cast(DType::kInt32), bound);
    EXPECT_EQ(result.judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.judgement.rule, "the same numbers in float32 and int32");
    const Tensor nothing = Tensor::from<float>({1}, {std::nanf("")});
    EXPECT_EQ(compare_tensors(nothing, nothing.cast(DType::kInt32), bound).judgement.verdict,
              Verdict::kIncomparable);
    // 2^53 + 1 is no double.
    const Tensor large = Tensor::from<int64_t>({1}, {(int64_t{1} << 53) + 1});
    EXPECT_EQ(compare_tensors(large.cast(DType::kFloat32), large, bound).judgement.verdict,
              Verdict::kIncomparable);
}

TEST(CompareTensors, ignores_dimensions_of_one) {
    const Bound bound{.tolerance = 0.01, .limit = {}, .source = "test"};
    const Tensor a = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
    const TensorResult result = compare_tensors(a, a.reshaped({2, 1, 2}), bound);
    EXPECT_EQ(result.judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.metrics.size(), all_metrics().size());
    EXPECT_EQ(result.judgement.bound.source, "test");
}

}  // namespace
}  // namespace npuscope::compare
