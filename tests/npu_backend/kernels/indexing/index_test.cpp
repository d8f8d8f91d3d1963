#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

Tensor whole(Shape shape, std::initializer_list<int64_t> values) {
    return Tensor::from<int64_t>(shape, values);
}

TEST(Index, reads_slices_and_counts_from_the_end) {
    const KernelRun run =
        run_kernel("Index", {floats({3, 2}, {0, 1, 2, 3, 4, 5}), whole({2}, {-1, 0})});
    EXPECT_EQ(run.outputs[0].shape(), (Shape{2, 2}));
    EXPECT_EQ(run.at(0), 4);
    EXPECT_EQ(run.at(3), 1);
}

TEST(IndexPut, rounds_each_sum) {
    const Tensor half = halves({1}, {2048});
    const Tensor places = whole({2}, {0, 0});
    // 2048 + 1 rounds to 2048 twice.
    const KernelRun run =
        run_kernel("IndexPut", {half, halves({2}, {1, 1}), places}, {{"accumulate", true}});
    EXPECT_EQ(run.at(0), 2048);
    const KernelRun last = run_kernel("IndexPut", {half, halves({2}, {1, 3}), places});
    EXPECT_EQ(last.at(0), 3);
}

TEST(Index, rejects_places_outside) {
    EXPECT_THROW((void)run_kernel("Index", {floats({2}, {0, 1}), whole({1}, {2})}), Error);
    EXPECT_THROW(
        (void)run_kernel("IndexPut", {floats({2}, {0, 1}), floats({2}, {0, 1}), whole({1}, {0})}),
        Error);
}

TEST(EmbeddingDenseGrad, leaves_the_padding_word_out) {
    const KernelRun run = run_kernel(
        "EmbeddingDenseGrad",
        {floats({3, 1}, {1, 2, 4}), whole({3}, {1, 0, 1})},
        {{"num_weights", int64_t{3}}, {"padding_idx", int64_t{0}}, {"scale_grad_by_freq", true}});
    EXPECT_EQ(run.at(0), 0);
    EXPECT_EQ(run.at(1), 2.5);
    EXPECT_EQ(run.at(2), 0);
}

TEST(MaskedScatter, rejects_too_few_updates) {
    const Tensor mask = Tensor::from<bool>({2}, {true, true});
    EXPECT_THROW((void)run_kernel("MaskedScatter", {floats({2}, {0, 0}), mask, floats({1}, {1})}),
                 Error);
}

TEST(MaskedFill, broadcasts_the_mask) {
    const Tensor mask = Tensor::from<bool>({2, 1}, {true, false});
    const KernelRun run =
        run_kernel("MaskedFill", {floats({2, 2}, {1, 2, 3, 4}), mask, floats({}, {9})});
    EXPECT_EQ(run.at(1), 9);
    EXPECT_EQ(run.at(2), 3);
}

}  // namespace
}  // namespace npuscope::backend::test
