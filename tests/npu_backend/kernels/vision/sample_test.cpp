#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

// Halfway between 1 and 3, and far outside.
TEST(Sample, reads_between_places_and_zeros_outside) {
    const Tensor image = Tensor::from<float>({1, 1, 1, 2}, {1, 3});
    const Tensor grid = Tensor::from<float>({1, 1, 2, 2}, {0, 0, 9, 0});
    const auto read = [&](const char* padding) {
        return run_kernel("GridSampler2D",
                          {image, grid},
                          {{"interpolation_mode", int64_t{0}},
                           {"padding_mode", std::string(padding)},
                           {"align_corners", true}})
            .outputs[0];
    };
    EXPECT_EQ(read("zeros").at(0), 2);
    EXPECT_EQ(read("zeros").at(1), 0);
    EXPECT_EQ(read("border").at(1), 3);
}

TEST(Sample, determinant_of_a_permutation_is_its_sign) {
    const Tensor swap = Tensor::from<float>({2, 2}, {0, 1, 1, 0});
    EXPECT_EQ(run_kernel("MatrixDeterminant", {swap}).at(0), -1);
}

TEST(Sample, rejects_integers) {
    const Tensor whole = Tensor::from<int32_t>({1, 1}, {1});
    EXPECT_THROW((void)run_kernel("MatrixDeterminant", {whole}), Error);
}

}  // namespace
}  // namespace npuscope::backend::test
