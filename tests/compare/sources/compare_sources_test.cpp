#include <gtest/gtest.h>

#include "compare/compare.h"
#include "core/recording/source.h"
#include "tests/support/values.h"

namespace npuscope::compare {
namespace {

using test::floats;

Source ops(const std::vector<std::pair<std::string, Tensor>>& arrays) {
    return source_of_arrays({arrays.begin(), arrays.end()});
}

TEST(CompareSources, takes_names_for_equal_but_for_their_separators) {
    const Result result = compare_sources(
        ops({{"conv/1.output.0", floats({1, 2})}, {"relu.output.0", floats({3, 4})}}),
        ops({{"relu_output_0", floats({3, 5})}, {"conv_1:output:0", floats({1, 2})}}));
    ASSERT_EQ(result.ops.size(), 2u);
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.exit_code(), 1);
}

TEST(CompareSources, reports_ops_and_tensors_of_one_side) {
    const Result result =
        compare_sources(ops({{"a.output.0", floats({1, 2})},
                             {"a.output.1", floats({1, 2})},
                             {"b", floats({1, 2})}}),
                        ops({{"a.output.0", floats({1, 2})}, {"c", floats({1, 2})}}));
    ASSERT_EQ(result.ops.size(), 3u);
    EXPECT_EQ(result.ops[0].tensors[1].judgement.verdict, Verdict::kMissingGolden);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kMissingGolden);
    EXPECT_EQ(result.ops[2].judgement.verdict, Verdict::kMissingTarget);
}

TEST(CompareSources, holds_tensors_to_what_they_were_computed_in) {
    const Source golden = ops({{"a", floats({1, 2})}, {"b", floats({1, 2})}});
    const Source target = source_of_arrays({{"a", floats({1, 2.002F})}, {"b", floats({1, 2.002F})}},
                                           {{"b", {.compute_type = ComputeType::kFloat16}}});
    const Result result = compare_sources(target, golden);
    ASSERT_EQ(result.ops.size(), 2u);
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kPass);
}

TEST(CompareSources, compares_statistics_where_elements_are_missing) {
    const auto recorded = [](RecordedStatistics statistics) {
        SourceTensor tensor;
        tensor.argument = "0";
        tensor.path = "a.output.0";
        tensor.dtype = "float32";
        tensor.shape = {4};
        tensor.statistics = statistics;
        Source source;
        source.ops.push_back(
            {{"a", 0}, "a", [tensor] { return std::vector<SourceTensor>{tensor}; }});
        return source;
    };
    const Source golden = ops({{"a.output.0", floats({-1, 0, 2, 2})}});
    const Result same = compare_sources(recorded({2, -1, 0.75, 3}), golden);
    EXPECT_EQ(same.ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(same.exit_code(), 0);
    const Result other = compare_sources(recorded({2, -1, 0.75, 3.1}), golden);
    EXPECT_EQ(other.ops[0].judgement.verdict, Verdict::kFail);
    EXPECT_NE(other.ops[0].judgement.rule.find("norm"), std::string::npos);
}

}  // namespace
}  // namespace npuscope::compare
