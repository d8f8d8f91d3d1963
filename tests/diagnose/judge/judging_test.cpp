#include <gtest/gtest.h>

#include "compare/compare.h"
#include "diagnose/judge/split.h"
#include "npu_backend/chips/device.h"
#include "tests/compare/dataflow/hand_made.h"
#include "tests/support/values.h"

namespace npuscope::diagnose {
namespace {

using compare::HandMadeOp;
using compare::OpResult;
using compare::random_tensor;

/// A chain of products and sigmoids: /mm/1, /sigmoid/2, /mm/3, … each fed with what came before;
/// the result of the op `broken` (from 1) is off by a tenth in one element.
Source chain(const Device& device, int64_t ops, int64_t broken = 0, int64_t rows = 6) {
    Executor executor(device);
    std::vector<HandMadeOp> made;
    Tensor x = random_tensor({rows, 5}, 1);
    for (int64_t seqid = 1; seqid <= ops; ++seqid) {
        HandMadeOp op;
        if (seqid % 2 == 1) {
            const Tensor weight = random_tensor({5, 5}, static_cast<unsigned>(10 + seqid));
            op = {"mm", {{"self", x}, {"mat2", weight}}, {}};
            x = executor.call("mm", {x, weight}).tensor(0);
        } else {
            op = {"sigmoid", {{"self", x}}, {}};
            x = executor.call("sigmoid", {x}).tensor(0);
        }
        if (seqid == broken) x = compare::with_element(x, 7, x.as<float>()[7] + 0.1F);
        op.outputs = {{"result", x}};
        made.push_back(std::move(op));
    }
    return compare::hand_made(made);
}

compare::Result judged_chains(const Source& target,
                              const Source& golden,
                              compare::Judging judging,
                              const ExpectedArithmetic& expected = {},
                              bool allow_golden_at_fault = false) {
    RecomputingSplitter splitter(1, {}, expected);
    compare::Options options;
    options.threads = 1;
    options.splitter = &splitter;
    options.judging = judging;
    options.allow_golden_at_fault = allow_golden_at_fault;
    return compare::compare_sources(target, golden, compare::PrecisionBounds(), options);
}

/// Ops that were computed again.
std::vector<std::string> computed_ops(const compare::Result& result) {
    std::vector<std::string> paths;
    for (const OpResult& op : result.ops)
        if (std::ranges::any_of(op.tensors, [](const compare::TensorResult& tensor) {
                return tensor.split && tensor.split->target;
            }))
            paths.push_back(op.target);
    return paths;
}

TEST(QuickJudgement, computes_the_last_op_alone_where_nothing_differs) {
    const Source one = chain(Device::reference32(), 9);
    const compare::Result result =
        judged_chains(one, chain(Device::reference32(), 9), compare::Judging::kQuick);
    EXPECT_EQ(computed_ops(result), std::vector<std::string>{"/mm/9"});
    EXPECT_EQ(result.exit_code(), 0);
}

TEST(QuickJudgement, computes_what_differs_and_what_made_its_inputs) {
    const Source golden = chain(Device::reference32(), 9);
    const Source target = chain(Device::reference32(), 9, 7);
    const compare::Result quick = judged_chains(target, golden, compare::Judging::kQuick);
    EXPECT_EQ(computed_ops(quick),
              (std::vector<std::string>{"/sigmoid/6", "/mm/7", "/sigmoid/8", "/mm/9"}));
    const compare::Result exact = judged_chains(target, golden, compare::Judging::kExact);
    EXPECT_EQ(computed_ops(exact).size(), 9u);
    for (const compare::Result& result : {quick, exact}) {
        ASSERT_EQ(result.culprits.size(), 1u);
        EXPECT_EQ(result.first_culprit()->target, "/mm/7");
        EXPECT_EQ(result.exit_code(), 1);
    }
    EXPECT_EQ(quick.ops[8].judgement.verdict, exact.ops[8].judgement.verdict);
}

TEST(QuickJudgement, names_a_weight_that_is_not_the_goldens) {
    const auto product = [](unsigned weight) {
        const Tensor x = random_tensor({4, 4}, 1);
        const Tensor w = random_tensor({4, 4}, weight);
        Executor executor(Device::reference32());
        return compare::hand_made({{"mm",
                                    {{"self", x}, {"mat2", w}},
                                    {{"result", executor.call("mm", {x, w}).tensor(0)}}}});
    };
    const compare::Result result = judged_chains(product(2), product(3), compare::Judging::kQuick);
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, compare::CulpritKind::kTensor);
    EXPECT_EQ(result.culprits[0].tensor, "/mm/1/input/mat2");
}

// Of 20 000 elements a part is computed; one alone is wrong.
TEST(Judging, finds_one_element_of_a_large_result) {
    constexpr int64_t kRows = 4000;
    const Source golden = chain(Device::reference32(), 9, 0, kRows);
    const Device device = Device::npu(chip("910A"));
    for (const auto judging : {compare::Judging::kQuick, compare::Judging::kExact}) {
        EXPECT_EQ(judged_chains(chain(device, 9, 0, kRows), golden, judging).exit_code(), 0);
        for (const int64_t broken : {6, 7}) {
            const compare::Result result =
                judged_chains(chain(device, 9, broken, kRows), golden, judging);
            ASSERT_EQ(result.culprits.size(), 1u);
            const OpResult& culprit = *result.first_culprit();
            EXPECT_EQ(culprit.target, broken == 6 ? "/sigmoid/6" : "/mm/7");
            const auto& split = culprit.tensors.back().split;
            ASSERT_TRUE(split && split->target);
            EXPECT_EQ(split->target->over, 1);
            EXPECT_EQ(split->target->worst.at(0).index, 7);
        }
    }
}

TEST(NoJudgement, goes_by_distance_alone) {
    const compare::Result result = judged_chains(chain(Device::reference32(), 9, 7),
                                                 chain(Device::reference32(), 9),
                                                 compare::Judging::kOff);
    EXPECT_EQ(computed_ops(result), std::vector<std::string>{});
    EXPECT_EQ(result.counts.by_verdict[static_cast<size_t>(compare::Verdict::kInherited)], 0);
    EXPECT_GT(result.counts.by_verdict[static_cast<size_t>(compare::Verdict::kFail)], 1);
}

TEST(Judging, contradicted_arithmetic_is_one_finding) {
    const Source golden = chain(Device::reference32(), 23);
    const Source target = chain(Device::npu(chip("910A")), 23);
    EXPECT_EQ(judged_chains(target, golden, compare::Judging::kExact).exit_code(), 0);
    const compare::Result result = judged_chains(
        target, golden, compare::Judging::kExact, ExpectedArithmetic(&chip("910B"), ""));
    EXPECT_EQ(result.exit_code(), 1);
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, compare::CulpritKind::kArithmetic);
    EXPECT_EQ(result.first_culprit()->target, "/mm/1");
    ASSERT_EQ(result.contradictions.size(), 1u);
    EXPECT_EQ(result.contradictions[0].found.expected, "fp32");
}

