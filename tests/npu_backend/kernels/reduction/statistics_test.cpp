#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(ReduceStdV2Update, divides_by_the_degrees_of_freedom) {
    const KernelRun run = run_kernel("ReduceStdV2Update",
                                     {floats({1, 3}, {1, 2, 6}), floats({1, 1}, {3})},
                                     {{"dim", IntList{1}}, {"correction", 1.0}, {"if_std", false}});
    EXPECT_EQ(run.at(0), 7);
}

TEST(LpNorm, knows_its_limits) {
    const Tensor x = floats({1, 3}, {-3, 0, 2});
    const auto norm = [&](double p) {
        const NamedValues attributes = {{"p", p}, {"axes", IntList{1}}};
        const Tensor reduced = run_kernel("LpNormReduce", {x}, attributes).outputs[0];
        return run_kernel("LpNormUpdate", {reduced}, attributes).at(0);
    };
    EXPECT_EQ(norm(0), 2);
    EXPECT_EQ(norm(1), 5);
    EXPECT_FLOAT_EQ(static_cast<float>(norm(2)), std::sqrt(13.0F));
    EXPECT_EQ(norm(std::numeric_limits<double>::infinity()), 3);
    EXPECT_EQ(norm(-std::numeric_limits<double>::infinity()), 0);
}

TEST(ReduceLogSumExp, does_not_overflow) {
    const KernelRun run =
        run_kernel("ReduceLogSumExp", {floats({1, 2}, {1000, 1000})}, {{"axes", IntList{1}}});
    EXPECT_FLOAT_EQ(static_cast<float>(run.at(0)), 1000.0F + std::log(2.0F));
}

TEST(ReduceAll, is_true_of_nothing) {
    const Tensor none(DType::kBool, {0});
    EXPECT_EQ(run_kernel("ReduceAll", {none}, {{"axes", IntList{0}}}).at(0), 1);
    EXPECT_EQ(run_kernel("ReduceAny", {none}, {{"axes", IntList{0}}}).at(0), 0);
}

TEST(ArgMaxWithValue, gives_place_and_value) {
    const KernelRun run = run_kernel("ArgMaxWithValue",
                                     {floats({1, 3}, {1, 5, 5})},
                                     {{"dimension", int64_t{1}}, {"keep_dims", true}});
    EXPECT_EQ(run.outputs[0].at(0), 1);
    EXPECT_EQ(run.outputs[1].at(0), 5);
}

}  // namespace
}  // namespace npuscope::backend::test
