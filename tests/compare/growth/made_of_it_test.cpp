#include "compare/growth/made_of_it.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

/// A root, `between` ops behind it, and an exponential of the last.
Source chain(int between, const std::string& name = "neg") {
    Tensor last = random_tensor({8}, 1);
    std::vector<HandMadeOp> ops = {step("sqrt", random_tensor({8}, 0), last)};
    for (int i = 0; i < between; ++i) {
        const Tensor next = random_tensor({8}, 2 + static_cast<unsigned>(i));
        ops.push_back(step(name, last, next));
        last = next;
    }
    ops.push_back(step("exp", last, random_tensor({8}, 90)));
    return hand_made(ops);
}

/// Whether what is made of the root agrees, where the exponential is so far off and all before
/// it farther.
bool agrees(const Source& source, double end, double limit = 1e-3) {
    Dataflow flow = trace(source);
    const Plan plan = make_plan(source, source);
    const Side side{source, flow};
    Result result;
    const SideDistances distances(side, true, plan, result);
    std::vector<TensorResult> tensors(plan.ops.size());
    std::vector<MeasuredRun> runs;
    for (size_t place = 0; place < plan.ops.size(); ++place) {
        const SourceOp& op = *plan.ops[place].target;
        tensors[place].target = op.path + "/output/result";
        MeasuredRun& run = runs.emplace_back();
        run.place = place;
        run.tensor = &tensors[place];
        run.out.norm = op.id.op == "exp" ? end : 1;
    }
    MadeOfIt made(plan, distances);
    made.take(runs);
    return made.agrees(runs.front(), limit);
}

TEST(MadeOfIt, agrees_again_a_few_ops_on) {
    EXPECT_TRUE(agrees(chain(1), 1e-4));
    EXPECT_TRUE(agrees(chain(5), 1e-4));
    EXPECT_FALSE(agrees(chain(6), 1e-4));
}

TEST(MadeOfIt, does_not_agree_where_the_end_is_off) {
    EXPECT_FALSE(agrees(chain(1), 1e-2));
}

TEST(MadeOfIt, tells_nothing_behind_a_step_in_place_nor_where_nobody_takes_it_in) {
    EXPECT_FALSE(agrees(chain(1, "add_"), 1e-4));
    const Source alone = hand_made({step("sqrt", random_tensor({8}, 0), random_tensor({8}, 1))});
    EXPECT_FALSE(agrees(alone, 1e-4));
}

}  // namespace
}  // namespace npuscope::compare
