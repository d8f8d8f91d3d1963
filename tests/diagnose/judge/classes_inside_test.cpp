// Ops that are held to another class than their file's, since of what they take in.
#include <gtest/gtest.h>

#include "tests/diagnose/judge/judged_side.h"

namespace npuscope::diagnose {
namespace {

using compare::DumpedOp;
using test::judged;
using test::noise;

Tensor in_float16(const Tensor& tensor) {
    return tensor.cast(DType::kFloat16).cast(DType::kFloat32);
}

/// Sums of a unit in float16 whose results are stored as float32. All but the last take in numbers
/// of float16; this takes in wider ones, rounds them where it should, and is off by `units` of
/// 2^-11.
std::vector<DumpedOp> sums(bool rounds, float units) {
    std::mt19937 random(3);
    Executor executor(Device::reference32());
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 14; ++seqid) {
        const bool is_last = seqid == 14;
        Tensor x = noise({6, 8}, random);
        const Tensor other = in_float16(noise({6, 8}, random));
        if (!is_last) x = in_float16(x);
        Tensor y = executor.call("add_Tensor", {rounds ? in_float16(x) : x, other}).tensor(0);
        for (float& value : y.mutable_as<float>())
            value *= is_last ? 1 + units * 0x1p-11F : 1;
        ops.push_back({.name = "add_Tensor",
                       .seqid = seqid,
                       .inputs = {{"self", x}, {"other", other}},
                       .outputs = {{"result", in_float16(y)}},
                       .node = {}});
    }
    return ops;
}

TEST(ClassesInside, round_what_they_take_in_as_they_round_results) {
    EXPECT_LE(judged(sums(true, 0)).ratios.back(), 1);
    EXPECT_LE(judged(sums(false, 0)).ratios.back(), 1);
    EXPECT_GT(judged(sums(true, 20)).ratios.back(), 1);
}

}  // namespace
}  // namespace npuscope::diagnose
