#include "compare/programs/second_look.h"

#include <gtest/gtest.h>

#include "compare/count.h"

namespace npuscope::compare {
namespace {

/// Results of pairs, off by so much of their norm.
Result with_results(const std::vector<double>& norms) {
    Result result;
    for (const double norm : norms) {
        OpResult& op = result.ops.emplace_back();
        op.target = op.golden = "/mm/" + std::to_string(result.ops.size());
        for (const auto direction : {dumpfile::Direction::kInput, dumpfile::Direction::kOutput}) {
            TensorResult& tensor = op.tensors.emplace_back();
            tensor.direction = direction;
            tensor.dtype = "float32";
            tensor.metrics = {0};
            tensor.sums.numel = 1;
            tensor.sums.gg = 1;
            tensor.sums.dd = norm * norm;
        }
    }
    count(result);
    return result;
}

Result with_culprit(const Culprit& culprit) {
    Result result = with_results({0, 0, 0});
    result.culprits.push_back(culprit);
    return result;
}

TEST(SecondLook, is_wanted_where_the_first_finding_is_another_program) {
    EXPECT_FALSE(wants_second_look(with_results({0.5})));
    EXPECT_TRUE(wants_second_look(with_culprit({.kind = CulpritKind::kProgram})));
    EXPECT_FALSE(wants_second_look(with_culprit({.kind = CulpritKind::kOp})));
    EXPECT_FALSE(wants_second_look(with_culprit({.kind = CulpritKind::kTensor})));
    Result shapes = with_culprit({.kind = CulpritKind::kOp, .op = 1});
    shapes.ops[1].judgement.verdict = Verdict::kIncomparable;
    EXPECT_TRUE(wants_second_look(shapes));
}

TEST(SecondLook, is_wanted_where_a_finding_reaches_nothing_and_the_programs_differ) {
    Result result = with_culprit({.kind = CulpritKind::kTensor, .effect = 0});
    EXPECT_FALSE(wants_second_look(result));
    result.ops[2].shapes_differ = true;
    EXPECT_TRUE(wants_second_look(result));
    result.culprits.front().effect = 0.01;
    EXPECT_FALSE(wants_second_look(result));
}

TEST(SecondLook, is_wanted_where_elements_in_another_order_leave_rounding) {
    const auto rearranged = [](double effect) {
        return with_culprit(
            {.kind = CulpritKind::kTensor, .is_rearranged = true, .effect = effect});
    };
    EXPECT_TRUE(wants_second_look(rearranged(0)));
    EXPECT_TRUE(wants_second_look(rearranged(0.0005)));
    EXPECT_FALSE(wants_second_look(rearranged(0.01)));
    EXPECT_TRUE(tells_more(rearranged(0), with_results({0, 0.001, 0.02})));
    const Result elsewhere = with_culprit({.kind = CulpritKind::kProgram, .op = 1});
    EXPECT_TRUE(tells_more(rearranged(0), elsewhere));
    // What was taken in instead tells more than that it makes something else.
    const Result rewired =
        with_culprit({.kind = CulpritKind::kTensor, .is_rewired = true, .effect = 0});
    EXPECT_TRUE(wants_second_look(rewired));
    EXPECT_FALSE(tells_more(rewired, elsewhere));
}

TEST(SecondLook, is_not_wanted_twice_nor_of_results_that_one_side_lacks_nor_without_inputs) {
    const Result result = with_culprit({.kind = CulpritKind::kProgram});
    Result other = result;
    other.by_content = true;
    EXPECT_FALSE(wants_second_look(other));
    other = result;
    other.partings.emplace_back().ends = true;
    EXPECT_FALSE(wants_second_look(other));
    other = result;
    for (OpResult& op : other.ops)
        op.tensors.erase(op.tensors.begin());
    EXPECT_FALSE(wants_second_look(other));
}

TEST(SecondLook, is_not_wanted_where_one_program_is_the_other_and_some_ops_more) {
    Result result = with_culprit({.kind = CulpritKind::kProgram});
    result.ops[0].golden = "";
    EXPECT_FALSE(wants_second_look(result));
    result.ops[2].tensors.back().judgement.verdict = Verdict::kMissingTarget;
    EXPECT_TRUE(wants_second_look(result));  // it may stand for that
    result.ops[2].tensors.back().judgement.verdict = Verdict::kPass;
    result.ops[1].target = "";
    EXPECT_TRUE(wants_second_look(result));
    result.ops[1].in_span = true;
    EXPECT_FALSE(wants_second_look(result));
}

TEST(SecondLook, tells_more_where_it_finds_nothing_or_what_is_no_parting) {
    const Result by_names = with_culprit({.kind = CulpritKind::kProgram});
    EXPECT_TRUE(tells_more(by_names, with_results({0, 0.001, 0.02})));
    EXPECT_TRUE(tells_more(by_names,
                           with_results({0, 0, 0, 0, 0, 0, 0, 0, 0, 1.4})));  // a sum that cancels
    EXPECT_FALSE(tells_more(by_names, with_results({0, 0, 0.9, 1.4})));
    EXPECT_TRUE(tells_more(by_names, with_culprit({.kind = CulpritKind::kOp})));
    Result parting = with_culprit({.kind = CulpritKind::kProgram, .op = 1});
    EXPECT_TRUE(tells_more(by_names, parting));  // two ops that compute something else
    parting.partings.emplace_back().op = 1;
    EXPECT_FALSE(tells_more(by_names, parting));
    // Tensors that were not measured tell less than where the programs part.
    Result shapes = with_culprit({.kind = CulpritKind::kOp, .op = 1});
    shapes.ops[1].judgement.verdict = Verdict::kIncomparable;
    EXPECT_TRUE(tells_more(shapes, parting));
}

/// So many of its first ops are at fault, or take in another tensor.
Result with_many(size_t count, const Culprit& culprit) {
    Result result = with_results({0, 0, 0, 0, 0});
    for (OpResult& op : result.ops)
        op.id.op = "mm";
    for (size_t i = 0; i < count; ++i) {
        result.culprits.push_back(culprit);
        result.culprits.back().op = i;
    }
    return result;
}

TEST(SecondLook, is_wanted_where_ops_of_one_name_are_at_fault_again_and_again) {
    const Culprit at_fault{.kind = CulpritKind::kOp, .effect = 1};
    const Culprit rewired{.kind = CulpritKind::kTensor, .is_rewired = true, .effect = 1};
    for (const Culprit& culprit : {at_fault, rewired}) {
        EXPECT_FALSE(wants_second_look(with_many(2, culprit)));
        EXPECT_TRUE(wants_second_look(with_many(3, culprit)));
    }
    // What is left of them tells more.
    EXPECT_TRUE(tells_more(with_many(3, at_fault), with_many(1, at_fault)));
    EXPECT_FALSE(tells_more(with_many(3, at_fault), with_many(3, at_fault)));
}

TEST(SecondLook, is_wanted_where_the_ends_are_alike_though_one_side_has_more_ops) {
    Result folded = with_culprit({.kind = CulpritKind::kTensor});
    EXPECT_FALSE(wants_second_look(folded));
    folded.spans.emplace_back().only_golden = {"/native_batch_norm/2"};
    EXPECT_TRUE(wants_second_look(folded));
    Result apart = with_results({0, 0, 0.5});
    apart.culprits = folded.culprits;
    apart.spans = folded.spans;
    EXPECT_FALSE(wants_second_look(apart));
}

TEST(SecondLook, is_for_calls_in_another_order_as_well) {
    const Result by_names = with_culprit({.kind = CulpritKind::kTensor, .is_of_another = true});
    EXPECT_TRUE(wants_second_look(by_names));
    EXPECT_TRUE(tells_more(by_names, with_results({0, 0.001, 0.02})));
    EXPECT_TRUE(tells_more(by_names, with_culprit({.kind = CulpritKind::kOp})));
    // Two weights that were exchanged.
    EXPECT_FALSE(tells_more(by_names, with_culprit({.kind = CulpritKind::kProgram, .op = 1})));
    EXPECT_FALSE(tells_more(
        by_names, with_culprit({.kind = CulpritKind::kTensor, .op = 1, .is_rewired = true})));
}

TEST(SecondLook, tells_nothing_where_the_op_of_the_finding_is_as_far_off) {
    Result by_names = with_culprit({.kind = CulpritKind::kTensor, .op = 1});
    by_names.ops[1].id.op = "mm";
    EXPECT_TRUE(tells_more(by_names, with_results({0, 0.001, 0, 0.2})));
    EXPECT_FALSE(tells_more(by_names, with_results({0, 0.2, 0, 0})));
    // The weight may lie transposed in memory on one side alone.
    by_names.ops[1].id.op = "t";
    EXPECT_TRUE(tells_more(by_names, with_results({0, 0.2, 0, 0})));
}

}  // namespace
}  // namespace npuscope::compare
