// Kernels that compute in bfloat16 among others that only store it, as PyTorch's silu does on a
// CPU.
#include "diagnose/judge/ops_apart.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"
#include "tests/diagnose/judge/judged_dumps.h"

namespace npuscope::diagnose {
namespace {

using compare::DumpedOp;
using compare::random_tensor;
using compare::Verdict;

float rounded(double value) {
    return static_cast<float>(kBFloat16.rounded(value));
}

Tensor in_bfloat16(const Tensor& tensor) {
    return tensor.cast(DType::kBFloat16);
}

/// Each element of `x` (and of `dy`) through `f`, in float32.
template <class F>
Tensor through(const Tensor& x, const Tensor& dy, const F& f) {
    Tensor y(DType::kFloat32, x.shape());
    const Tensor wide = x.cast(DType::kFloat32);
    const Tensor wide_dy = dy.cast(DType::kFloat32);
    for (size_t i = 0; i < y.mutable_as<float>().size(); ++i)
        y.mutable_as<float>()[i] = f(wide.as<float>()[i], wide_dy.as<float>()[i]);
    return in_bfloat16(y);
}

/// x (1 - 1 / (1 + exp(x))), each step rounded to bfloat16, or the result alone.
float silu(float x, bool in_steps) {
    if (!in_steps) return rounded(x / (1 + std::exp(-double{x})));
    const float share = rounded(1 / double{rounded(1 + double{rounded(std::exp(double{x}))})});
    return rounded(x * double{rounded(1 - double{share})});
}

float silu_gradient(float x, float dy, bool in_steps) {
    const auto step = [&](double value) { return in_steps ? double{rounded(value)} : value; };
    const double s = step(1 / step(1 + step(std::exp(-double{x}))));
    return rounded(dy * step(s * step(1 + step(x * step(1 - s)))));
}

/// Twenty sigmoids that round once, a silu and its gradient.
std::vector<DumpedOp> program(bool forward_in_steps, bool backward_in_steps) {
    std::vector<DumpedOp> ops;
    const Tensor none = random_tensor({8, 24}, 50);
    for (unsigned i = 1; i <= 20; ++i) {
        const Tensor x = in_bfloat16(random_tensor({8, 24}, i));
        ops.push_back({.name = "sigmoid",
                       .seqid = i,
                       .inputs = {{"self", x}},
                       .outputs = {{"result",
                                    through(x,
                                            none,
                                            [](float each, float) {
                                                return rounded(1 / (1 + std::exp(-double{each})));
                                            })}},
                       .node = {}});
    }
    const Tensor x = in_bfloat16(random_tensor({8, 24}, 30));
    const Tensor dy = in_bfloat16(random_tensor({8, 24}, 31));
    ops.push_back(
        {.name = "silu",
         .seqid = 21,
         .inputs = {{"self", x}},
         .outputs = {{"result",
                      through(
                          x, dy, [&](float each, float) { return silu(each, forward_in_steps); })}},
         .node = {}});
    ops.push_back({.name = "silu_backward",
                   .seqid = 22,
                   .inputs = {{"grad_output", dy}, {"self", x}},
                   .outputs = {{"result",
                                through(x,
                                        dy,
                                        [&](float each, float gradient) {
                                            return silu_gradient(each, gradient, backward_in_steps);
                                        })}},
                   .node = {}});
    return ops;
}

float expm1(float x, bool in_steps) {
    return rounded(in_steps ? double{rounded(std::exp(double{x}))} - 1 : std::expm1(double{x}));
}

float softplus(float x, bool in_steps) {
    const double grown = std::exp(double{x});
    return rounded(in_steps ? std::log(double{rounded(1 + double{rounded(grown)})})
                            : std::log1p(grown));
}

/// The program, one softplus and so many expm1.
std::vector<DumpedOp> longer_program(unsigned more, bool in_steps) {
    std::vector<DumpedOp> ops = program(in_steps, in_steps);
    const auto add = [&](const char* name, unsigned seed, float (*f)(float, bool)) {
        const Tensor x = in_bfloat16(random_tensor({8, 24}, seed));
        ops.push_back(
            {.name = name,
             .seqid = static_cast<int64_t>(ops.size()) + 1,
             .inputs = {{"self", x}},
             .outputs = {{"result",
                          through(x, x, [&](float each, float) { return f(each, in_steps); })}},
             .node = {}});
    };
    add("softplus", 40, softplus);
    for (unsigned i = 0; i < more; ++i)
        add("expm1", 41 + i, expm1);
    return ops;
}

compare::Result held_against_rounded_once(const std::vector<DumpedOp>& target) {
    return test::held_against(target, program(false, false));
}

TEST(OpsApart, are_honest_where_all_their_runs_take_steps_in_the_format_of_the_results) {
    const compare::Result result = held_against_rounded_once(program(true, true));
    EXPECT_TRUE(result.culprits.empty()) << result.culprits[0].why;
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.arithmetic,
              (std::vector<std::string>{"target, other ops (bfloat16): fp32 (20 of 20 sampled)",
                                        "target, silu (bfloat16): bf16 throughout (2 of 2 sampled)",
                                        "golden, other ops (bfloat16): fp32 (22 of 22 sampled)"}));
}

TEST(OpsApart, are_none_where_another_run_of_theirs_is_as_precise_as_the_others) {
    const compare::Result result = held_against_rounded_once(program(true, false));
    EXPECT_EQ(result.ops[20].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[21].judgement.verdict, Verdict::kPass);
}

TEST(OpsApart, are_none_where_they_are_off_by_more_than_such_steps) {
    std::vector<DumpedOp> target = program(true, true);
    Tensor wide = std::get<Tensor>(target[20].outputs[0].value).cast(DType::kFloat32);
    for (float& value : wide.mutable_as<float>())
        value *= 1.1F;
    target[20].outputs[0].value = in_bfloat16(wide);
    EXPECT_EQ(held_against_rounded_once(target).ops[20].judgement.verdict, Verdict::kFail);
}

TEST(OpsApart, are_told_by_one_run_where_several_others_are_apart) {
    constexpr size_t kSoftplus = 22;
    const auto softplus_of = [&](unsigned more) {
        const compare::Result result =
            test::held_against(longer_program(more, true), longer_program(more, false));
        return result.ops[kSoftplus].judgement.verdict;
    };
    EXPECT_EQ(softplus_of(0), Verdict::kFail);
    EXPECT_EQ(softplus_of(2), Verdict::kPass);
}

/// The program, and so many silu of float32 results, each step rounded to bfloat16 or none.
std::vector<DumpedOp> with_results_stored_wider(std::vector<DumpedOp> ops,
                                                unsigned more,
                                                bool in_steps) {
    for (unsigned i = 0; i < more; ++i) {
        const Tensor x = random_tensor({8, 24}, 70 + i);
        Tensor y(DType::kFloat32, x.shape());
        for (size_t k = 0; k < y.mutable_as<float>().size(); ++k) {
            const float each = x.as<float>()[k];
            y.mutable_as<float>()[k] = in_steps ? silu(each, true) : each / (1 + std::exp(-each));
        }
        ops.push_back({.name = "silu",
                       .seqid = static_cast<int64_t>(ops.size()) + 1,
                       .inputs = {{"self", x}},
                       .outputs = {{"result", y}},
                       .node = {}});
    }
    return ops;
}

TEST(OpsApart, are_told_by_one_run_where_results_that_are_stored_wider_show_such_steps_too) {
    const compare::Result result =
        test::held_against(with_results_stored_wider(longer_program(0, true), 12, true),
                           with_results_stored_wider(longer_program(0, false), 12, false));
    EXPECT_TRUE(result.culprits.empty()) << result.culprits[0].why;
}

/// The program, and an op of several, which takes a difference, an exponential and a product.
std::vector<DumpedOp> with_several_ops(bool silu_in_steps, bool in_steps) {
    std::vector<DumpedOp> ops = program(silu_in_steps, silu_in_steps);
    const Tensor x = in_bfloat16(random_tensor({8, 24}, 60));
    const Tensor output = in_bfloat16(random_tensor({8, 24}, 61));
    const Tensor grad = in_bfloat16(through(x, x, [](float, float) { return 1.0F; }));
    ops.push_back({.name = "gradient_of_logsumexp",
                   .seqid = 23,
                   .inputs = {{"grad", grad}, {"self", x}, {"output", output}},
                   .outputs = {{"result",
                                through(x,
                                        output,
                                        [&](float self, float whole) {
                                            const double d = double{self} - whole;
                                            return rounded(std::exp(in_steps ? rounded(d) : d));
                                        })}},
                   .node = {}});
    return ops;
}

TEST(OpsApart, tell_of_ops_that_are_several_too) {
    const auto rule_of = [](bool silu_in_steps) {
        return test::held_against(with_several_ops(silu_in_steps, true),
                                  with_several_ops(false, false))
            .ops.back()
            .judgement;
    };
    EXPECT_NE(rule_of(true).verdict, Verdict::kFail) << rule_of(true).rule;
    EXPECT_EQ(rule_of(false).verdict, Verdict::kFail) << rule_of(false).rule;
}

/// A silu with its result in float32, which is rounded to bfloat16 or is not.
DumpedOp wide_silu(int64_t seqid, bool is_rounded) {
    const Tensor x = random_tensor({8, 24}, static_cast<unsigned>(100 + seqid));
    Tensor y(DType::kFloat32, x.shape());
    for (size_t k = 0; k < y.mutable_as<float>().size(); ++k)
        y.mutable_as<float>()[k] = is_rounded
                                       ? silu(x.as<float>()[k], false)
                                       : x.as<float>()[k] / (1 + std::exp(-x.as<float>()[k]));
    return {.name = "silu",
            .seqid = seqid,
            .inputs = {{"self", x}},
            .outputs = {{"result", y}},
            .node = {}};
}

/// Sigmoids in bfloat16, and silus in float32 in the middle of them and behind.
std::vector<DumpedOp> with_wide_ones(const std::vector<bool>& in_the_middle) {
    std::vector<DumpedOp> ops = program(false, false);
    for (size_t i = 0; i < in_the_middle.size(); ++i)
        ops.insert(ops.begin() + 10 + static_cast<ptrdiff_t>(i), wide_silu(0, in_the_middle[i]));
    for (size_t i = 0; i < 4; ++i)
        ops.push_back(wide_silu(0, false));
    for (size_t i = 0; i < ops.size(); ++i)
        ops[i].seqid = static_cast<int64_t>(i) + 1;
    return ops;
}

TEST(OpsApart, may_be_one_of_float32_results_where_all_there_are_rounded) {
    const auto verdict_of = [](const std::vector<bool>& rounded) {
        const std::vector<bool> none(rounded.size(), false);
        return test::held_against(with_wide_ones(rounded), with_wide_ones(none))
            .ops[10]
            .judgement.verdict;
    };
    EXPECT_EQ(verdict_of({true}), Verdict::kInherited);
    EXPECT_EQ(verdict_of({true, false}), Verdict::kFail);
}

/// Silus, exponentials and logarithms whose float32 results are rounded to bfloat16 or are not, and
/// behind them so many silus that are not.
std::vector<DumpedOp> rounded_and_not(bool is_rounded, unsigned unrounded) {
    std::vector<DumpedOp> ops;
    const auto add = [&](const char* name, float (*f)(float)) {
        DumpedOp op = wide_silu(static_cast<int64_t>(ops.size()) + 1, false);
        op.name = name;
        const Tensor x = std::get<Tensor>(op.inputs[0].value);
        for (size_t k = 0; k < x.as<float>().size(); ++k) {
            const float y = f(x.as<float>()[k]);
            std::get<Tensor>(op.outputs[0].value).mutable_as<float>()[k] =
                is_rounded ? rounded(y) : y;
        }
        ops.push_back(std::move(op));
    };
    for (int i = 0; i < 8; ++i) {
        add("silu", [](float x) { return x / (1 + std::exp(-x)); });
        add("exp", [](float x) { return std::exp(x); });
        add("tanh", [](float x) { return std::tanh(x); });
    }
    for (unsigned i = 0; i < unrounded; ++i)
        ops.push_back(wide_silu(static_cast<int64_t>(ops.size()) + 1, false));
    return ops;
}

TEST(OpsApart, of_float32_results_leave_the_others_in_float32) {
    const compare::Result result =
        test::held_against(rounded_and_not(true, 5), rounded_and_not(false, 5));
    EXPECT_TRUE(result.culprits.empty()) << result.culprits[0].why;
    EXPECT_EQ(result.arithmetic[0], "target, other ops (float32): fp32 (5 of 5 sampled)");
    EXPECT_EQ(result.arithmetic[1],
              "target, other ops (float32, rounded results): bf16 throughout (24 of 24 sampled)");
}

// What PyTorch gives out of a batch norm in mixed precision: float16, and statistics in float32.
TEST(OpsApart, give_out_statistics_in_float32_as_well) {
    const auto run_of = [](DType dtype) {
        return OpRun{.op = backend::find_op("native_batch_norm"),
                     .arguments = {},
                     .wide = {},
                     .results = {{"result0", "result0", random_tensor({2, 4, 3, 3}, 1).cast(dtype)},
                                 {"result1", "result1", random_tensor({4}, 2)}}};
    };
    const auto narrow = std::ranges::find(vector_classes(), "fp16 throughout", &VectorClass::name);
    OpsApart apart{};
    apart.ops["native_batch_norm"] = {.vector = &*narrow};
    EXPECT_NE(apart.class_of(run_of(DType::kFloat16)), nullptr);
    EXPECT_EQ(apart.class_of(run_of(DType::kFloat32)), nullptr);
}

float half(double value) {
    return static_cast<float>(kFloat16.rounded(value));
}

/// Many ops that round once to float16, which float32 keeps, three that do not, and two of silu,
/// each of whose steps does.
std::vector<DumpedOp> stored_wider(bool in_steps) {
    std::vector<DumpedOp> ops;
    const auto add = [&](const char* name, const auto& f, bool is_wide = false) {
        const Tensor x = random_tensor({8, 24}, static_cast<unsigned>(ops.size()) + 60)
                             .cast(DType::kFloat16)
                             .cast(DType::kFloat32);
        Tensor y = x;
        for (float& each : y.mutable_as<float>())
            each = is_wide ? static_cast<float>(f(double{each})) : half(f(double{each}));
        ops.push_back({.name = name,
                       .seqid = static_cast<int64_t>(ops.size()) + 1,
                       .inputs = name == std::string("tanh_backward")
                                     ? NamedValues{{"grad_output", x}, {"output", x}}
                                     : NamedValues{{"self", x}},
                       .outputs = {{"result", y}},
                       .node = {}});
    };
    for (int i = 0; i < 14; ++i) {
        add("sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); });
        add("tanh", [](double x) { return std::tanh(x); });
        add("exp", [](double x) { return std::exp(x); });
        add("sin", [](double x) { return std::sin(x); });
        add("cos", [](double x) { return std::cos(x); });
        add("tanh_backward", [](double x) { return x * (1 - x * x); });
    }
    for (int i = 0; i < 3; ++i)
        add(
            "atan", [](double x) { return std::atan(x); }, true);
    for (int i = 0; i < 2; ++i)
        add("silu", [&](double x) {
            if (!in_steps) return x / (1 + std::exp(-x));
            const double divisor = half(1 + double{half(std::exp(-x))});
            return x * double{half(1 / divisor)};
        });
    return ops;
}

TEST(OpsApart, are_known_by_their_formulas_beside_results_that_are_rounded_once) {
    const compare::Result result = test::held_against(stored_wider(true), stored_wider(false));
    EXPECT_TRUE(result.culprits.empty()) << result.culprits[0].why;
    ASSERT_GE(result.arithmetic.size(), 3U);
    EXPECT_EQ(result.arithmetic[1],
              "target, other ops (float32, rounded results): fp32, fp16 results (84 of 84 "
              "sampled)");
    EXPECT_EQ(result.arithmetic[2], "target, silu (float32): fp16 throughout (2 of 2 sampled)");
    // Made in no formula's steps.
    std::vector<DumpedOp> faulty = stored_wider(true);
    for (float& each : std::get<Tensor>(faulty[70].outputs[0].value).mutable_as<float>())
        each = half(1.01 * double{each});
    EXPECT_EQ(test::held_against(faulty, stored_wider(false)).culprits.size(), 1U);
}

}  // namespace
}  // namespace npuscope::diagnose
