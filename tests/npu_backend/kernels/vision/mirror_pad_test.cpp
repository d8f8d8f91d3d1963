#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues pad(IntList paddings, const char* mode) {
    return {{"paddings", std::move(paddings)}, {"mode", std::string(mode)}};
}

TEST(MirrorPad, reflects_and_repeats) {
    const Tensor x = floats({1, 3}, {1, 2, 3});
    const KernelRun reflected = run_kernel("MirrorPad", {x}, pad({2, 1}, "reflect"));
    EXPECT_EQ(reflected.at(0), 3);
    EXPECT_EQ(reflected.at(5), 2);
    const KernelRun edge = run_kernel("MirrorPad", {x}, pad({2, 1}, "edge"));
    EXPECT_EQ(edge.at(0), 1);
    EXPECT_EQ(edge.at(5), 3);
}

TEST(PadV3Grad, adds_the_copies) {
    NamedValues attributes = pad({2, 1}, "edge");
    attributes.push_back({"input_size", IntList{1, 3}});
    const KernelRun run = run_kernel("PadV3Grad", {floats({1, 6}, {1, 1, 1, 1, 1, 1})}, attributes);
    EXPECT_EQ(run.at(0), 3);
    EXPECT_EQ(run.at(1), 1);
    EXPECT_EQ(run.at(2), 2);
}

TEST(MirrorPad, rejects_a_reflection_longer_than_the_axis) {
    EXPECT_THROW((void)run_kernel("MirrorPad", {floats({1, 3}, {1, 2, 3})}, pad({3, 0}, "reflect")),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
