#include "compare/origins/like_inputs.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// One input of four elements, each of these sizes, whose difference is as large as either.
OpResult update(const std::string& op, const std::string& path, double target, double golden) {
    OpResult result;
    result.target = result.golden = path;
    result.id = {op, 1};
    TensorResult input;
    input.direction = dumpfile::Direction::kInput;
    input.argument = "other";
    input.dtype = "float32";
    input.metrics = {0};
    input.sums.pairs = input.sums.numel = 4;
    input.sums.tt = 4 * target * target;
    input.sums.gg = 4 * golden * golden;
    input.sums.dd = 4 * (target - golden) * (target - golden);
    result.tensors.push_back(input);
    return result;
}

TEST(LikeInputs, of_rounding_alone_are_small_beside_those_of_other_runs) {
    Result result;
    result.ops = {update("add_", "/add_/1", 0.1, 0.1), update("add_", "/add_/2", 1e-5, 1e-9)};
    const LikeInputs like(result);
    EXPECT_TRUE(like.is_rounding_alone(result.ops[1], result.ops[1].tensors[0]));
    EXPECT_FALSE(like.is_rounding_alone(result.ops[0], result.ops[0].tensors[0]));
}

TEST(LikeInputs, that_are_large_on_one_side_are_no_rounding) {
    Result result;
    result.ops = {update("add_", "/add_/1", 0.1, 0.1), update("add_", "/add_/2", 0.01, 1e-9)};
    EXPECT_FALSE(LikeInputs(result).is_rounding_alone(result.ops[1], result.ops[1].tensors[0]));
}

TEST(LikeInputs, are_those_of_one_op) {
    Result result;
    result.ops = {update("mul_", "/mul_/1", 0.1, 0.1), update("add_", "/add_/2", 1e-5, 1e-9)};
    EXPECT_FALSE(LikeInputs(result).is_rounding_alone(result.ops[1], result.ops[1].tensors[0]));
    // Of calls their numbers do not count.
    result.ops = {update("Tensor.add_.0.forward", "Tensor.add_.0.forward", 0.1, 0.1),
                  update("Tensor.add_.7.forward", "Tensor.add_.7.forward", 1e-5, 1e-9)};
    EXPECT_TRUE(LikeInputs(result).is_rounding_alone(result.ops[1], result.ops[1].tensors[0]));
}

}  // namespace
}  // namespace npuscope::compare
