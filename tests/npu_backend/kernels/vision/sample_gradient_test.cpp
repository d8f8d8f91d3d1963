#include <string>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues attributes(int64_t mode, const std::string& padding, bool corners) {
    return {{"interpolation_mode", mode}, {"padding_mode", padding}, {"align_corners", corners}};
}

// Between 1 and 3 the sum of both halves; far outside nothing, or the last element, which no
// further step changes.
TEST(SampleGradient, divides_what_came_among_the_neighbours) {
    const Tensor image = Tensor::from<float>({1, 1, 1, 2}, {1, 3});
    const Tensor given = Tensor::from<float>({1, 1, 1, 2}, {1, 10});
    const Tensor grid = Tensor::from<float>({1, 1, 2, 2}, {0, 0, 9, 0});
    const KernelRun zeros =
        run_kernel("GridSampler2DGrad", {given, image, grid}, attributes(0, "zeros", true));
    ASSERT_EQ(zeros.outputs.size(), 2u);
    EXPECT_EQ(zeros.outputs[0].at(0), 0.5);
    EXPECT_EQ(zeros.outputs[0].at(1), 0.5);
    // One element from -1 to 1: half an element a step, 2 more an element.
    EXPECT_EQ(zeros.outputs[1].at(0), 1);
    EXPECT_EQ(zeros.outputs[1].at(2), 0);
    const KernelRun border =
        run_kernel("GridSampler2DGrad", {given, image, grid}, attributes(0, "border", true));
    EXPECT_EQ(border.outputs[0].at(1), 10.5);
    EXPECT_EQ(border.outputs[1].at(2), 0);
}

TEST(SampleGradient, of_the_nearest_element_leaves_the_places_alone) {
    const Tensor image = Tensor::from<float>({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor given = Tensor::from<float>({1, 2, 1, 1}, {7, 9});
    const Tensor grid = Tensor::from<float>({1, 1, 1, 2}, {0.75F, 0});
    const KernelRun found =
        run_kernel("GridSampler2DGrad", {given, image, grid}, attributes(1, "zeros", false));
    const double expected[] = {0, 0, 7, 0, 0, 9};
    for (int64_t i = 0; i < 6; ++i)
        EXPECT_EQ(found.outputs[0].at(i), expected[i]);
    EXPECT_EQ(found.outputs[1].at(0), 0);
    EXPECT_EQ(found.outputs[1].at(1), 0);
}

/// Differences of what GridSampler2D reads, a small step to either side, in float64.
TEST(SampleGradient, is_how_what_is_read_changes_with_the_place) {
    constexpr double kStep = 1e-6;
    const Tensor image =
        Tensor::from<double>({1, 1, 3, 4}, {1, -2, 4, 3, 0, 5, -1, 2, 2, 1, -3, 6});
    const Tensor given = Tensor::from<double>({1, 1, 1, 1}, {1});
    for (const int64_t mode : {0, 2})
        for (const char* padding : {"zeros", "border", "reflection"})
            for (const bool corners : {false, true})
                for (const double x : {-1.9, -0.4, 0.3, 1.2, 4.6})
                    for (const double y : {-3.3, -0.9, 0.1, 0.8, 1.1}) {
                        const NamedValues how = attributes(mode, padding, corners);
                        const auto read = [&](double dx, double dy) {
                            const Tensor grid =
                                Tensor::from<double>({1, 1, 1, 2}, {x + dx, y + dy});
                            return run_kernel("GridSampler2D", {image, grid}, how).at(0);
                        };
                        const Tensor grid = Tensor::from<double>({1, 1, 1, 2}, {x, y});
                        const Tensor found =
                            run_kernel("GridSampler2DGrad", {given, image, grid}, how).outputs[1];
                        const double by_x = (read(kStep, 0) - read(-kStep, 0)) / (2 * kStep);
                        const double by_y = (read(0, kStep) - read(0, -kStep)) / (2 * kStep);
                        EXPECT_NEAR(found.at(0), by_x, 1e-7)
                            << mode << padding << corners << " " << x << " " << y;
                        EXPECT_NEAR(found.at(1), by_y, 1e-7)
                            << mode << padding << corners << " " << x << " " << y;
                    }
}

TEST(SampleGradient, rejects_integers) {
    const Tensor whole = Tensor::from<int32_t>({1, 1, 1, 1}, {1});
    const Tensor grid = Tensor::from<int32_t>({1, 1, 1, 2}, {0, 0});
    EXPECT_THROW(
        (void)run_kernel("GridSampler2DGrad", {whole, whole, grid}, attributes(0, "zeros", false)),
        Error);
}

}  // namespace
}  // namespace npuscope::backend::test
