#include "core/cann_dump/data_type.h"

#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::cann_dump {
namespace {

template <class T>
std::vector<T> decoded(DataType type, const std::vector<uint8_t>& stored, size_t count) {
    std::vector<T> array(count);
    decode_elements(info(type),
                    reinterpret_cast<const std::byte*>(stored.data()),
                    count,
                    reinterpret_cast<std::byte*>(array.data()));
    return array;
}

double one(DataType type, uint8_t code) {
    return decoded<double>(type, {code}, 1)[0];
}

TEST(DataType, rows_stand_at_their_codes) {
    std::set<int> acl_codes;
    for (size_t i = 0; i < all_data_types().size(); ++i) {
        const DataTypeInfo& row = all_data_types()[i];
        EXPECT_EQ(static_cast<size_t>(row.type), i);
        EXPECT_EQ(find_data_type(static_cast<int64_t>(i)), &row);
        EXPECT_TRUE(acl_codes.insert(row.acl_code).second) << row.name;
        EXPECT_EQ(row.decoding == Decoding::kNone, row.numpy_descr.empty()) << row.name;
        if (row.decoding == Decoding::kPlain) {
            EXPECT_EQ(row.bits, static_cast<int>(row.array_item_size) * 8) << row.name;
        }
    }
    EXPECT_EQ(find_data_type(41), nullptr);
    EXPECT_EQ(find_data_type(-1), nullptr);
}

TEST(DataType, the_two_code_tables_differ) {
    EXPECT_EQ(data_type_from_acl(3), DataType::kInt32);
    EXPECT_EQ(data_type_from_acl(27), DataType::kBFloat16);
    EXPECT_EQ(data_type_from_acl(30), DataType::kUInt1);
    EXPECT_FALSE(data_type_from_acl(5).has_value());
    for (const DTypeInfo& row : npuscope::all_dtypes()) {
        const DataType type = data_type_of(row.dtype);
        EXPECT_EQ(info(type).acl_code, row.acl_code) << row.name;
        EXPECT_EQ(dtype_of(type), row.dtype) << row.name;
    }
    EXPECT_FALSE(dtype_of(DataType::kComplex64).has_value());
    EXPECT_FALSE(dtype_of(DataType::kFloat8E5M2).has_value());
    EXPECT_FALSE(dtype_of(DataType::kString).has_value());
}

TEST(DataType, sizes_are_rounded_up_to_bytes) {
    EXPECT_EQ(stored_bytes(info(DataType::kFloat32), 3), 12u);
    EXPECT_EQ(stored_bytes(info(DataType::kUInt1), 16), 2u);
    EXPECT_EQ(stored_bytes(info(DataType::kUInt1), 17), 3u);
    EXPECT_EQ(stored_bytes(info(DataType::kInt4), 3), 2u);
    EXPECT_EQ(stored_bytes(info(DataType::kUInt1), 0), 0u);
}

TEST(Decode, widens_bfloat16) {
    EXPECT_EQ(decoded<float>(DataType::kBFloat16, {0x80, 0x3f, 0x00, 0xc0, 0x80, 0x7f}, 3),
              (std::vector<float>{1.0f, -2.0f, INFINITY}));
}

TEST(Decode, unpacks_bits_from_the_most_significant_on) {
    EXPECT_EQ(decoded<uint8_t>(DataType::kUInt1, {0b10100001, 0b11000000}, 10),
              (std::vector<uint8_t>{1, 0, 1, 0, 0, 0, 0, 1, 1, 1}));
}

// Values from the OCP 8-bit floating point specification, tables 1 and 2.
TEST(Decode, reads_8_bit_floats) {
    EXPECT_EQ(one(DataType::kFloat8E5M2, 0x3c), 1.0);
    EXPECT_EQ(one(DataType::kFloat8E5M2, 0x7b), 57344.0);
    EXPECT_EQ(one(DataType::kFloat8E5M2, 0x01), 0x1p-16);
    EXPECT_EQ(one(DataType::kFloat8E5M2, 0x84), -0x1p-14);
    EXPECT_TRUE(std::isnan(one(DataType::kFloat8E5M2, 0x7d)));
    EXPECT_EQ(one(DataType::kFloat8E5M2, 0x7c), INFINITY);
    EXPECT_EQ(one(DataType::kFloat8E4M3FN, 0x38), 1.0);
    EXPECT_EQ(one(DataType::kFloat8E4M3FN, 0x7e), 448.0);
    EXPECT_EQ(one(DataType::kFloat8E4M3FN, 0x01), 0x1p-9);
    EXPECT_EQ(one(DataType::kFloat8E4M3FN, 0x88), -0x1p-6);
}

// Values from the paper's table of HiFloat8, arXiv 2409.16626.
TEST(Decode, reads_hifloat8) {
    EXPECT_EQ(one(DataType::kHiFloat8, 0x00), 0.0);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x01), 0x1p-22);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x07), 0x1p-16);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x08), 1.0);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x0c), 1.5);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x10), 2.0);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x18), 0.5);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x6e), 32768.0);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x7e), 0x1p-15);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x88), -1.0);
    EXPECT_EQ(one(DataType::kHiFloat8, 0x6f), INFINITY);
    EXPECT_TRUE(std::isnan(one(DataType::kHiFloat8, 0x80)));
}

}  // namespace
}  // namespace npuscope::cann_dump
