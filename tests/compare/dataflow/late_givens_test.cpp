#include "compare/dataflow/late_givens.h"

#include <gtest/gtest.h>

#include "compare/dataflow/givens.h"
#include "tests/compare/dataflow/hand_made.h"
#include "tests/support/values.h"

namespace npuscope::compare {
namespace {

using Texts = std::vector<std::string>;

const Shape kRows = {4, 26};

Tensor noisy(const Tensor& tensor, float noise) {
    return changed(tensor, [&](float x) { return x * (1 + noise); });
}

/// A step whose backward pass began, and what the next step is given.
std::vector<HandMadeOp> next_step(const std::vector<HandMadeOp>& next, float noise) {
    const Tensor a = random_tensor(kRows, 1);
    const Tensor b = noisy(random_tensor(kRows, 2), noise);
    std::vector<HandMadeOp> ops = {{"tanh", {{"self", a}}, {{"result", b}}},
                                   {"tanh_backward", {{"grad_output", b}}, {{"result", b}}}};
    ops.insert(ops.end(), next.begin(), next.end());
    return ops;
}

HandMadeOp layer(const Tensor& input, const Tensor& weight) {
    return {"mm", {{"self", input}, {"mat2", weight}}, {{"result", random_tensor(kRows, 3)}}};
}

Givens found(const std::vector<HandMadeOp>& target, const std::vector<HandMadeOp>& golden) {
    TracedPair pair(hand_made(next_step(target, 1e-3F)), hand_made(next_step(golden, 0)));
    return differing_givens(pair.flows);
}

Texts told(const std::vector<HandMadeOp>& target, const std::vector<HandMadeOp>& golden) {
    Texts texts;
    for (const GivenFinding& finding : found(target, golden).findings)
        texts.push_back(finding.text);
    return texts;
}

Tensor with_changes(const Tensor& tensor, int64_t count) {
    Tensor edited = tensor;
    for (int64_t i = 0; i < count; ++i)
        edited.mutable_as<float>()[static_cast<size_t>(i + 30)] -= 2;
    return edited;
}

TEST(LateGivens, tell_a_few_edited_elements_of_a_later_batch) {
    const Tensor batch = random_tensor(kRows, 5);
    const Tensor weight = random_tensor({26, 26}, 6);
    const auto edited = [&](int64_t count) {
        return told({layer(with_changes(batch, count), weight)}, {layer(batch, weight)});
    };
    const Texts one = edited(1);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_TRUE(
        one[0].starts_with("input `self` of /mm/3 is not the golden's: one element of 104 "
                           "differs, [1,4]: "))
        << one[0];
    // A row that was looked up elsewhere.
    EXPECT_EQ(edited(13), Texts{});
    const Tensor zeros = with_changes(noisy(batch, -1), 1);
    EXPECT_EQ(told({layer(with_changes(zeros, 2), weight)}, {layer(zeros, weight)}), Texts{});
}

TEST(LateGivens, are_of_16_bits_where_the_optimizer_writes_them) {
    const auto layers = [](size_t narrow, bool is_half) {
        std::vector<HandMadeOp> ops;
        for (unsigned i = 0; i < 4; ++i) {
            const Tensor weight = random_tensor({26, 26}, 20 + i);
            const DType dtype = is_half ? DType::kFloat16 : DType::kBFloat16;
            ops.push_back(layer(random_tensor(kRows, 10 + i),
                                i < narrow ? weight.cast(dtype).cast(DType::kFloat32) : weight));
        }
        return ops;
    };
    EXPECT_EQ(told(layers(4, true), layers(0, true)), Texts{});
    EXPECT_EQ(found(layers(4, false), layers(0, true)).remarks,
              Texts{"4 of 4 parameters hold bfloat16 numbers after a step of training, as the "
                    "target's optimizer writes them, and the golden's hold wider ones; no finding: "
                    "each op was judged on what it was given"});
    EXPECT_EQ(told(layers(1, true), layers(0, true)),
              Texts{"weight `mat2` of /mm/3 is not the golden's: it is rounded to float16"});
}

// The gradient of a bias that softmax makes good is rounding alone.
TEST(LateGivens, may_be_moved_by_noise_alone) {
    const Tensor batch = random_tensor(kRows, 5);
    const Tensor bias = random_tensor({26}, 7);
    const auto step = [&](const Tensor& given) {
        return std::vector<HandMadeOp>{
            {"addmm", {{"self", given}, {"mat1", batch}}, {{"result", random_tensor(kRows, 8)}}}};
    };
    const auto two_steps = [&](const Tensor& second, float noise) {
        std::vector<HandMadeOp> ops = step(bias);
        for (const HandMadeOp& op : next_step(step(second), noise))
            ops.push_back(op);
        return hand_made(ops);
    };
    const Tensor way = random_tensor({26}, 9);
    const auto findings = [&](float length) {
        Tensor moved = bias;
        for (size_t i = 0; i < 26; ++i)
            moved.mutable_as<float>()[i] += length * way.as<float>()[i];
        TracedPair pair(two_steps(moved, 1e-3F), two_steps(bias, 0));
        return differing_givens(pair.flows).findings.size();
    };
    EXPECT_EQ(findings(1e-5F), 0U);
    EXPECT_EQ(findings(0.01F), 1U);
}

// Norms begin with ones, of which hashes do not tell which they are.
TEST(LateGivens, stand_for_parameters_as_they_were_initialised) {
    const Tensor made = random_tensor({26}, 7);
    const auto ops = [&](const Tensor& weight, float noise) {
        const auto noisy_rows = [&](unsigned seed) {
            return noisy(random_tensor(kRows, seed), noise);
        };
        return std::vector<HandMadeOp>{
            {"sum_dim_IntList", {{"self", noisy_rows(8)}}, {{"result", made}}},
            {"native_layer_norm_backward",
             {{"grad_out", noisy_rows(9)}, {"input", noisy_rows(10)}, {"weight", weight}},
             {{"result0", noisy_rows(11)}}}};
    };
    const auto all = [](float number) {
        return npuscope::test::floats(std::vector<float>(26, number));
    };
    EXPECT_EQ(
        told(ops(made, 1e-3F), ops(all(1), 0)),
        Texts{"weight `weight` of /native_layer_norm_backward/4 is not the golden's: it is what "
              "/sum_dim_IntList/3/output/result made, while nobody made the golden's"});
    // Zeros are rounding elsewhere.
    EXPECT_EQ(told(ops(made, 1e-3F), ops(all(0), 0)), Texts{});
}

// Old recorders store bfloat16 as float32.
TEST(LateGivens, are_rounded_where_a_recorder_stores_little_else_so) {
    const auto source = [](size_t narrow) {
        std::vector<HandMadeOp> ops;
        for (unsigned i = 0; i < 4; ++i) {
            const Tensor weight = random_tensor({26, 26}, 20 + i);
            ops.push_back(
                {"embedding",
                 {{"weight",
                   i < narrow ? weight.cast(DType::kBFloat16).cast(DType::kFloat32) : weight}},
                 {{"result", random_tensor(kRows, 30 + i)}}});
        }
        Source made = hand_made(ops);
        for (SourceOp& op : made.ops)
            op.stores_wider = true;
        return made;
    };
    const auto findings = [&](size_t narrow) {
        TracedPair pair(source(narrow), source(0));
        return differing_givens(pair.flows).findings.size();
    };
    EXPECT_EQ(findings(1), 1U);
    EXPECT_EQ(findings(4), 0U);
}

}  // namespace
}  // namespace npuscope::compare
