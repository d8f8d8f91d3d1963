#include "core/layout/stored_layout.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::layout {
namespace {

TEST(StorageShape, is_the_one_of_the_manual) {
    EXPECT_EQ(storage_shape(Format::kNC1HWC0, Dims{2, 5, 3, 4}), (Dims{2, 1, 3, 4, 16}));
    EXPECT_EQ(storage_shape(Format::kNC1HWC0, Dims{2, 33, 3, 4}, {.c0 = 32}),
              (Dims{2, 2, 3, 4, 32}));
    EXPECT_EQ(storage_shape(Format::kNC1HWC0_C04, Dims{2, 3, 8, 8}), (Dims{2, 1, 8, 8, 4}));
    EXPECT_EQ(storage_shape(Format::kFRACTAL_Z, Dims{64, 3, 7, 7}), (Dims{49, 4, 16, 16}));
    EXPECT_EQ(storage_shape(Format::kFRACTAL_Z_C04, Dims{64, 3, 7, 7}), (Dims{13, 4, 16, 16}));
    EXPECT_EQ(storage_shape(Format::kNDC1HWC0, Dims{1, 17, 2, 3, 4}), (Dims{1, 2, 2, 3, 4, 16}));
    EXPECT_EQ(storage_shape(Format::kFRACTAL_Z_3D, Dims{20, 17, 2, 3, 4}), (Dims{48, 2, 16, 16}));
    EXPECT_EQ(storage_shape(Format::kFRACTAL_NZ, Dims{40, 20}), (Dims{2, 3, 16, 16}));
    EXPECT_EQ(storage_shape(Format::kFRACTAL_NZ, Dims{5, 40, 20}), (Dims{5, 2, 3, 16, 16}));
    EXPECT_EQ(storage_shape(Format::kFRACTAL_NZ, Dims{20}), (Dims{1, 2, 16, 16}));
    EXPECT_EQ(storage_shape(Format::kNHWC, Dims{2, 5, 3, 4}), (Dims{2, 3, 4, 5}));
    EXPECT_EQ(storage_shape(Format::kHWCN, Dims{2, 5, 3, 4}), (Dims{3, 4, 5, 2}));
    EXPECT_EQ(storage_shape(Format::kND, Dims{}), Dims{});
}

TEST(StorageShape, cuts_channels_of_bytes_into_blocks_of_32) {
    EXPECT_EQ(c0_of(DType::kInt8), 32);
    EXPECT_EQ(c0_of(DType::kUInt8), 32);
    EXPECT_EQ(c0_of(DType::kFloat16), 16);
    EXPECT_EQ(c0_of(DType::kFloat32), 16);
}

TEST(StorageShape, is_named_with_a_separator) {
    EXPECT_EQ(joined(Dims{2, 3, 4}), "2x3x4");
    EXPECT_EQ(joined(Dims{2, 3}, "_"), "2_3");
    EXPECT_EQ(joined(Dims{}), "");
}

TEST(StorageShape, rejects_what_has_no_such_layout) {
    EXPECT_THROW(static_cast<void>(storage_shape(Format::kNC1HWC0, Dims{2, 5, 3})), Error);
    EXPECT_THROW(static_cast<void>(storage_shape(Format::kFRACTAL_Z_C04, Dims{2, 5, 3, 3})), Error);
    EXPECT_THROW(static_cast<void>(storage_shape(Format::kFRACTAL_NZ, Dims{})), Error);
    EXPECT_THROW(static_cast<void>(storage_shape(Format::kFRACTAL_ZN_RNN, Dims{2, 5})), Error);
    EXPECT_THROW(static_cast<void>(storage_shape(Format::kNCHW, Dims{2, -5, 3, 4})), Error);
    EXPECT_THROW(
        static_cast<void>(storage_shape(Format::kFRACTAL_Z, Dims{6, 5, 3, 4}, {.groups = 4})),
        Error);
}

TEST(StorageShape, rejects_more_elements_than_any_memory) {
    constexpr int64_t kHuge = int64_t{1} << 40;
    EXPECT_THROW(static_cast<void>(checked_numel(Dims{kHuge, kHuge})), Error);
    EXPECT_EQ(checked_numel(Dims{kHuge, kHuge, 0}), 0);
    EXPECT_THROW(static_cast<void>(storage_shape(Format::kNCHW, Dims{kHuge, kHuge, 1, 1})), Error);
    // Fits before its blocks are filled up, not after.
    EXPECT_THROW(static_cast<void>(storage_shape(Format::kFRACTAL_NZ, Dims{int64_t{1} << 61, 1})),
                 Error);
}

}  // namespace
}  // namespace npuscope::layout
