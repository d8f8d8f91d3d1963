#include "diagnose/judge/split.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "npu_backend/chips/device.h"
#include "tests/compare/dataflow/hand_made.h"
#include "tests/diagnose/judge/judged_dumps.h"
#include "tests/support/values.h"

namespace npuscope::diagnose {
namespace {

using compare::CulpritKind;
using compare::DumpedOp;
using compare::random_tensor;
using compare::Verdict;
using test::held_against;

Tensor computed(const std::string& op, std::vector<Value> arguments) {
    return Executor(Device::reference32()).call(op, std::move(arguments)).tensor(0);
}

/// Of 64 x 32 elements; p of them dropped by `seed`.
struct Dropout {
    Tensor input = random_tensor({64, 32}, 1);
    double p = 0.5;
    float scale = 2;
    unsigned seed = 2;

    [[nodiscard]] Tensor mask() const {
        std::mt19937 engine(seed);
        std::bernoulli_distribution keep(1 - p);
        Tensor mask(DType::kBool, input.shape());
        for (bool& each : mask.mutable_as<bool>())
            each = keep(engine);
        return mask;
    }
    [[nodiscard]] DumpedOp op() const {
        const Tensor kept = mask();
        Tensor result = input;
        auto elements = result.mutable_as<float>();
        for (size_t i = 0; i < elements.size(); ++i)
            elements[i] *= kept.as<bool>()[i] ? scale : 0;
        return {.name = "native_dropout",
                .seqid = 1,
                .inputs = {{"input", input}, {"p", p}, {"train", true}},
                .outputs = {{"result0", result}, {"result1", kept}},
                .node = {}};
    }
};

TEST(Split, leaves_random_ops_that_are_right_but_for_chance) {
    const compare::Result result = held_against({Dropout{.seed = 5}.op()}, {Dropout{}.op()});
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kNotProvable);
    EXPECT_TRUE(result.culprits.empty());
    EXPECT_EQ(std::ranges::count_if(result.ops[0].tensors,
                                    [](const compare::TensorResult& tensor) {
                                        return tensor.split &&
                                               tensor.split->why_not == compare::kCheckedRandomOp;
                                    }),
              2);
}

TEST(Split, tells_of_a_mask_that_is_applied_with_a_wrong_scale) {
    const compare::Result result =
        held_against({Dropout{.scale = 1, .seed = 5}.op()}, {Dropout{}.op()});
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].why,
              "result0: what it keeps is scaled by 1, and not by 1 / (1 - p) = 2");
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kFail);
    // The golden's, where the target is right.
    const compare::Result golden =
        held_against({Dropout{.seed = 5}.op()}, {Dropout{.scale = 1}.op()});
    ASSERT_EQ(golden.culprits.size(), 1u);
    EXPECT_EQ(golden.culprits[0].kind, CulpritKind::kGolden);
}

TEST(Split, tells_of_a_dropout_that_is_called_with_another_probability) {
    const compare::Result result =
        held_against({Dropout{.seed = 5}.op()}, {Dropout{.p = 0.1, .scale = 1 / 0.9F}.op()});
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, CulpritKind::kArgument) << result.culprits[0].why;
    EXPECT_NE(result.culprits[0].why.find("p 0.5, golden 0.1"), std::string::npos);
}

TEST(Split, computes_the_gradient_of_a_dropout) {
    const auto gradient = [](double scale, float by) {
        const Dropout dropout;
        DumpedOp op{
            .name = "native_dropout_backward",
            .seqid = 1,
            .inputs = {{"grad_output", dropout.input}, {"mask", dropout.mask()}, {"scale", scale}},
            .outputs = {{"result", dropout.op().outputs[0].value}},
            .node = {}};
        for (float& each : std::get<Tensor>(op.outputs[0].value).mutable_as<float>())
            each *= by;
        return op;
    };
    EXPECT_EQ(held_against({gradient(2, 1)}, {gradient(2, 1)}).exit_code(), 0);
    EXPECT_EQ(held_against({gradient(2, 0.5F)}, {gradient(2, 1)}).culprits.at(0).kind,
              CulpritKind::kOp);
    EXPECT_EQ(held_against({gradient(1, 0.5F)}, {gradient(2, 1)}).culprits.at(0).kind,
              CulpritKind::kArgument);
}

// A GPU's name of the op has other names for its arguments.
TEST(Split, tells_of_an_argument_of_an_op_by_another_name) {
    const Tensor x = random_tensor({4, 3, 5}, 1);
    const Tensor ones = test::floats({3}, {1, 1, 1});
    const auto target = [&](double eps) {
        return DumpedOp{.name = "native_batch_norm",
                        .seqid = 1,
                        .inputs = {{"input", x},
                                   {"weight", ones},
                                   {"bias", ones},
                                   {"running_mean", ones},
                                   {"running_var", ones},
                                   {"training", true},
                                   {"momentum", 0.1},
                                   {"eps", eps}},
                        .outputs = {{"result0",
                                     computed("native_batch_norm",
                                              {x, ones, ones, ones, ones, true, 0.1, eps})}},
                        .node = {}};
    };
    DumpedOp golden = target(1e-5);
    golden.name = "cudnn_batch_norm";
    golden.inputs[6].name = "exponential_average_factor";
    golden.inputs[7].name = "epsilon";
    EXPECT_TRUE(held_against({target(1e-5)}, {golden}).culprits.empty());
    const compare::Result result = held_against({target(1e-3)}, {golden});
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, CulpritKind::kArgument);
    EXPECT_NE(result.culprits[0].why.find("eps 0.001, golden 1e-05"), std::string::npos);
}

