#include "diagnose/judge/side_judge.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "npu_backend/chips/device.h"
#include "tests/diagnose/judge/judged_side.h"
#include "tests/support/values.h"

namespace npuscope::diagnose {
namespace {

using compare::DumpedOp;
using test::judged;
using test::Judged;
using test::noise;
using test::runs_off;

/// Twelve products as `device` makes them, some so small that float16 has subnormals only; `broken`
/// is off by a tenth in one element.
std::vector<DumpedOp> products(const Device& device, int64_t broken) {
    std::mt19937 random(7);
    Executor executor(device);
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 12; ++seqid) {
        Tensor a = noise({5, 9}, random);
        if (seqid % 3 == 0)
            for (float& value : a.mutable_as<float>())
                value *= 0x1p-20F;
        const Tensor b = noise({9, 4}, random);
        Tensor y = executor.call("mm", {a, b}).tensor(0);
        if (seqid == broken) y.mutable_as<float>()[6] += 0.1F;
        ops.push_back({.name = "mm",
                       .seqid = seqid,
                       .inputs = {{"self", a}, {"mat2", b}},
                       .outputs = {{"result", y}},
                       .node = {}});
    }
    return ops;
}

TEST(SideJudge, finds_the_class_of_a_chips_products) {
    EXPECT_EQ(judged(products(Device::npu(chip("910A")), 0)).sentences.front(),
              "matrix products (float32): fp16 inputs, fp32 sums (12 of 12 sampled)");
    EXPECT_EQ(judged(products(Device::reference32(), 0)).sentences.front(),
              "matrix products (float32): fp32 (12 of 12 sampled)");
}

TEST(SideJudge, takes_the_class_that_the_device_states) {
    const Device stated = Device::npu(chip("910B"));
    const Judged found = judged(products(Device::npu(chip("910B")), 5), &stated);
    EXPECT_EQ(found.sentences,
              std::vector<std::string>{"matrix products (float32): fp32 (as npu 910B states, 12 "
                                       "ops)"});
    for (size_t i = 0; i < found.ratios.size(); ++i)
        EXPECT_EQ(found.ratios[i] > 1, i == 4) << i;
}

TEST(SideJudge, excuses_nothing_that_the_device_does_not_state) {
    // Computed in float16, by a device that says float32.
    const Device stated = Device::npu(chip("910B"));
    for (const double ratio : judged(products(Device::npu(chip("910A")), 0), &stated).ratios)
        EXPECT_GT(ratio, 1);
}

TEST(SideJudge, leaves_the_class_as_it_is_when_one_op_is_at_fault) {
    const Judged found = judged(products(Device::npu(chip("910A")), 5));
    EXPECT_EQ(found.sentences.front(),
              "matrix products (float32): fp16 inputs, fp32 sums (11 of 12 sampled)");
    for (size_t i = 0; i < found.ratios.size(); ++i)
        EXPECT_EQ(found.ratios[i] > 1, i == 4) << i;
}

// The gradient of a bias is summed up without the Cube: of three numbers that cancel, and do not
// once they are rounded to float16. That is no factor of 0.
TEST(SideJudge, blames_no_factor_for_operands_that_are_rounded_otherwise) {
    constexpr int64_t kChannels = 16;
    std::vector<float> gradients;
    for (int64_t i = 0; i < kChannels; ++i)
        for (const float each : {1 + 0x1.8p-11F, 1 + 0x1p-12F, -2 - 0x1p-10F})
            gradients.push_back(std::ldexp(each, -static_cast<int>(i)));
    const Device device = Device::npu(chip("910A"));
    std::vector<DumpedOp> ops = products(device, 0);
    const Tensor gradient = test::floats({1, kChannels, 1, 3}, gradients);
    const Tensor input = test::floats({1, 1, 1, 3}, {0.7F, -0.3F, 0.45F});
    const Tensor weight = Tensor::zeros(DType::kFloat32, {kChannels, 1, 1, 1});
    const IntList one = {1, 1};
    const IntList none = {0, 0};
    const BoolMask mask{{false, true, true}};
    Executor executor(device);
    const Results results = executor.call("convolution_backward",
                                          {gradient,
                                           input,
                                           weight,
                                           IntList{kChannels},
                                           one,
                                           none,
                                           one,
                                           false,
                                           none,
                                           int64_t{1},
                                           mask});
    const int64_t seqid = std::ssize(ops) + 1;
    ops.push_back({.name = "convolution_backward",
                   .seqid = seqid,
                   .inputs = {{"grad_output", gradient},
                              {"input", input},
                              {"weight", weight},
                              {"bias_sizes", IntList{kChannels}},
                              {"stride", one},
                              {"padding", none},
                              {"dilation", one},
                              {"transposed", false},
                              {"output_padding", none},
                              {"groups", int64_t{1}},
                              {"output_mask", mask}},
                   .outputs = {{"result1", results.tensor(1)},
                               {"result2", test::floats(std::vector<float>(kChannels, 0x1p-60F))}},
                   .node = {}});
    EXPECT_LE(judged(ops).ratios.back(), 1);
}

/// The products of operands in 8 bits, with one step an operand: its largest is 127 of them.
std::vector<DumpedOp> quantized_products(float factor) {
    const auto quantized = [](Tensor tensor) {
        const auto elements = tensor.mutable_as<float>();
        float largest = 0;
        for (const float value : elements)
            largest = std::max(largest, std::abs(value));
        const float step = largest / 127;
        for (float& value : elements)
            value = std::nearbyint(value / step) * step;
        return tensor;
    };
    std::vector<DumpedOp> ops = products(Device::reference32(), 0);
    Executor executor(Device::reference32());
    for (DumpedOp& op : ops) {
        const Tensor a = quantized(std::get<Tensor>(op.inputs[0].value));
        const Tensor b = quantized(std::get<Tensor>(op.inputs[1].value));
        Tensor y = executor.call("mm", {a, b}).tensor(0);
        for (float& value : y.mutable_as<float>())
            value *= &op == &ops.back() ? factor : 1;
        op.outputs[0].value = y;
    }
    return ops;
}

// A thousandth is a tenth of what 8 bits may be off by.
TEST(SideJudge, computes_products_in_8_bits_to_the_last_bits) {
    const Judged found = judged(quantized_products(1));
    EXPECT_EQ(found.sentences.front(),
              "matrix products (float32): int8 inputs (largest at 127), fp32 sums (12 of 12 "
              "sampled)");
    EXPECT_LE(std::ranges::max(found.ratios), 1);
    EXPECT_GT(judged(quantized_products(1.001F)).ratios.back(), 1);
}

// 2^-9 and 2^-12 of the value are half units of bfloat16 and float16.
TEST(SideJudge, tells_steps_by_the_bits_of_their_results) {
    const auto sentence = [](DType narrow) {
        std::vector<DumpedOp> ops = runs_off("tanh", 0, 0);
        for (DumpedOp& op : ops)
            op.outputs.front().value =
                std::get<Tensor>(op.outputs.front().value).cast(narrow).cast(DType::kFloat32);
        return judged(ops).sentences.front();
    };
    EXPECT_EQ(sentence(DType::kBFloat16),
              "other ops (float32): fp32, bf16 results (14 of 14 sampled)");
    EXPECT_EQ(sentence(DType::kFloat16),
              "other ops (float32): fp32, fp16 results (14 of 14 sampled)");
}

DumpedOp run_of(const std::string& op, int64_t seqid, const Tensor& x, const Tensor& y) {
    return {.name = op,
            .seqid = seqid,
            .inputs = {{"self", x}},
            .outputs = {{"result", y}},
            .node = {}};
}

/// Layer norms whose `results` in bfloat16 are stored as float32, their statistics as they are;
/// `narrow`: their steps are in bfloat16, too.
std::vector<DumpedOp> rounded_norms(bool narrow) {
    std::mt19937 random(3);
    Executor executor(Device::reference32());
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 14; ++seqid) {
        Tensor x = noise({9, 16}, random);
        const Tensor weight = noise({16}, random);
        const Tensor bias = noise({16}, random);
        const auto rounded = [](const Tensor& each) {
            return each.cast(DType::kBFloat16).cast(DType::kFloat32);
        };
        const auto y =
            executor.call("native_layer_norm", {x, std::vector<int64_t>{16}, weight, bias, 1e-5});
        Tensor result = y.tensor(0);
        if (narrow)
            for (int64_t i = 0; i < result.numel(); ++i) {
                const auto at = static_cast<size_t>(i);
                const auto step = [&](float value) {
                    return rounded(test::floats({1}, {value})).as<float>()[0];
                };
                const float centred =
                    step(x.as<float>()[at] - step(y.tensor(1).as<float>()[at / 16]));
                const float norm = step(centred * step(y.tensor(2).as<float>()[at / 16]));
                result.mutable_as<float>()[at] =
                    step(norm * step(weight.as<float>()[at % 16])) + bias.as<float>()[at % 16];
            }
        ops.push_back({.name = "native_layer_norm",
                       .seqid = seqid,
                       .inputs = {{"input", x},
                                  {"normalized_shape", std::vector<int64_t>{16}},
                                  {"weight", weight},
                                  {"bias", bias},
                                  {"eps", 1e-5}},
                       .outputs = {{"result0", rounded(result)},
                                   {"result1", y.tensor(1)},
                                   {"result2", y.tensor(2)}},
                       .node = {}});
    }
    return ops;
}

