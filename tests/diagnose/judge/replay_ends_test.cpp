#include "diagnose/judge/replay_ends.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::diagnose {
namespace {

using compare::hand_made;
using compare::HandMadeOp;
using compare::PairedFlows;
using compare::Plan;
using compare::random_tensor;
using compare::ReplayedResult;

const Tensor kTaken = random_tensor({4, 6}, 1);
const Tensor kFirst = random_tensor({4, 6}, 2);
const Tensor kSecond = random_tensor({4, 6}, 3);
const Tensor kThird = random_tensor({4, 6}, 4);

/// Three functions, one behind the other, of which the second agrees and may prove nothing: what
/// the replay says of them.
compare::Replay replay_of_chain(bool tells_little) {
    const std::vector<HandMadeOp> ops = {{"relu", {{"self", kTaken}}, {{"result", kFirst}}},
                                         {"tanh", {{"self", kFirst}}, {{"result", kSecond}}},
                                         {"exp", {{"self", kSecond}}, {{"result", kThird}}}};
    const Source target = hand_made(ops);
    const Source golden = hand_made(ops);
    Plan plan;
    for (size_t i = 0; i < ops.size(); ++i)
        plan.ops.push_back({.target = &target.ops[i], .golden = &golden.ops[i]});
    compare::Dataflow mine = compare::trace(target);
    compare::Dataflow theirs = compare::trace(golden);
    const PairedFlows flows(plan, {target, mine}, {golden, theirs});
    ReplayedResults results;
    for (size_t i = 0; i < theirs.tensors.size(); ++i) {
        const compare::TracedTensor& tensor = theirs.tensors[i];
        if (tensor.direction == dumpfile::Direction::kInput) {
            if (tensor.producer) results.used.insert(*tensor.producer);
            continue;
        }
        const bool is_second = tensor.op == 1;
        results.judged.emplace(i,
                               ReplayedResult{.pair = tensor.op,
                                              .op = tensor.op,
                                              .target = tensor.path,
                                              .golden = tensor.path,
                                              .off = is_second ? 0.05 : 0.5,
                                              .allowed = 0.1,
                                              .tells_little = is_second && tells_little});
    }
    compare::Replay replay = replay_of(flows, results);
    EXPECT_EQ(replay.settled.contains(&golden.ops[0]), !tells_little);
    return replay;
}

TEST(ReplayEnds, look_past_what_agrees_and_proves_nothing) {
    const compare::Replay coarse = replay_of_chain(true);
    ASSERT_TRUE(coarse.first_apart.has_value());
    EXPECT_EQ(coarse.first_apart->golden, "/relu/1/output/result");
    const compare::Replay fine = replay_of_chain(false);
    ASSERT_TRUE(fine.first_apart.has_value());
    EXPECT_EQ(fine.first_apart->golden, "/exp/3/output/result");
}

TEST(ReplayEnds, take_the_first_of_equal_results_for_used_where_the_last_one_is) {
    const Source golden = hand_made({{"sum", {{"self", kTaken}}, {{"result", kFirst}}},
                                     {"sum", {{"self", kSecond}}, {{"result", kFirst}}},
                                     {"tanh", {{"self", kThird}}, {{"result", kFirst}}},
                                     {"sum", {{"self", kFirst}}, {{"result", kSecond}}}});
    compare::Dataflow flow = compare::trace(golden);
    const auto result_of = [&](size_t op) {
        for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i)
            if (flow.tensors[i].direction == dumpfile::Direction::kOutput) return i;
        return flow.tensors.size();
    };
    ReplayedResults results;
    results.used.insert(result_of(1));
    use_twins({golden, flow}, results);
    EXPECT_TRUE(results.used.contains(result_of(0)));
    EXPECT_FALSE(results.used.contains(result_of(2)));
    EXPECT_FALSE(results.used.contains(result_of(3)));
}

TEST(ReplayEnds, take_a_plain_number_for_one_found_by_chance) {
    compare::TracedTensor number;
    number.content.emplace();
    number.content->numel = 1;
    number.content->first = 0.8272679;
    EXPECT_TRUE(is_no_chance(number, 1e-6));
    EXPECT_FALSE(is_no_chance(number, 5e-5));
    number.content->first = 0.5;
    EXPECT_FALSE(is_no_chance(number, 1e-6));
    number.content->numel = 24;
    EXPECT_TRUE(is_no_chance(number, 5e-5));
}

}  // namespace
}  // namespace npuscope::diagnose
