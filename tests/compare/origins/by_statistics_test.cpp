#include "compare/origins/by_statistics.h"

#include <limits>

#include <gtest/gtest.h>

#include "compare/judge_statistics.h"
#include "tests/compare/compared_programs.h"
#include "tests/compare/dumps.h"

namespace npuscope::compare {
namespace {

/// What a recorder keeps that leaves elements out.
Source by_statistics(const std::vector<HandMadeOp>& ops) {
    Source source = hand_made(ops);
    for (SourceOp& op : source.ops)
        op.load = [load = op.load] {
            std::vector<SourceTensor> tensors = load();
            for (SourceTensor& tensor : tensors) {
                tensor.statistics = recorded_of(tensor.open()->whole());
                tensor.open = nullptr;
            }
            return tensors;
        };
    return source;
}

Result judged(const std::vector<HandMadeOp>& target, const std::vector<HandMadeOp>& golden) {
    WrittenSplitter splitter;
    Options options;
    options.splitter = &splitter;
    return compare_sources(
        by_statistics(target), by_statistics(golden), PrecisionBounds(), options);
}

Tensor scaled(const Tensor& tensor, float factor) {
    return changed(tensor, [&](float value) { return value * factor; });
}

/// x W, relu, exp; each result times a factor.
std::vector<HandMadeOp> program(float product, float relu = 1, float last = 1, float weight = 1) {
    const Tensor a = scaled(random_tensor({8, 8}, 3), product);
    const Tensor b = scaled(random_tensor({8, 8}, 4), product * relu);
    return {
        {"mm",
         {{"self", random_tensor({8, 8}, 1)}, {"mat2", scaled(random_tensor({8, 8}, 2), weight)}},
         {{"result", a}},
         "",
         ""},
        step("relu", a, b),
        step("exp", b, scaled(random_tensor({8, 8}, 5), product * relu * last))};
}

TEST(ByStatistics, pass_what_agrees) {
    const Result result = judged(program(1), program(1));
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.counts.by_verdict[static_cast<size_t>(Verdict::kPass)], 7);
}

TEST(ByStatistics, leave_what_rounded_operands_make) {
    const Result result = judged(program(1.0005F), program(1));
    EXPECT_TRUE(result.culprits.empty());
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(result.ops[1].tensors[0].judgement.verdict, Verdict::kInherited);
    EXPECT_TRUE(result.ops[1].tensors[0].judgement.rule.ends_with("; /mm/1 made it"))
        << result.ops[1].tensors[0].judgement.rule;
}

TEST(ByStatistics, fail_a_result_that_jumps) {
    // 0.0005 came in, five times that is 0.0025.
    EXPECT_TRUE(judged(program(1.0005F, 1.0015F), program(1)).culprits.empty());
    const Result result = judged(program(1.0005F, 1.004F), program(1));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].op, 1u);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kFail);
    // 1.0005 times 1.004, on the scale of the largest element.
    EXPECT_NEAR(*worst_error(result.ops[1], dumpfile::Direction::kOutput), 0.0045, 1e-4);
    EXPECT_TRUE(result.ops[1].judgement.rule.ends_with("; what was before is off by 0.0005"))
        << result.ops[1].judgement.rule;
    EXPECT_EQ(result.ops[2].judgement.verdict, Verdict::kInherited);
}

TEST(ByStatistics, leave_a_first_result_that_bfloat16_may_have_made) {
    EXPECT_TRUE(judged(program(1.01F), program(1)).culprits.empty());
    const Result result = judged(program(1.02F), program(1));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].op, 0u);
}

TEST(ByStatistics, hold_sums_against_what_was_added_up) {
    const auto sum = [](float result) {
        return std::vector<HandMadeOp>{step("sum", random_tensor({64}, 1), vector_of({result}))};
    };
    EXPECT_TRUE(judged(sum(2e-8F), sum(1e-8F)).culprits.empty()) << "nothing is left of terms of 1";
    EXPECT_EQ(judged(sum(2), sum(1)).culprits.size(), 1u);
}

// What a random op writes into held anything before.
TEST(ByStatistics, excuse_nothing_by_an_infinity_that_both_sides_have) {
    const auto masked = [](float factor) {
        const Tensor scores = random_tensor({8, 8}, 3);
        const Tensor open = changed(scores, [](float value) {
            return value > 0 ? value : -std::numeric_limits<float>::infinity();
        });
        return std::vector<HandMadeOp>{step("masked_fill", scores, open),
                                       step("exp", open, scaled(random_tensor({8, 8}, 5), factor))};
    };
    EXPECT_EQ(judged(masked(1), masked(1)).exit_code(), 0);
    EXPECT_EQ(judged(masked(2), masked(1)).exit_code(), 1);
}

TEST(ByStatistics, leave_memory_that_is_overwritten) {
    const auto drawn = [](unsigned seed) {
        return std::vector<HandMadeOp>{
            step("bernoulli__float", random_tensor({64}, seed), random_tensor({64}, 1))};
    };
    EXPECT_TRUE(judged(drawn(2), drawn(3)).culprits.empty());
}

TEST(ByStatistics, tell_of_a_parameter_that_nobody_computed) {
    const Result result = judged(program(1.5F, 1, 1, 1.5F), program(1));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, CulpritKind::kTensor);
    EXPECT_EQ(result.culprits[0].tensor, "/mm/1/input/mat2");
    EXPECT_TRUE(result.culprits[0].why.starts_with(
        "weight `mat2` of /mm/1 is not the golden's: statistics: max"))
        << result.culprits[0].why;
}

TEST(ByStatistics, go_by_all_that_was_made_before_where_inputs_are_unknown) {
    const auto outputs = [](std::vector<HandMadeOp> ops) {
        for (HandMadeOp& op : ops)
            op.inputs.clear();
        return ops;
    };
    EXPECT_TRUE(judged(outputs(program(1.0005F)), outputs(program(1))).culprits.empty());
    const Result result = judged(outputs(program(1.0005F, 1, 1.02F)), outputs(program(1)));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].op, 2u);
    EXPECT_TRUE(result.ops[2].judgement.rule.ends_with("; what was before is off by 0.0005"))
        << result.ops[2].judgement.rule;
}

}  // namespace
}  // namespace npuscope::compare