// Two roundings more are as far off as one: the class of their results alone does not allow them.
TEST(SideJudge, tells_norms_by_what_they_normalise) {
    const Judged wide = judged(rounded_norms(false));
    EXPECT_EQ(wide.sentences.front(), "other ops (float32): fp32, bf16 results (14 of 14 sampled)");
    EXPECT_LE(std::ranges::max(wide.ratios), 1);
    const Judged narrow = judged(rounded_norms(true));
    EXPECT_EQ(narrow.sentences.front(), "other ops (float32): bf16 throughout (14 of 14 sampled)");
    EXPECT_LE(std::ranges::max(narrow.ratios), 1);
}

Tensor whole(int64_t number) {
    return Tensor::from<int64_t>({1}, std::span<const int64_t>(&number, 1));
}

// Counters are whole numbers in any arithmetic.
TEST(SideJudge, asks_no_whole_numbers_for_the_arithmetic) {
    std::vector<DumpedOp> ops = runs_off("tanh", 0, 0);
    for (int64_t seqid = 15; seqid < 25; ++seqid)
        ops.push_back(run_of("neg", seqid, whole(seqid), whole(-seqid)));
    const Judged found = judged(ops);
    ASSERT_EQ(found.sentences.size(), 1U);
    EXPECT_EQ(found.sentences.front(), "other ops (float32): fp32 (14 of 14 sampled)");
}

