#include "npu_backend/ops/promotion.h"

#include <array>

#include <gtest/gtest.h>

namespace npuscope::backend {
namespace {

TEST(Promotion, follows_pytorch) {
    EXPECT_EQ(promoted(DType::kFloat16, DType::kFloat32), DType::kFloat32);
    EXPECT_EQ(promoted(DType::kFloat16, DType::kBFloat16), DType::kFloat32);
    EXPECT_EQ(promoted(DType::kInt64, DType::kFloat16), DType::kFloat16);
    EXPECT_EQ(promoted(DType::kUInt8, DType::kInt8), DType::kInt16);
    EXPECT_EQ(promoted(DType::kUInt8, DType::kInt32), DType::kInt32);
    EXPECT_EQ(promoted(DType::kBool, DType::kUInt8), DType::kUInt8);
}

TEST(Promotion, a_tensor_without_dimensions_counts_only_by_kind) {
    const Tensor half(DType::kFloat16, {2});
    const Tensor number = Tensor::scalar<float>(1);
    const Tensor whole(DType::kInt32, {2});
    EXPECT_EQ(result_type(std::array{half, number}), DType::kFloat16);
    EXPECT_EQ(result_type(std::array{whole, number}), DType::kFloat32);
    EXPECT_EQ(result_type(std::array{whole, Tensor::scalar<int64_t>(1)}), DType::kInt32);
    EXPECT_EQ(result_type(std::array{number, Tensor::scalar<double>(1)}), DType::kFloat64);
}

}  // namespace
}  // namespace npuscope::backend
