#include "compare/relate/private_formats.h"

#include <map>

#include <gtest/gtest.h>

#include "compare/relate/relate.h"
#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::add_op;
using test::random_tensor;

/// [N,C,H,W] as [N,C1,H,W,C0], zeros where C ends: by its definition, element by element.
Tensor blocked(const Tensor& plain, int64_t block) {
    const int64_t n = plain.dim(0);
    const int64_t c = plain.dim(1);
    const int64_t pixels = plain.dim(2) * plain.dim(3);
    const int64_t blocks = (c + block - 1) / block;
    Tensor stored = Tensor::zeros(DType::kFloat32, {n, blocks, plain.dim(2), plain.dim(3), block});
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < c; ++j)
            for (int64_t p = 0; p < pixels; ++p)
                stored.mutable_as<float>()[static_cast<size_t>(
                    ((i * blocks + j / block) * pixels + p) * block + j % block)] =
                    plain.as<float>()[static_cast<size_t>((i * c + j) * pixels + p)];
    return stored;
}

/// [M,N] as [N1,M1,16,N0].
Tensor fractal_nz(const Tensor& plain) {
    constexpr int64_t kBlock = 16;
    const int64_t rows = (plain.dim(0) + kBlock - 1) / kBlock;
    const int64_t columns = (plain.dim(1) + kBlock - 1) / kBlock;
    Tensor stored = Tensor::zeros(DType::kFloat32, {columns, rows, kBlock, kBlock});
    for (int64_t m = 0; m < plain.dim(0); ++m)
        for (int64_t n = 0; n < plain.dim(1); ++n)
            stored.mutable_as<float>()[static_cast<size_t>(
                (((n / kBlock) * rows + m / kBlock) * kBlock + m % kBlock) * kBlock + n % kBlock)] =
                plain.as<float>()[static_cast<size_t>(m * plain.dim(1) + n)];
    return stored;
}

/// [N,C,H,W] as [C1*H*W,N1,16,C0].
Tensor fractal_z(const Tensor& plain) {
    constexpr int64_t kBlock = 16;
    const int64_t c = plain.dim(1);
    const int64_t pixels = plain.dim(2) * plain.dim(3);
    const int64_t blocks = (c + kBlock - 1) / kBlock;
    const int64_t rows = (plain.dim(0) + kBlock - 1) / kBlock;
    Tensor stored = Tensor::zeros(DType::kFloat32, {blocks * pixels, rows, kBlock, kBlock});
    for (int64_t n = 0; n < plain.dim(0); ++n)
        for (int64_t j = 0; j < c; ++j)
            for (int64_t p = 0; p < pixels; ++p) {
                const int64_t first = (j / kBlock * pixels + p) * rows + n / kBlock;
                stored.mutable_as<float>()[static_cast<size_t>(
                    (first * kBlock + n % kBlock) * kBlock + j % kBlock)] =
                    plain.as<float>()[static_cast<size_t>((n * c + j) * pixels + p)];
            }
    return stored;
}

/// The one relation between two tensors.
TensorRelation relation_of(const Tensor& target, const Tensor& golden) {
    Source mine;
    Source theirs;
    add_op(mine, "a", {}, target);
    add_op(theirs, "b", {}, golden);
    const Relations relations = relate(mine, theirs, 1);
    EXPECT_EQ(relations.found.size(), 1U);
    return relations.found.empty() ? TensorRelation{} : relations.found[0];
}

}  // namespace

TEST(PrivateFormats, are_related_to_plain_tensors) {
    struct Case {
        Tensor stored;
        Tensor plain;
        std::string text;
    };
    const Tensor image = random_tensor({2, 3, 6, 7}, 1);
    const Tensor wide = random_tensor({2, 20, 5, 6}, 2);
    const Tensor weight = random_tensor({20, 18, 3, 3}, 3);
    const Tensor matrix = random_tensor({37, 20}, 4);
    const Tensor even = random_tensor({1, 32, 5, 5}, 5);
    const Case cases[] = {
        {blocked(image, 16), image, "NC1HWC0 of NCHW, padded 3 to 16"},
        {blocked(wide, 16), wide, "NC1HWC0 of NCHW, padded 20 to 32"},
        {blocked(even, 16), even, "NC1HWC0 of NCHW"},
        {fractal_z(weight), weight, "FRACTAL_Z of NCHW, padded 20 to 32 and 18 to 32"},
        {fractal_nz(matrix), matrix, "FRACTAL_NZ of [37,20], padded 37 to 48 and 20 to 32"},
    };
    for (const Case& each : cases) {
        const TensorRelation mine = relation_of(each.stored, each.plain);
        EXPECT_EQ(mine.text, each.text);
        ASSERT_TRUE(mine.target_view.has_value());
        EXPECT_TRUE(stays_inside(*mine.target_view));
        EXPECT_TRUE(identical(apply(*mine.target_view, each.stored), each.plain));
        const TensorRelation theirs = relation_of(each.plain, each.stored);
        EXPECT_EQ(theirs.text, each.text);
        ASSERT_TRUE(theirs.golden_view.has_value());
        EXPECT_TRUE(identical(apply(*theirs.golden_view, each.stored), each.plain));
    }
}

TEST(PrivateFormats, are_none_of_other_shapes) {
    EXPECT_TRUE(private_forms({2, 1, 6, 7, 16}, {2, 17, 6, 7}).empty());
    EXPECT_TRUE(private_forms({2, 1, 6, 7, 16}, {2, 3, 7, 6}).empty());
    EXPECT_TRUE(private_forms({2, 3}, {2, 3}).empty());
    EXPECT_TRUE(private_forms({}, {2, 3}).empty());
}

}  // namespace npuscope::compare
