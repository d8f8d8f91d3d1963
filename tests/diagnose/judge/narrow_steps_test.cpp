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

}  // namespace
}  // namespace npuscope::diagnose
