#include "diagnose/run/expectation.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::diagnose {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Expectation, difference_is_relative_to_the_largest_expected_value) {
    const NamedTensors expected = {{"y", Tensor::from<float>({4}, {1.0f, -8.0f, 2.0f, 0.0f})}};
    const NamedTensors outputs = {{"y", Tensor::from<float>({4}, {1.0f, -8.0f, 2.25f, 0.125f})}};
    const auto found = compare_outputs(outputs, expected);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].max_abs, 0.25);
    EXPECT_EQ(found[0].largest, 8.0);
    EXPECT_EQ(found[0].relative, 0.03125);
}

TEST(Expectation, an_output_that_is_not_a_number_is_infinitely_far) {
    const NamedTensors expected = {{"y", Tensor::from<double>({2}, {1.0, kNan})}};
    EXPECT_EQ(
        compare_outputs({{"y", Tensor::from<double>({2}, {kNan, kNan})}}, expected)[0].max_abs,
        kInf);
    EXPECT_EQ(compare_outputs({{"y", Tensor::from<double>({2}, {1.0, kNan})}}, expected)[0].max_abs,
              0.0);
}

TEST(Expectation, equal_infinities_do_not_differ) {
    const NamedTensors expected = {{"y", Tensor::from<double>({2}, {kInf, 1.0})}};
    EXPECT_EQ(compare_outputs({{"y", Tensor::from<double>({2}, {kInf, 1.0})}}, expected)[0].max_abs,
              0.0);
    EXPECT_EQ(
        compare_outputs({{"y", Tensor::from<double>({2}, {-kInf, 1.0})}}, expected)[0].max_abs,
        kInf);
}

TEST(Expectation, another_shape_and_a_missing_output_are_incomparable) {
    const NamedTensors expected = {{"y", Tensor::zeros(DType::kFloat32, {2, 2})}};
    EXPECT_EQ(
        compare_outputs({{"y", Tensor::zeros(DType::kFloat32, {4})}}, expected)[0].incomparable,
        "shape [4], expected [2,2]");
    EXPECT_FALSE(compare_outputs({}, expected)[0].incomparable.empty());
}

TEST(Accuracy, counts_rows_whose_largest_score_is_the_label) {
    const Tensor scores = Tensor::from<float>({4, 3}, {0, 1, 2, 5, 1, 2, 0, 9, 1, 0, 0, 0});
    const Tensor labels = Tensor::from<int64_t>({4}, {2, 0, 2, 0});
    const Accuracy found = top1_accuracy(scores, labels);
    EXPECT_EQ(found.samples, 4);
    EXPECT_EQ(found.hits, 3);
}

TEST(Accuracy, a_row_with_nan_is_a_miss) {
    const Tensor scores = Tensor::from<double>({1, 2}, {kNan, 1.0});
    EXPECT_EQ(top1_accuracy(scores, Tensor::from<int64_t>({1}, {1})).hits, 0);
}

TEST(Accuracy, rejects_labels_of_another_length) {
    EXPECT_THROW(static_cast<void>(top1_accuracy(Tensor::zeros(DType::kFloat32, {4, 3}),
                                                 Tensor::zeros(DType::kInt64, {3}))),
                 Error);
}

TEST(Predictions, counts_rows_that_choose_another_class) {
    const Tensor golden = Tensor::from<float>({3, 2}, {0, 1, 1, 0, 3, 2});
    const Tensor target = Tensor::from<float>({3, 2}, {0, 1, 0, 1, 3, 2});
    EXPECT_EQ(changed_predictions(target, golden), 1);
    EXPECT_EQ(changed_predictions(golden.reshaped({6}), golden.reshaped({6})), std::nullopt);
}

}  // namespace
}  // namespace npuscope::diagnose
