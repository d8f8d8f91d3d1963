#include "diagnose/bitwise/manner.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace npuscope::diagnose {
namespace {

/// [rows, columns] of values between 1 and 2, and a copy of its own.
std::pair<Tensor, Tensor> equal_pair(int64_t rows, int64_t columns, uint32_t seed = 7) {
    std::mt19937 random(seed);
    Tensor a(DType::kFloat32, {rows, columns});
    for (float& value : a.mutable_as<float>())
        value = 1.0F + static_cast<float>(random() >> 9) * 0x1p-23F;
    Tensor b = Tensor::copy_of(a.view());
    return {std::move(a), std::move(b)};
}

template <class F>
void change_block(Tensor& tensor, int64_t top, int64_t left, int64_t rows, int64_t columns, F&& f) {
    const auto values = tensor.mutable_as<float>();
    for (int64_t row = top; row < top + rows; ++row)
        for (int64_t column = left; column < left + columns; ++column) {
            float& value = values[static_cast<size_t>(row * tensor.dim(1) + column)];
            value = f(value);
        }
}

TEST(Manner, of_ulps_whose_sums_agree_is_the_order_of_addition) {
    auto [a, b] = equal_pair(32, 32);
    int sign = 1;
    change_block(b, 0, 0, 32, 32, [&](float value) {
        sign = -sign;
        return value + static_cast<float>(sign) * 0x1p-22F;
    });
    const Difference found = difference_of(a, b);
    EXPECT_EQ(found.manner, Manner::kOrder);
    EXPECT_EQ(found.count, 1024);
    EXPECT_EQ(found.largest, 0x1p-22);
    EXPECT_EQ(found.where, "");
}

TEST(Manner, of_ulps_in_one_direction_is_none_that_is_known) {
    auto [a, b] = equal_pair(32, 32);
    change_block(b, 0, 0, 32, 32, [](float value) { return value + 0x1p-22F; });
    EXPECT_EQ(difference_of(a, b).manner, Manner::kOther);
}

TEST(Manner, of_a_block_is_a_tile) {
    auto [a, b] = equal_pair(64, 64);
    change_block(b, 16, 32, 16, 16, [](float value) { return 3.0F - value; });
    const Difference found = difference_of(a, b);
    EXPECT_EQ(found.manner, Manner::kTile);
    EXPECT_EQ(found.where, "[16:32,32:48]");
}

TEST(Manner, of_a_block_that_no_tile_begins_with_is_none) {
    auto [a, b] = equal_pair(64, 64);
    change_block(b, 13, 30, 16, 16, [](float value) { return 3.0F - value; });
    EXPECT_EQ(difference_of(a, b).manner, Manner::kOther);
}

TEST(Manner, of_an_end_that_nobody_wrote_is_a_tail) {
    for (const float unwritten : {std::numeric_limits<float>::quiet_NaN(), 0.0F, 1e30F}) {
        auto [a, b] = equal_pair(64, 64);
        change_block(b, 56, 0, 8, 64, [&](float) { return unwritten; });
        EXPECT_EQ(difference_of(a, b).manner, Manner::kTail);
        auto [c, d] = equal_pair(64, 64);
        change_block(d, 0, 61, 64, 3, [&](float) { return unwritten; });
        EXPECT_EQ(difference_of(c, d).manner, Manner::kTail);
    }
}

TEST(Manner, of_integers_knows_blocks_only) {
    Tensor a = Tensor::zeros(DType::kInt64, {16, 16});
    Tensor b = Tensor::zeros(DType::kInt64, {16, 16});
    for (int64_t i = 0; i < 256; ++i)
        a.mutable_as<int64_t>()[static_cast<size_t>(i)] =
            b.mutable_as<int64_t>()[static_cast<size_t>(i)] = i + 1;
    for (const size_t at : {3U, 77U, 140U})
        b.mutable_as<int64_t>()[at] += 1;
    const Difference found = difference_of(a, b);
    EXPECT_EQ(found.manner, Manner::kOther);
    EXPECT_EQ(found.count, 3);
}

TEST(DrawsNumbers, tells_by_whole_words) {
    for (const char* op : {"native_dropout",
                           "Functional.dropout.0.forward",
                           "rand",
                           "randn_like",
                           "bernoulli_p",
                           "Tensor.normal_.3.forward",
                           "multinomial"})
        EXPECT_TRUE(draws_numbers(op)) << op;
    for (const char* op : {"native_layer_norm", "normalize", "grand_total", "mm", "relu", ""})
        EXPECT_FALSE(draws_numbers(op)) << op;
}

}  // namespace
}  // namespace npuscope::diagnose
