#include "compare/growth/no_pairs.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

HandMadeOp product(const Tensor& in, const Tensor& weight, const Tensor& out) {
    return {"mm", {{"self", in}, {"mat2", weight}}, {{"out", out}}};
}

/// Two products on either side, the k-th paired with the k-th by their name. The golden's are given
/// the target's inputs and weights the other way round.
struct Crossed {
    Crossed() {
        plan.ops = {{&target.ops[0], &golden.ops[0]}, {&target.ops[1], &golden.ops[1]}};
        result.ops.resize(2);
    }

    [[nodiscard]] static Source side(unsigned first, unsigned second) {
        return hand_made({product(random_tensor({3, 4}, first),
                                  random_tensor({4, 5}, first + 10),
                                  random_tensor({3, 5}, first + 20)),
                          product(random_tensor({3, 4}, second),
                                  random_tensor({4, 5}, second + 10),
                                  random_tensor({3, 5}, second + 20))});
    }

    /// The first target op's weight is that of this golden op.
    void give_weight_of(size_t golden_op) {
        const std::string theirs = golden.ops[golden_op].path + "/input/mat2";
        plan.given = {{.target = {&target.ops[0], 1, "/mm/1/input/mat2"},
                       .golden = {&golden.ops[golden_op], 1, theirs},
                       .direction = dumpfile::Direction::kInput}};
    }

    /// A tensor of the first pair, off by that share of the norm.
    TensorResult& add(const std::string& place, double off) {
        TensorResult& tensor = result.ops[0].tensors.emplace_back();
        tensor.target = tensor.golden = "/mm/1/" + place;
        if (place.starts_with("input")) tensor.direction = dumpfile::Direction::kInput;
        tensor.metrics = {0};
        tensor.sums.gg = 1;
        tensor.sums.dd = off * off;
        return tensor;
    }

    [[nodiscard]] NoPairs found() {
        Dataflow mine = trace(target);
        Dataflow theirs = trace(golden);
        const PairedFlows flows(plan, {target, mine}, {golden, theirs});
        return forget_no_pairs(plan,
                               SideDistances(flows.target(), true, plan, result),
                               SideDistances(flows.golden(), false, plan, result),
                               result);
    }

    Source target = side(1, 2);
    Source golden = side(2, 1);
    Plan plan{};
    Result result{};
};

TEST(NoPairs, are_ops_whose_weight_the_golden_gives_to_another) {
    Crossed crossed;
    crossed.give_weight_of(1);
    crossed.add("input/self", 0.5);
    crossed.add("output/out", 0.5);
    const NoPairs found = crossed.found();
    EXPECT_TRUE(found.strangers.contains(0));
    EXPECT_TRUE(found.has(0));
    EXPECT_FALSE(found.has(1));
    for (const TensorResult& tensor : crossed.result.ops[0].tensors) {
        EXPECT_EQ(tensor.judgement.verdict, Verdict::kUndefined);
        EXPECT_EQ(tensor.judgement.rule, "the golden's op of that name takes in something else");
    }
}

TEST(NoPairs, are_none_where_the_golden_gives_the_weight_to_its_partner) {
    Crossed crossed;
    crossed.give_weight_of(0);
    crossed.add("input/self", 0.5);
    EXPECT_FALSE(crossed.found().has(0));
    EXPECT_EQ(crossed.result.ops[0].tensors[0].judgement.verdict, Verdict::kPass);
}

TEST(NoPairs, are_none_where_what_comes_in_is_alike) {
    Crossed crossed;
    crossed.give_weight_of(1);
    TensorResult& input = crossed.add("input/self", 0.04);
    EXPECT_FALSE(crossed.found().has(0));
    input.sums.dd = 0.06 * 0.06;
    EXPECT_TRUE(crossed.found().has(0));
}

TEST(NoPairs, are_none_where_relations_paired_them) {
    Crossed crossed;
    crossed.give_weight_of(1);
    crossed.plan.ops[0].ties = crossed.plan.given;
    crossed.add("input/self", 0.5);
    EXPECT_FALSE(crossed.found().has(0));
}

TEST(NoPairs, are_ops_that_are_given_another_number_of_elements) {
    Crossed crossed;
    crossed.target = hand_made(
        {product(random_tensor({3, 6}, 1), random_tensor({6, 5}, 2), random_tensor({3, 5}, 3))});
    crossed.plan.ops = {{&crossed.target.ops[0], &crossed.golden.ops[0]}};
    crossed.add("input/mat2", 0).judgement = {Verdict::kIncomparable, "shapes differ"};
    EXPECT_TRUE(crossed.found().strangers.contains(0));
    EXPECT_EQ(crossed.result.ops[0].tensors[0].judgement.verdict, Verdict::kUndefined);
}

TEST(NoPairs, of_other_shapes_alone_are_no_strangers) {
    Crossed crossed;
    crossed.target = hand_made(
        {product(random_tensor({3, 4}, 1), random_tensor({5, 4}, 2), random_tensor({3, 5}, 3))});
    crossed.plan.ops = {{&crossed.target.ops[0], &crossed.golden.ops[0]}};
    crossed.add("input/mat2", 0).judgement = {Verdict::kIncomparable, "shapes differ"};
    const NoPairs found = crossed.found();
    EXPECT_FALSE(found.strangers.contains(0));
    EXPECT_TRUE(found.unrelated.contains(0));
    const Judgement& told = crossed.result.ops[0].tensors[0].judgement;
    EXPECT_EQ(told.verdict, Verdict::kUndefined);
    EXPECT_EQ(told.rule, "shapes differ, and nothing relates them");
}

TEST(NoPairs, are_none_whose_results_alone_have_another_size) {
    Crossed crossed;
    TensorResult& result = crossed.add("output/out", 0);
    result.judgement = {Verdict::kIncomparable, "shapes differ: [2,4] and [2,8]"};
    EXPECT_FALSE(crossed.found().strangers.contains(0));
}

}  // namespace
}  // namespace npuscope::compare
