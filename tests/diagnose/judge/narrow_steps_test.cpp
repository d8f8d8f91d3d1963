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

}  // namespace
}  // namespace npuscope::diagnose
