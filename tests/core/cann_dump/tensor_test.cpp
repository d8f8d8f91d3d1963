#include "core/cann_dump/tensor.h"

#include <array>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "core/cann_dump/data_type.h"
#include "core/cann_dump/writer.h"
#include "tests/support/support.h"

namespace npuscope::cann_dump {
namespace {

template <size_t n>
Tensor written_and_read(DataType type,
                        const std::optional<Shape>& shape,
                        const std::array<uint8_t, n>& bytes) {
    const test::TempDir folder;
    DumpFile dump;
    DumpTensor& output = dump.outputs.emplace_back();
    output.data_type = static_cast<int64_t>(type);
    output.shape = shape;
    output.bytes = std::as_bytes(std::span(bytes));
    write_dump(folder / "dump", dump);
    const DumpReader reader(folder / "dump");
    return read_tensor(reader, reader.file().outputs.front());
}

template <class T>
std::vector<T> elements(const Tensor& tensor) {
    const auto values = tensor.as<T>();
    return {values.begin(), values.end()};
}

TEST(ReadTensor, takes_elements_as_they_are_stored) {
    const Tensor integers = written_and_read(
        DataType::kInt16, Shape{2, 1}, std::array<uint8_t, 6>{1, 0, 0xfe, 0xff, 9, 9});
    EXPECT_EQ(integers.shape(), (Shape{2, 1}));
    EXPECT_EQ(elements<int16_t>(integers), (std::vector<int16_t>{1, -2}));
    const Tensor brain = written_and_read(
        DataType::kBFloat16, Shape{2}, std::array<uint8_t, 4>{0x80, 0x3f, 0, 0xc0});
    ASSERT_EQ(brain.dtype(), DType::kBFloat16);
    EXPECT_EQ(brain.at(0), 1.0);
    EXPECT_EQ(brain.at(1), -2.0);
    EXPECT_EQ(written_and_read(DataType::kInt8, {}, std::array<uint8_t, 1>{7}).shape(), Shape{});
}

TEST(ReadTensor, widens_bits_and_8_bit_floats) {
    const Tensor bits = written_and_read(
        DataType::kUInt1, Shape{10}, std::array<uint8_t, 2>{0b10100000, 0b01000000});
    EXPECT_EQ(elements<uint8_t>(bits), (std::vector<uint8_t>{1, 0, 1, 0, 0, 0, 0, 0, 0, 1}));
    // 1 and 1.5 by the tables of the HiFloat8 paper; sign 0, exponent 0, fractions 0 and 100.
    const Tensor floats =
        written_and_read(DataType::kHiFloat8, Shape{2}, std::array<uint8_t, 2>{0x08, 0x0c});
    EXPECT_EQ(elements<double>(floats), (std::vector<double>{1.0, 1.5}));
}

TEST(ReadTensor, rejects_what_is_no_tensor) {
    const std::array<uint8_t, 16> bytes{};
    for (const DataType type : {DataType::kComplex64, DataType::kString, DataType::kInt4})
        EXPECT_THROW(static_cast<void>(written_and_read(type, Shape{1}, bytes)), Error);
    EXPECT_THROW(static_cast<void>(written_and_read(DataType::kInt32, Shape{5}, bytes)), Error);
    EXPECT_THROW(static_cast<void>(written_and_read(DataType::kInt32, Shape{-1}, bytes)), Error);
}

TEST(Fits, holds_for_counts_whose_bytes_no_number_has) {
    const uint64_t largest = std::numeric_limits<uint64_t>::max();
    EXPECT_TRUE(fits(info(DataType::kComplex128), 2, 32));
    EXPECT_FALSE(fits(info(DataType::kComplex128), 3, 47));
    EXPECT_FALSE(fits(info(DataType::kComplex128), largest, 1 << 20));
    EXPECT_TRUE(fits(info(DataType::kUInt1), 9, 2));
    EXPECT_FALSE(fits(info(DataType::kUInt1), 17, 2));
}

}  // namespace
}  // namespace npuscope::cann_dump
