#include "compare/dataflow/rebuild.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/tensor/difference.h"
#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// The source without its inputs.
Source outputs_only(Source source) {
    source.has_inputs = false;
    for (SourceOp& op : source.ops)
        op.load = [load = op.load] {
            auto tensors = load();
            std::erase_if(tensors, [](const SourceTensor& tensor) {
                return tensor.direction == dumpfile::Direction::kInput;
            });
            return tensors;
        };
    return source;
}

TEST(InputRebuilder, takes_views_of_the_targets_outputs_and_the_goldens_givens) {
    const Tensor made = random_tensor({6, 4}, 1);
    const Tensor weight = random_tensor({6, 5}, 2);
    const Tensor noisy = changed(made, [](float x) { return x * 1.01f; });
    const Tensor zeros = Tensor::zeros(DType::kFloat32, {3});
    const auto program = [&](const Tensor& out) {
        return std::vector<HandMadeOp>{
            {"relu", {}, {{"out", out}}},
            {"zeros_like", {}, {{"out", zeros}}},
            {"mm", {{"self", transposed(out)}, {"mat2", weight}, {"bias", zeros}}, {}}};
    };
    TracedPair pair(outputs_only(hand_made(program(noisy))), hand_made(program(made)));
    InputRebuilder rebuilder(pair.flows);
    const auto inputs = rebuilder.inputs_of(2);
    ASSERT_EQ(inputs.size(), 3u);
    EXPECT_EQ(inputs[0].origin, Rebuilt::kMade);
    EXPECT_EQ(inputs[0].producer, "/relu/1/output/out");
    EXPECT_TRUE(identical(*inputs[0].tensor, transposed(noisy)));
    EXPECT_EQ(inputs[1].origin, Rebuilt::kGiven);
    EXPECT_TRUE(identical(*inputs[1].tensor, weight));
    EXPECT_EQ(inputs[2].origin, Rebuilt::kMade);
}

TEST(InputRebuilder, does_not_guess_what_plain_elements_became) {
    const auto program = [&](float value) {
        const Tensor plain =
            changed(Tensor::zeros(DType::kFloat32, {3}), [&](float) { return value; });
        return std::vector<HandMadeOp>{
            {"relu", {}, {{"out", plain}}},
            {"sum", {{"self", plain}}, {{"out", random_tensor({1}, 1)}}}};
    };
    TracedPair pair(outputs_only(hand_made(program(0.5f))), hand_made(program(0)));
    InputRebuilder rebuilder(pair.flows);
    const auto inputs = rebuilder.inputs_of(1);
    ASSERT_EQ(inputs.size(), 1u);
    EXPECT_EQ(inputs[0].origin, Rebuilt::kUnknown);
    EXPECT_FALSE(inputs[0].tensor);
}

TEST(InputRebuilder, rebuilds_nearly_all_inputs_of_recorded_steps) {
    for (const std::string step : {"mlp", "attention", "convolution"}) {
        const Source whole = recorded_step(step + "_910A");
        TracedPair pair(outputs_only(recorded_step(step + "_910A")), recorded_step(step + "_cpu"));
        const Plan plan = make_plan(whole, pair.golden);
        InputRebuilder rebuilder(pair.flows);
        int all = 0;
        int right = 0;
        for (size_t op = 0; op < pair.plan.ops.size(); ++op) {
            if (pair.plan.ops[op].golden == nullptr || pair.plan.ops[op].target == nullptr)
                continue;
            std::vector<SourceTensor> recorded;
            for (const SourceOp& other : whole.ops)
                if (other.path == pair.plan.ops[op].target->path) recorded = other.load();
            for (const RebuiltInput& input : rebuilder.inputs_of(op)) {
                const auto found = std::ranges::find_if(recorded, [&](const SourceTensor& tensor) {
                    return tensor.direction == dumpfile::Direction::kInput &&
                           tensor.argument == input.argument;
                });
                if (found == recorded.end()) continue;
                const Tensor truth = found->open()->whole();
                ++all;
                if (input.tensor && input.tensor->numel() == truth.numel() &&
                    difference(input.tensor->reshaped(truth.shape()), truth).relative() < 1e-2)
                    ++right;
            }
        }
        EXPECT_GE(right, 0.9 * all) << step << ": " << right << " of " << all;
    }
}

}  // namespace
}  // namespace npuscope::compare