TEST(Judging, a_fault_of_the_goldens_is_a_finding_unless_that_is_allowed) {
    const Source target = chain(Device::reference32(), 9);
    const Source golden = chain(Device::reference32(), 9, 5);
    const compare::Result found = judged_chains(target, golden, compare::Judging::kExact);
    ASSERT_EQ(found.culprits.size(), 1u);
    EXPECT_EQ(found.culprits[0].kind, compare::CulpritKind::kGolden);
    EXPECT_EQ(found.exit_code(), 1);
    const compare::Result allowed =
        judged_chains(target, golden, compare::Judging::kExact, {}, true);
    EXPECT_TRUE(allowed.culprits.empty());
    EXPECT_EQ(allowed.ops[4].judgement.verdict, compare::Verdict::kGoldenAtFault);
    EXPECT_EQ(allowed.exit_code(), 0);
    // The target's own faults stay findings.
    const compare::Result both = judged_chains(
        chain(Device::reference32(), 9, 8), golden, compare::Judging::kExact, {}, true);
    ASSERT_EQ(both.culprits.size(), 1u);
    EXPECT_EQ(both.first_culprit()->target, "/sigmoid/8");
    EXPECT_EQ(both.exit_code(), 1);
}

TEST(Judging, an_input_that_is_nan_on_one_side_is_inherited_without_limit) {
    const Tensor x = test::floats({1, 2, 3, 4});
    const Tensor broken = test::floats({1, test::kNan, 3, 4});
    const compare::Result result = judged_chains(
        compare::hand_made(
            {{"neg", {{"self", broken}}, {{"result", test::floats({-1, test::kNan, -3, -4})}}}}),
        compare::hand_made({{"neg", {{"self", x}}, {{"result", test::floats({-1, -2, -3, -4})}}}}),
        compare::Judging::kExact);
    const compare::TensorResult& output = result.ops[0].tensors.back();
    ASSERT_TRUE(output.split && output.split->inherited);
    EXPECT_EQ(*output.split->inherited, test::kInf);
}

}  // namespace
}  // namespace npuscope::diagnose
