#include "compare/growth/bits_in_use.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/tensor/element_source.h"

namespace npuscope::compare {
namespace {

/// Of `count` numbers that need all of `bits` bits.
int bits_of(int bits, int64_t count, DType dtype = DType::kFloat32) {
    Tensor tensor(DType::kFloat32, {count});
    for (int64_t i = 0; i < count; ++i)
        tensor.mutable_as<float>()[static_cast<size_t>(i)] = static_cast<float>(
            (1 + std::ldexp(1.0, 1 - bits)) * std::ldexp(1.0, static_cast<int>(i % 7)));
    return bits_in_use(TensorElements(tensor.cast(dtype)));
}

TEST(BitsInUse, AreThoseOfTheNarrowestFormatThatHoldsAllElements) {
    EXPECT_EQ(bits_of(2, 10), 8);
    EXPECT_EQ(bits_of(8, 10), 8);
    EXPECT_EQ(bits_of(9, 10), 11);
    EXPECT_EQ(bits_of(11, 5000), 11);
    EXPECT_EQ(bits_of(12, 10), 24);
    EXPECT_EQ(bits_of(24, 1), 24);
}

TEST(BitsInUse, OfNarrowDtypesAreTheirs) {
    EXPECT_EQ(bits_of(2, 10, DType::kFloat16), 11);
    EXPECT_EQ(bits_of(2, 10, DType::kBFloat16), 8);
    EXPECT_EQ(bits_of(2, 10, DType::kFloat64), 53);
    EXPECT_EQ(bits_of(1, 10, DType::kInt32), 53);
}

TEST(BitsInUse, NothingIsToldByNoElements) {
    EXPECT_EQ(bits_of(24, 0), 8);
}

TEST(BitsInUse, ElementsAreTakenFromAllOverATensor) {
    Tensor tensor(DType::kFloat32, {1 << 20});
    std::ranges::fill(tensor.mutable_as<float>(), 1.0F);
    std::ranges::fill(tensor.mutable_as<float>().subspan(3 << 17, 1 << 17),
                      1.0F + std::ldexp(1.0F, -20));
    EXPECT_EQ(bits_in_use(TensorElements(std::move(tensor))), 24);
}

TEST(BitsInUse, ZerosOnesAndHalvesSayNothing) {
    const auto are_simple = [](std::initializer_list<float> numbers) {
        Tensor tensor(DType::kFloat32, {std::ssize(numbers)});
        std::ranges::copy(numbers, tensor.mutable_as<float>().begin());
        return !telling_bits(TensorElements(std::move(tensor)));
    };
    EXPECT_TRUE(are_simple({0, 1, -0.5F, 3, 15}));
    EXPECT_FALSE(are_simple({0, 1, 17}));  // 10001
    EXPECT_FALSE(are_simple({0.1F}));
}

}  // namespace
}  // namespace npuscope::compare