/// x W + b in one op, or in two.
std::vector<DumpedOp> linear(bool in_two, const Tensor& sum) {
    const Tensor x = random_tensor({12, 8}, 11);
    const Tensor weight = random_tensor({8, 5}, 12);
    const Tensor bias = random_tensor({5}, 13);
    if (!in_two)
        return {{.name = "addmm",
                 .seqid = 1,
                 .inputs = {{"self", bias}, {"mat1", x}, {"mat2", weight}},
                 .outputs = {{"result", sum}},
                 .node = {}}};
    const Tensor product = computed("mm", {x, weight});
    return {{.name = "mm",
             .seqid = 1,
             .inputs = {{"self", x}, {"mat2", weight}},
             .outputs = {{"result", product}},
             .node = {}},
            {.name = "add_Tensor",
             .seqid = 2,
             .inputs = {{"self", product}, {"other", bias}},
             .outputs = {{"result", sum}},
             .node = {}}};
}

Tensor linear_sum() {
    return computed(
        "addmm", {random_tensor({5}, 13), random_tensor({12, 8}, 11), random_tensor({8, 5}, 12)});
}

TEST(Split, judges_all_ops_of_a_span) {
    const Tensor sum = linear_sum();
    EXPECT_EQ(held_against(linear(true, sum), linear(false, sum)).exit_code(), 0);
    // The product is wrong, and the sum is what an addition makes of the wrong product.
    std::vector<DumpedOp> wrong = linear(true, sum);
    Tensor product = std::get<Tensor>(wrong[0].outputs[0].value);
    product.mutable_as<float>()[7] += 1;
    wrong[0].outputs[0].value = product;
    wrong[1].inputs[0].value = product;
    Tensor shifted = sum;
    shifted.mutable_as<float>()[7] += 1;
    wrong[1].outputs[0].value = shifted;
    const compare::Result result = held_against(wrong, linear(false, sum));
    ASSERT_EQ(result.ops.size(), 1u);
    EXPECT_EQ(result.ops[0].also_target, std::vector<std::string>{"/mm/1"});
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, CulpritKind::kOp);
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kFail);
}

/// Two gelus, whose files say nothing of `approximate`.
std::vector<DumpedOp> gelus(const char* form, float shift) {
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 3; ++seqid) {
        const Tensor x = random_tensor({16, 8}, static_cast<unsigned>(20 + seqid));
        Tensor y = computed("gelu", {x, std::string(form)});
        if (seqid == 2)
            for (float& each : y.mutable_as<float>())
                each += shift;
        ops.push_back({.name = "gelu",
                       .seqid = seqid,
                       .inputs = {{"self", x}},
                       .outputs = {{"result", y}},
                       .node = {}});
    }
    return ops;
}

TEST(Split, finds_the_form_that_a_file_leaves_out) {
    EXPECT_EQ(held_against(gelus("tanh", 0), gelus("tanh", 0)).exit_code(), 0);
    EXPECT_EQ(held_against(gelus("none", 0), gelus("none", 0)).exit_code(), 0);
    const compare::Result result = held_against(gelus("tanh", 0.01F), gelus("tanh", 0));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.ops[result.culprits[0].op].target, "/gelu/2");
}

/// tanh and relu in turn. As bfloat16 keeps the results, each on the golden's result before, or on
/// its own; without inputs then.
std::vector<DumpedOp> turns(bool narrow, bool loaded) {
    std::vector<DumpedOp> ops;
    Tensor golden = random_tensor({32, 16}, 41);
    Tensor own = golden;
    for (int64_t seqid = 1; seqid <= 12; ++seqid) {
        const char* const name = seqid % 2 == 1 ? "tanh" : "relu";
        DumpedOp op{.name = name, .seqid = seqid, .inputs = {}, .outputs = {}, .node = {}};
        const Tensor exact = computed(name, {golden});
        Tensor result = computed(name, {loaded ? golden : own});
        if (narrow) {
            result = result.cast(DType::kBFloat16).cast(DType::kFloat32);
        } else {
            op.inputs = {{"self", golden}};
        }
        op.outputs = {{"result", result}};
        ops.push_back(op);
        golden = exact;
        own = result;
    }
    return ops;
}

// relu of what bfloat16 kept is exact in both runs: it tells nothing.
TEST(Split, tells_load_mode_in_coarse_arithmetic) {
    const std::vector<DumpedOp> golden = turns(false, false);
    EXPECT_TRUE(held_against(turns(true, true), golden).load_mode);
    EXPECT_FALSE(held_against(turns(true, false), golden).load_mode);
}

}  // namespace
}  // namespace npuscope::diagnose