/// Products of `k` terms: all as the Cube makes them, with sums in float32, but the last, whose
/// sums are in float16.
std::vector<DumpedOp> narrow_at_last(int64_t k) {
    std::mt19937 random(5);
    const auto half = [](float x) { return test::half(x).cast(DType::kFloat32).as<float>()[0]; };
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 4; ++seqid) {
        const bool is_last = seqid == 4;
        const int64_t length = is_last ? 64 : k;
        const Tensor a = noise({6, length}, random).cast(DType::kFloat16).cast(DType::kFloat32);
        const Tensor b = noise({length, 5}, random).cast(DType::kFloat16).cast(DType::kFloat32);
        Tensor y(DType::kFloat32, {6, 5});
        for (int64_t row = 0; row < 6; ++row)
            for (int64_t column = 0; column < 5; ++column) {
                float sum = 0;
                for (int64_t i = 0; i < length; ++i) {
                    sum += a.as<float>()[static_cast<size_t>(row * length + i)] *
                           b.as<float>()[static_cast<size_t>(i * 5 + column)];
                    if (is_last) sum = half(sum);
                }
                y.mutable_as<float>()[static_cast<size_t>(row * 5 + column)] = half(sum);
            }
        ops.push_back({.name = "mm",
                       .seqid = seqid,
                       .inputs = {{"self", a}, {"mat2", b}},
                       .outputs = {{"result", y}},
                       .node = {}});
    }
    return ops;
}

// Sums of eight products say nothing of how longer ones are rounded.
TEST(SideJudge, blames_one_op_only_where_another_shows_the_arithmetic) {
    const Judged unknown = judged(narrow_at_last(8));
    EXPECT_EQ(unknown.sentences.front(),
              "matrix products (float32): fp16 throughout (4 of 4 sampled)");
    EXPECT_LE(unknown.ratios.back(), 1);
    const Judged known = judged(narrow_at_last(64));
    EXPECT_EQ(known.sentences.front(),
              "matrix products (float32): fp32, fp16 results (3 of 4 sampled)");
    EXPECT_GT(known.ratios.back(), 1);
}

// The file does not say which gelu it is; one run tells that it is the other.
TEST(SideJudge, tells_a_form_by_a_single_run) {
    std::mt19937 random(5);
    const Tensor x = noise({6, 8}, random);
    const auto y = [&](const std::string& form) {
        return Executor(Device::reference32()).call("gelu", {x, form}).tensor(0);
    };
    EXPECT_EQ(judged({run_of("gelu", 1, x, y("tanh"))}).sentences.back(),
              "gelu: its results are those of approximate=tanh");
    EXPECT_EQ(judged({run_of("gelu", 1, x, y("none"))}).sentences.size(), 1U);
    // Numbers so small that both forms make the same of them say nothing, nor does stale memory.
    const Tensor little = noise({6, 8}, random).cast(DType::kFloat16).cast(DType::kFloat32);
    const Tensor small =
        Executor(Device::reference32()).call("mul_Scalar", {little, Scalar{0x1p-40}}).tensor(0);
    const Tensor halved =
        Executor(Device::reference32()).call("mul_Scalar", {small, Scalar{0.5}}).tensor(0);
    EXPECT_EQ(judged({run_of("gelu", 1, x, y("tanh")), run_of("gelu", 2, small, halved)})
                  .sentences.back(),
              "gelu: its results are those of approximate=tanh");
    const Tensor stale = test::floats({6, 8}, std::vector<float>(48, 1e30F));
    EXPECT_EQ(
        judged({run_of("gelu", 1, x, y("tanh")), run_of("gelu", 2, x, stale)}).sentences.back(),
        "gelu: its results are those of approximate=tanh");
}

}  // namespace
}  // namespace npuscope::diagnose
