#include "compare/align/align.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/compare/made_program.h"

namespace npuscope::compare {
namespace {

/// A target's and a golden's program, aligned; kept as long as the plan borrows them.
struct Aligned {
    MadeProgram mine;
    MadeProgram theirs;
    Source target;
    Source golden;
    Plan plan;

    Aligned(MadeProgram t, MadeProgram g, const Recording& recording = {})
        : mine(std::move(t)),
          theirs(std::move(g)),
          target(source_of(mine, recording)),
          golden(source_of(theirs, {recording.places, recording.elements})),
          plan(align_runs(target, golden)) {}

    /// Pairs of one call, and of two.
    [[nodiscard]] std::pair<size_t, size_t> right_and_wrong() const {
        size_t right = 0;
        size_t wrong = 0;
        for (const OpPair& pair : plan.ops) {
            if (pair.target == nullptr || pair.golden == nullptr) continue;
            const auto at = static_cast<size_t>(pair.target - target.ops.data());
            const auto other = static_cast<size_t>(pair.golden - golden.ops.data());
            ++(mine[at].identity == theirs[other].identity ? right : wrong);
        }
        return {right, wrong};
    }

    [[nodiscard]] std::vector<std::string> partings() const {
        std::vector<std::string> texts;
        for (const Parting& parting : plan.partings)
            texts.push_back(to_text(parting));
        return texts;
    }
};

/// Where an op of that name and module stands.
size_t place_in(const MadeProgram& program, const std::string& name, const std::string& module) {
    const auto found = std::ranges::find_if(
        program, [&](const MadeOp& op) { return op.name == name && op.module == module; });
    EXPECT_NE(found, program.end());
    return static_cast<size_t>(found - program.begin());
}

/// New ops in front of the one at `at`; they are nobody's.
void insert(MadeProgram& program, size_t at, const std::vector<MadeOp>& ops) {
    auto copies = ops;
    for (MadeOp& op : copies)
        op.identity = -1 - static_cast<int64_t>(program.size());
    program.insert(program.begin() + static_cast<std::ptrdiff_t>(at), copies.begin(), copies.end());
}

const std::vector<Recording> kRecordings = {
    {true, true, true}, {false, true, true}, {true, false, true}, {false, false, true}};

std::string name_of_recording(const Recording& recording) {
    return std::string(recording.places ? "places" : "no places") +
           (recording.elements ? ", elements" : ", no elements");
}

TEST(Align, pairs_equal_programs_op_by_op) {
    const MadeProgram program = made_transformer(3);
    const Aligned aligned(program, program);
    EXPECT_EQ(aligned.right_and_wrong(), std::pair(program.size(), size_t{0}));
    EXPECT_TRUE(aligned.plan.partings.empty());
    EXPECT_EQ(aligned.plan.ops.front().match, "name");
}

/// A linear layer and a relu more behind layer `after`, forward and backward.
MadeProgram with_a_layer_more(MadeProgram program, int after) {
    const std::string next = "fc" + std::to_string(after + 1);
    const std::string relu = "act" + std::to_string(after);
    const Shape x = {12, 16};
    const MadeOp linear = {0, "addmm", {{16}, x, {16, 16}}, x, "more.0", "net.py:23", 4711};
    insert(program,
           place_in(program, "addmm", next),
           {linear, {0, "relu", {x}, x, "more.1", "net.py:23"}});
    insert(program,
           place_in(program, "threshold_backward", relu),
           {{0, "threshold_backward", {x, x}, x, "more.1", "net.py:40"},
            {0, "mm", {x, {16, 16}}, x, "more.0", "net.py:40", 4711},
            {0, "mm", {{16, 12}, x}, {16, 16}, "more.0", "net.py:40"},
            {0, "sum_dim_IntList", {x}, {1, 16}, "more.0", "net.py:40"}});
    return program;
}

TEST(Align, finds_a_layer_more_wherever_it_stands) {
    const MadeProgram golden = made_mlp(6);
    for (const int after : {0, 2, 4})
        for (const Recording& recording : kRecordings) {
            if (!recording.places && !recording.elements) continue;
            SCOPED_TRACE(std::to_string(after) + ", " + name_of_recording(recording));
            const Aligned aligned(with_a_layer_more(golden, after), golden, recording);
            // Nothing but its place tells a relu among two.
            const auto [right, wrong] = aligned.right_and_wrong();
            EXPECT_EQ(right + wrong, golden.size());
            EXPECT_LE(wrong, recording.places ? 0u : 2u);
            const auto texts = aligned.partings();
            ASSERT_EQ(texts.size(), 2u);
            const std::string first = "the programs part here: target has addmm, relu more";
            EXPECT_EQ(texts[0], recording.places ? first + " (more.0, net.py:23)" : first);
            const Parting& parting = aligned.plan.partings[0];
            ASSERT_NE(parting.before_target, nullptr);
            EXPECT_EQ(parting.before_target->id.op, "relu");
            EXPECT_EQ(parting.before_golden->path, parting.before_target->path);
        }
}

TEST(Align, counts_no_more_than_the_layer_where_nothing_tells_which) {
    const MadeProgram golden = made_mlp(6);
    const Aligned aligned(with_a_layer_more(golden, 2), golden, {false, false, true});
    size_t alone = 0;
    for (const OpPair& pair : aligned.plan.ops)
        alone += pair.golden == nullptr ? 1 : 0;
    EXPECT_EQ(alone, 6u);
    EXPECT_EQ(aligned.plan.ops.size(), golden.size() + 6);
}

TEST(Align, finds_a_missing_bias) {
    const MadeProgram golden = made_mlp(6);
    for (const int layer : {0, 2, 5})
        for (const Recording& recording : kRecordings) {
            SCOPED_TRACE(std::to_string(layer) + ", " + name_of_recording(recording));
            const std::string module = "fc" + std::to_string(layer);
            MadeProgram target = golden;
            MadeOp& linear = target[place_in(target, "addmm", module)];
            linear.name = "mm";
            linear.inputs.erase(linear.inputs.begin());
            target.erase(target.begin() +
                         static_cast<std::ptrdiff_t>(place_in(target, "sum_dim_IntList", module)));
            const Aligned aligned(target, golden, recording);
            EXPECT_EQ(aligned.right_and_wrong(), std::pair(golden.size() - 2, size_t{0}));
            const auto texts = aligned.partings();
            ASSERT_EQ(texts.size(), 2u);
            EXPECT_TRUE(texts[0].starts_with(
                "the programs part here: target has mm where golden has addmm"));
            EXPECT_TRUE(
                texts[1].starts_with("the programs part here: golden has sum_dim_IntList more"));
        }
}

TEST(Align, finds_a_relu_more_and_another_activation) {
    const MadeProgram golden = made_mlp(6);
    MadeProgram more = golden;
    insert(more,
           place_in(more, "addmm", "fc3"),
           {{0, "relu", {{12, 16}}, {12, 16}, "act2b", "net.py:9"}});
    const Aligned one(more, golden);
    EXPECT_EQ(one.right_and_wrong(), std::pair(golden.size(), size_t{0}));
    EXPECT_EQ(
        one.partings(),
        std::vector<std::string>{"the programs part here: target has relu more (act2b, net.py:9)"});
    MadeProgram other = golden;
    other[place_in(other, "relu", "act2")].name = "gelu";
    const Aligned two(other, golden);
    EXPECT_EQ(two.right_and_wrong(), std::pair(golden.size() - 1, size_t{0}));
    EXPECT_EQ(
        two.partings(),
        std::vector<std::string>{
            "the programs part here: target has gelu where golden has relu (act2, net.py:9)"});
}

TEST(Align, pairs_branches_whose_order_changed) {
    const MadeProgram golden = made_transformer(3);
    // Without places, what has no weights is told by what was computed, if no fault spoilt it.
    const std::vector<Recording> recordings = {
        {true, true, true}, {true, false, true}, {false, true, false}};
    for (const Recording& recording : recordings) {
        SCOPED_TRACE(name_of_recording(recording));
        MadeProgram target = golden;
        for (const char* block : {"blocks.0", "blocks.1", "blocks.2"}) {
            const size_t q = place_in(target, "addmm", std::string(block) + ".q");
            std::swap(target[q], target[q + 2]);
            // The branch of v, three ops, behind that of k.
            const size_t v = place_in(target, "mm", std::string(block) + ".v");
            const auto at = target.begin() + static_cast<std::ptrdiff_t>(v);
            std::rotate(at, at + 3, at + 6);
        }
        const Aligned aligned(target, golden, recording);
        EXPECT_EQ(aligned.right_and_wrong(), std::pair(golden.size(), size_t{0}));
        EXPECT_TRUE(aligned.plan.partings.empty());
    }
}

TEST(Align, tells_which_of_equal_layers_was_dropped) {
    const MadeProgram golden = made_transformer(6, 2);
    for (const int block : {0, 3, 5})
        for (const Recording& recording : kRecordings) {
            SCOPED_TRACE(std::to_string(block) + ", " + name_of_recording(recording));
            MadeProgram target;
            const std::string module = "blocks." + std::to_string(block);
            bool within = false;
            for (const MadeOp& op : golden) {
                // Additions between two ops of the block belong to it.
                if (!op.module.empty()) within = op.module.starts_with(module);
                if (op.name.starts_with("mse_loss")) within = false;
                if (!within) target.push_back(op);
            }
            const Aligned aligned(target, golden, recording);
            const auto [right, wrong] = aligned.right_and_wrong();
            EXPECT_EQ(aligned.plan.ops.size() + aligned.plan.casts.size(), golden.size());
            // A backward pass may end where the next step begins.
            EXPECT_GE(aligned.plan.partings.size(), 3u);
            EXPECT_LE(aligned.plan.partings.size(), 4u);
            if (!recording.places && !recording.elements) continue;
            // Where a layer begins is told by what has weights or a place; a few ops are alike.
            EXPECT_GE(right, target.size() - 8);
            EXPECT_LE(wrong, 8u);
        }
}

TEST(Align, pairs_other_sizes_and_says_that_they_differ) {
    const Aligned aligned(made_mlp(6, 12, 24), made_mlp(6));
    EXPECT_EQ(aligned.right_and_wrong(), std::pair(made_mlp(6).size(), size_t{0}));
    EXPECT_TRUE(aligned.plan.ops[0].shapes_differ);
    EXPECT_TRUE(aligned.plan.partings.empty());
    const OpPair& loss = *std::ranges::find_if(
        aligned.plan.ops, [](const OpPair& pair) { return pair.target->id.op == "_log_softmax"; });
    EXPECT_FALSE(loss.shapes_differ);
}

/// What a script of random edits did to a program.
struct Edited {
    MadeProgram program;
    size_t common = 0;  ///< ops that are still there
};

/// One edit in about so many ops: drops, insertions of ops that are like others, replacements,
/// other shapes, casts, and neighbours that change places.
Edited edited(const MadeProgram& golden, int every, uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
    Edited result;
    int64_t nobody = -1;
    for (size_t i = 0; i < golden.size(); ++i) {
        MadeOp op = golden[i];
        const size_t kind = below(static_cast<size_t>(every)) == 0 ? below(6) : 6;
        if (kind == 0) continue;
        if (kind == 1 || kind == 5) {
            MadeOp other = golden[below(golden.size())];
            if (kind == 5) other = {0, "_to_copy", {op.output}, op.output};
            other.identity = nobody--;
            other.module = op.module;
            other.weight = 0;
            result.program.push_back(other);
        } else if (kind == 2) {
            op.name = "gelu_Other";
            op.identity = nobody--;
        } else if (kind == 3) {
            op.output.push_back(3);
        }
        result.common += op.identity > 0 ? 1 : 0;
        result.program.push_back(op);
        if (kind == 4 && result.program.size() > 1) {
            const size_t last = result.program.size() - 1;
            std::swap(result.program[last], result.program[last - 1]);
        }
    }
    return result;
}

/// Shares of the ops that are on both sides.
struct Shares {
    double right = 0;
    double wrong = 0;
};

Shares shares_after_edits(const Recording& recording, int every) {
    size_t right = 0;
    size_t wrong = 0;
    size_t common = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const MadeProgram golden = seed % 2 == 0 ? made_mlp(30) : made_transformer(4, 2);
        const Edited target = edited(golden, every, seed);
        const auto [good, bad] = Aligned(target.program, golden, recording).right_and_wrong();
        right += good;
        wrong += bad;
        common += target.common;
    }
    const auto share = [&](size_t count) {
        return static_cast<double>(count) / static_cast<double>(common);
    };
    return {share(right), share(wrong)};
}

TEST(Align, stands_up_to_random_edits_where_places_were_recorded) {
    for (const bool elements : {true, false})
        for (const int every : {100, 30, 12}) {
            const Shares shares = shares_after_edits({true, elements, true}, every);
            EXPECT_GE(shares.right, 0.99) << every;
            EXPECT_LE(shares.wrong, 0.003) << every;
        }
}

TEST(Align, stands_up_to_random_edits_by_shapes_alone) {
    // Alike neighbours that changed places, or one more of them, cannot be told then.
    const Shares few = shares_after_edits({false, false, true}, 100);
    EXPECT_GE(few.right, 0.99);
    EXPECT_LE(few.wrong, 0.003);
    const Shares more = shares_after_edits({false, false, true}, 30);
    EXPECT_GE(more.right, 0.99);
    EXPECT_LE(more.wrong, 0.005);
    EXPECT_GE(shares_after_edits({false, false, true}, 12).right, 0.95);
}

/// Seconds that aligning a program of about so many ops takes, another of whose ops is inserted
/// every `every`.
double seconds_to_align(size_t ops, size_t every) {
    const MadeProgram step = made_transformer(12, 1);
    const MadeProgram golden = made_transformer(12, static_cast<int>(ops / step.size()) + 1);
    const Source theirs = source_of(golden);
    MadeProgram target = golden;
    const MadeOp relu = {0, "relu", {{12, 16}}, {12, 16}, "blocks.5", "net.py:9"};
    for (size_t at = ops * 3 / 5; at > 2000; at -= std::min(every, at))
        insert(target, at, {relu});
    const Source mine = source_of(target, {true, true, true});
    const auto start = std::chrono::steady_clock::now();
    const Plan plan = align_runs(mine, theirs);
    EXPECT_EQ(plan.partings.size(), target.size() - golden.size());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// All pairs of ops would take 64 times as long.
TEST(Align, takes_time_in_proportion_where_long_programs_are_alike) {
    for (const size_t every : {size_t{1000}, size_t{30000}})
        EXPECT_LT(seconds_to_align(48000, every), 32 * seconds_to_align(6000, every)) << every;
}

}  // namespace
}  // namespace npuscope::compare
