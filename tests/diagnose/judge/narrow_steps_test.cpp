// Ops whose steps may have fewer bits than their results.
#include <gtest/gtest.h>

#include "npu_backend/chips/device.h"
#include "tests/compare/dataflow/hand_made.h"
#include "tests/diagnose/judge/judged_dumps.h"
#include "tests/support/values.h"

namespace npuscope::diagnose {
namespace {

using compare::DumpedOp;
using compare::random_tensor;
using test::held_against;

constexpr size_t kNormedRows = 24;
constexpr size_t kNormWidth = 8;

/// The gradient of a layer norm of rows in bfloat16; that by its weight is kept in float32. Each
/// product in it is rounded to bfloat16 or not, and the sum is `factor` times what it is.
DumpedOp norm_gradient(int64_t seqid, bool rounds, float factor) {
    const auto numbers = [&](int64_t seed) {
        return random_tensor({kNormedRows, kNormWidth}, static_cast<unsigned>(seed))
            .cast(DType::kBFloat16);
    };
    const Tensor input = numbers(2 * seqid);
    const Tensor dy = numbers(2 * seqid + 1);
    const NamedValues inputs = {
        {"grad_out", dy},
        {"input", input},
        {"normalized_shape", IntList{kNormWidth}},
        {"mean", Tensor::zeros(DType::kFloat32, {kNormedRows, 1})},
        {"rstd", test::floats({kNormedRows, 1}, std::vector<float>(kNormedRows, 1.3F))},
        {"weight", test::floats(std::vector<float>(kNormWidth, 1))},
        {"bias", test::floats(std::vector<float>(kNormWidth, 0))},
        {"output_mask", BoolMask{{true, true, true}}}};
    const Results results =
        Executor(Device::reference32()).call_named("native_layer_norm_backward", inputs);
    std::vector<float> by_weight(kNormWidth);
    const Tensor g = dy.cast(DType::kFloat32);
    const Tensor x = input.cast(DType::kFloat32);
    for (size_t i = 0; i < kNormedRows * kNormWidth; ++i) {
        const float product = g.as<float>()[i] * (x.as<float>()[i] * 1.3F);
        const Tensor one = test::floats({product});
        by_weight[i % kNormWidth] +=
            rounds ? one.cast(DType::kBFloat16).cast(DType::kFloat32).as<float>()[0] : product;
    }
    for (float& each : by_weight)
        each *= factor;
    return {.name = "native_layer_norm_backward",
            .seqid = seqid,
            .inputs = inputs,
            .outputs = {{"result0", results.tensor(0)},
                        {"result1", test::floats(by_weight)},
                        {"result2", results.tensor(2)}},
            .node = {}};
}

/// Four such gradients, the third of them by `factor`.
std::vector<DumpedOp> norm_gradients(bool rounds, float factor) {
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 4; ++seqid)
        ops.push_back(norm_gradient(seqid, rounds, seqid == 3 ? factor : 1));
    return ops;
}

bool is_accused(bool rounds, float factor) {
    return !held_against(norm_gradients(rounds, factor), norm_gradients(false, 1)).culprits.empty();
}

TEST(NarrowSteps, of_a_norms_gradient_are_known_by_what_they_are_off_by) {
    EXPECT_FALSE(is_accused(false, 1));
    EXPECT_FALSE(is_accused(true, 1));
    EXPECT_TRUE(is_accused(true, 1.5F));
    // Too far off for float32, and far too near for bfloat16.
    EXPECT_TRUE(is_accused(false, 1.00005F));
}

constexpr int64_t kQuotients = 12;

/// -g ((x / y) / y) of rows, each of which is divided by one y, added up: in float16, each step
/// rounded to that or not, the sum `factor` times what it is.
DumpedOp gradient_of_divisor(int64_t seqid, bool rounds, double factor) {
    const auto numbers = [&](const Shape& shape, int64_t seed) {
        return random_tensor(shape, static_cast<unsigned>(seed)).cast(DType::kFloat16);
    };
    const Shape rows = {kQuotients, kQuotients};
    const Tensor grad = numbers(rows, 3 * seqid);
    const Tensor x = numbers(rows, 3 * seqid + 1);
    Tensor y = numbers({kQuotients, 1}, 3 * seqid + 2).cast(DType::kFloat32);
    for (float& each : y.mutable_as<float>())
        each = 1.5F + each / 4;
    y = y.cast(DType::kFloat16);
    const auto step = [&](double value) {
        return rounds ? test::floats({static_cast<float>(value)}).cast(DType::kFloat16).at(0)
                      : value;
    };
    std::vector<float> sums(kQuotients);
    for (int64_t row = 0; row < kQuotients; ++row) {
        double sum = 0;
        for (int64_t at = row * kQuotients; at < (row + 1) * kQuotients; ++at)
            sum += step(-grad.at(at) * step(step(x.at(at) / y.at(row)) / y.at(row)));
        sums[static_cast<size_t>(row)] = static_cast<float>(factor * sum);
    }
    return {
        .name = "gradient_of_divisor",
        .seqid = seqid,
        .inputs = {{"grad", grad}, {"self", x}, {"other", y}, {"shape", IntList{kQuotients, 1}}},
        .outputs = {{"result", test::floats({kQuotients, 1}, sums).cast(DType::kFloat16)}},
        .node = {}};
}

bool is_quotient_accused(bool rounds, double factor) {
    std::vector<DumpedOp> target;
    std::vector<DumpedOp> golden;
    for (int64_t seqid = 1; seqid <= 4; ++seqid) {
        target.push_back(gradient_of_divisor(seqid, rounds, seqid == 3 ? factor : 1));
        golden.push_back(gradient_of_divisor(seqid, false, 1));
    }
    return !held_against(target, golden).culprits.empty();
}

// What is added up has more elements than the divisor, whose own elements tell nothing of that.
TEST(NarrowSteps, are_those_of_a_divisors_gradient) {
    EXPECT_FALSE(is_quotient_accused(false, 1));
    EXPECT_FALSE(is_quotient_accused(true, 1));
    EXPECT_TRUE(is_quotient_accused(true, 1.1));
}

const Shape kFunctionShape = {12, 20};

float in_bfloat16(double value) {
    return static_cast<float>(
        test::floats({static_cast<float>(value)}).cast(DType::kBFloat16).at(0));
}

/// By element of random numbers in bfloat16.
template <class F>
Tensor by_element(const Tensor& x, F&& f) {
    std::vector<float> elements;
    for (int64_t i = 0; i < x.numel(); ++i)
        elements.push_back(f(static_cast<float>(x.at(i)), i));
    return test::floats(x.shape(), elements);
}

Tensor numbers_in_bfloat16(unsigned seed) {
    return random_tensor(kFunctionShape, seed).cast(DType::kBFloat16).cast(DType::kFloat32);
}

/// Sums and products in bfloat16, one sum of a product that is rounded once, and behind them `op`;
/// all results hold numbers of bfloat16, stored in `dtype`.
std::vector<DumpedOp> behind_sums(DumpedOp op, DType dtype) {
    constexpr int64_t kSums = 60;
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= kSums; ++seqid) {
        const Tensor x = numbers_in_bfloat16(static_cast<unsigned>(10 * seqid));
        const Tensor y = numbers_in_bfloat16(static_cast<unsigned>(10 * seqid + 1));
        const bool adds = seqid % 2 == 0;
        const Tensor result = by_element(x, [&](float each, int64_t i) {
            return in_bfloat16(adds ? each + y.at(i) : each * y.at(i));
        });
        ops.push_back({.name = adds ? "add_Tensor" : "mul_Tensor",
                       .seqid = seqid,
                       .inputs = {{"self", x.cast(dtype)}, {"other", y.cast(dtype)}},
                       .outputs = {{"result", result.cast(dtype)}},
                       .node = {}});
    }
    const Tensor self = numbers_in_bfloat16(1);
    const Tensor one = numbers_in_bfloat16(2);
    const Tensor other = numbers_in_bfloat16(5);
    const Tensor result = by_element(
        self, [&](float each, int64_t i) { return in_bfloat16(each + one.at(i) * other.at(i)); });
    ops.push_back({.name = "addcmul",
                   .seqid = kSums + 1,
                   .inputs = {{"self", self.cast(dtype)},
                              {"tensor1", one.cast(dtype)},
                              {"tensor2", other.cast(dtype)},
                              {"value", 1.0}},
                   .outputs = {{"result", result.cast(dtype)}},
                   .node = {}});
    op.seqid = kSums + 2;
    for (auto* values : {&op.inputs, &op.outputs})
        for (NamedValue& each : *values)
            if (const auto* tensor = std::get_if<Tensor>(&each.value))
                each.value = tensor->cast(dtype);
    ops.push_back(std::move(op));
    return ops;
}

