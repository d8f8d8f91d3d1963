#include "compare/bounds.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

Bound bound_of(const Bounds& bounds, DType dtype, ComputeType compute_type = ComputeType::kNone) {
    const std::string path = "/op/1/output/out";
    return bounds.bound(
        {.target = path, .golden = path, .dtype = dtype, .compute_type = compute_type});
}

TEST(PrecisionBounds, follow_the_compute_type) {
    const PrecisionBounds bounds;
    EXPECT_EQ(bound_of(bounds, DType::kFloat32, ComputeType::kFloat64).tolerance, 1e-12);
    EXPECT_EQ(bound_of(bounds, DType::kFloat32, ComputeType::kFloat32).tolerance, 1e-5);
    EXPECT_EQ(bound_of(bounds, DType::kFloat32, ComputeType::kHFloat32).tolerance, 2e-3);
    EXPECT_EQ(bound_of(bounds, DType::kFloat32, ComputeType::kFloat16).tolerance, 4e-3);
    EXPECT_EQ(bound_of(bounds, DType::kFloat32, ComputeType::kBFloat16).tolerance, 3e-2);
    EXPECT_EQ(bound_of(bounds, DType::kFloat32, ComputeType::kFloat16).source, "float16 0.004");
}

TEST(PrecisionBounds, fall_back_to_the_tensors_dtype) {
    const PrecisionBounds bounds;
    EXPECT_EQ(bound_of(bounds, DType::kFloat64).tolerance, 1e-12);
    EXPECT_EQ(bound_of(bounds, DType::kFloat32).tolerance, 1e-5);
    EXPECT_EQ(bound_of(bounds, DType::kFloat16).tolerance, 4e-3);
    EXPECT_EQ(bound_of(bounds, DType::kBFloat16).tolerance, 3e-2);
}

TEST(PrecisionBounds, ask_integers_and_bools_to_be_equal) {
    for (const DType dtype : {DType::kInt8, DType::kInt64, DType::kUInt16, DType::kBool})
        EXPECT_TRUE(bound_of(PrecisionBounds(), dtype, ComputeType::kFloat16).exact);
}

TEST(PrecisionBounds, are_scaled_by_the_factor) {
    EXPECT_EQ(bound_of(PrecisionBounds(10), DType::kFloat32).tolerance, 1e-4);
}

TEST(FixedBounds, are_the_same_for_all_floats) {
    const FixedBounds bounds(0.25);
    EXPECT_EQ(bound_of(bounds, DType::kFloat16).tolerance, 0.25);
    EXPECT_EQ(bound_of(bounds, DType::kFloat64, ComputeType::kFloat32).tolerance, 0.25);
    EXPECT_TRUE(bound_of(bounds, DType::kInt32).exact);
}

}  // namespace
}  // namespace npuscope::compare