bool is_accused_behind_sums(const DumpedOp& target, const DumpedOp& golden, DType dtype) {
    return !held_against(behind_sums(target, dtype), behind_sums(golden, dtype)).culprits.empty();
}

/// One sigmoid of the recording, each of its elements 1 / (1 + e^-x) by `round` after each step.
DumpedOp sigmoid_by(float (*round)(double), float factor) {
    const Tensor x = numbers_in_bfloat16(3);
    const Tensor y = by_element(x, [&](float each, int64_t /*i*/) {
        return in_bfloat16(factor * round(1 / round(1 + round(std::exp(-each)))));
    });
    return {.name = "sigmoid",
            .seqid = 1,
            .inputs = {{"self", x}},
            .outputs = {{"result", y}},
            .node = {}};
}

float in_float32(double value) {
    return static_cast<float>(value);
}

// No other op of the recording tells whether it takes its steps in 16 bits.
TEST(NarrowSteps, are_known_by_a_formula_that_gives_each_element) {
    const DumpedOp golden = sigmoid_by(in_float32, 1);
    EXPECT_FALSE(is_accused_behind_sums(golden, golden, DType::kBFloat16));
    EXPECT_FALSE(is_accused_behind_sums(sigmoid_by(in_bfloat16, 1), golden, DType::kBFloat16));
    EXPECT_TRUE(is_accused_behind_sums(sigmoid_by(in_bfloat16, 1.03F), golden, DType::kBFloat16));
    EXPECT_TRUE(is_accused_behind_sums(sigmoid_by(in_float32, 1.03F), golden, DType::kBFloat16));
}

/// ((x - mean) rstd) weight + bias by rows, each step by `round`; `factor` times that.
DumpedOp layer_norm_by(float (*round)(double), float factor) {
    const Tensor x = numbers_in_bfloat16(3);
    const auto width = static_cast<size_t>(kFunctionShape[1]);
    std::vector<float> weight(width);
    std::vector<float> bias(width);
    for (size_t i = 0; i < width; ++i) {
        weight[i] = in_bfloat16(1 + 0.03 * static_cast<double>(i % 7));
        bias[i] = in_bfloat16(0.6 * static_cast<double>(i % 5) - 1.2);
    }
    std::vector<float> means;
    std::vector<float> spreads;
    for (int64_t row = 0; row < kFunctionShape[0]; ++row) {
        double sum = 0;
        double squares = 0;
        for (int64_t i = row * kFunctionShape[1]; i < (row + 1) * kFunctionShape[1]; ++i) {
            sum += x.at(i);
            squares += x.at(i) * x.at(i);
        }
        const auto count = static_cast<double>(width);
        const double variance = squares / count - sum / count * (sum / count);
        means.push_back(round(sum / count));
        spreads.push_back(round(1 / std::sqrt(variance + 1e-5)));
    }
    const Tensor y = by_element(x, [&](float each, int64_t i) {
        const auto row = static_cast<size_t>(i) / width;
        const auto column = static_cast<size_t>(i) % width;
        const float scaled = round(round(each - means[row]) * spreads[row]);
        return in_bfloat16(factor * round(round(scaled * weight[column]) + bias[column]));
    });
    return {.name = "native_layer_norm",
            .seqid = 1,
            .inputs = {{"input", x},
                       {"normalized_shape", IntList{kFunctionShape[1]}},
                       {"weight", test::floats(weight)},
                       {"bias", test::floats(bias)},
                       {"eps", 1e-5}},
            .outputs = {{"result0", y},
                        {"result1", test::floats({kFunctionShape[0], 1}, means)},
                        {"result2", test::floats({kFunctionShape[0], 1}, spreads)}},
            .node = {}};
}

TEST(NarrowSteps, are_those_of_a_norm_by_the_mean_and_deviation_that_it_gives_out) {
    const DumpedOp golden = layer_norm_by(in_float32, 1);
    EXPECT_FALSE(is_accused_behind_sums(golden, golden, DType::kBFloat16));
    EXPECT_FALSE(is_accused_behind_sums(layer_norm_by(in_bfloat16, 1), golden, DType::kBFloat16));
    EXPECT_TRUE(
        is_accused_behind_sums(layer_norm_by(in_bfloat16, 1.03F), golden, DType::kBFloat16));
}

/// 2 / n (x - y), each step by `round`; `factor` times that.
DumpedOp gradient_of_mean_square(float (*round)(double), float factor) {
    const Tensor x = numbers_in_bfloat16(3);
    const Tensor y = by_element(x, [](float each, int64_t i) {
        return each * (1 + 0.001F * static_cast<float>(i % 9)) + 0.003F;
    });
    const double norm = 2 / static_cast<double>(x.numel());
    const Tensor gradient = by_element(x, [&](float each, int64_t i) {
        return in_bfloat16(factor * round(round(norm) * round(each - y.at(i))));
    });
    return {.name = "mse_loss_backward",
            .seqid = 1,
            .inputs = {{"grad_output", test::floats({}, {1})},
                       {"self", x},
                       {"target", y},
                       {"reduction", int64_t{1}}},
            .outputs = {{"result", gradient}},
            .node = {}};
}

// Of numbers in 16 bits that are stored in float32 as of such that are not.
TEST(NarrowSteps, of_a_loss_are_let_be_where_its_results_are_stored_wider) {
    const DumpedOp golden = gradient_of_mean_square(in_float32, 1);
    for (const DType dtype : {DType::kBFloat16, DType::kFloat32}) {
        EXPECT_FALSE(
            is_accused_behind_sums(gradient_of_mean_square(in_bfloat16, 1), golden, dtype));
        EXPECT_TRUE(
            is_accused_behind_sums(gradient_of_mean_square(in_bfloat16, 1.05F), golden, dtype));
    }
}

}  // namespace
}  // namespace npuscope::diagnose
