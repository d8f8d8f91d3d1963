// Element types of CANN binary dumps: one table of codes, names and how they are decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dtype/dtype.h"

namespace npuscope::cann_dump {

/// Codes as a dump file writes them; not those of AscendCL.
enum class DataType : int32_t {
#define DATA_TYPE(enumerator, code, ...) k##enumerator = (code),
#include "core/cann_dump/data_types.def"
#undef DATA_TYPE
};

/// How stored elements become elements of an array.
enum class Decoding : uint8_t {
    kNone,          ///< not at all
    kPlain,         ///< they are the array
    kBFloat16,      ///< widened to float32
    kBits,          ///< one byte a bit, most significant bit first
    kHiFloat8,      ///< widened to float64
    kFloat8E5M2,    ///< widened to float64
    kFloat8E4M3FN,  ///< widened to float64
};

struct DataTypeInfo {
    DataType type;
    std::string_view name;
    int32_t acl_code;
    int bits;  ///< of one stored element; 0 where it has no fixed size
    Decoding decoding;
    std::string_view array_name;   ///< NumPy's name of the array's dtype
    std::string_view numpy_descr;  ///< "<f4" as a .npy header has it
    size_t array_item_size;        ///< bytes
};

[[nodiscard]] std::span<const DataTypeInfo> all_data_types();
/// Null for a code outside the table.
[[nodiscard]] const DataTypeInfo* find_data_type(int64_t code);
[[nodiscard]] const DataTypeInfo& info(DataType type);
[[nodiscard]] std::optional<DataType> data_type_from_acl(int64_t acl_code);
[[nodiscard]] DataType data_type_of(DType dtype);
/// The dtype whose elements are stored bit for bit (bfloat16 for bfloat16); none for complex,
/// 8-bit floats and what cannot be read.
[[nodiscard]] std::optional<DType> dtype_of(DataType type);

/// Bytes that `count` stored elements take, rounded up to whole bytes.
[[nodiscard]] uint64_t stored_bytes(const DataTypeInfo& type, uint64_t count);
/// Whether `nbytes` hold `count` stored elements, however many a damaged file speaks of.
[[nodiscard]] bool fits(const DataTypeInfo& type, uint64_t count, uint64_t nbytes);

/// Writes `count` array elements. `stored` starts at a whole byte; a piece of bits (kBits) other
/// than the last holds a multiple of 8 of them. Errors: Error(kInternal) for kNone.
/// Source  hifloat8: "Ascend HiFloat8 Format for Deep Learning", arXiv 2409.16626, section 2. As
///         the original msaccucmp does, the all-ones codes of float8_e4m3fn are +-480 and all
///         infinities are positive.
void decode_elements(const DataTypeInfo& type,
                     const std::byte* stored,
                     size_t count,
                     std::byte* array);

/// The same, but for hifloat8, of which msaccucmp reads the two shortest exponents with fractions
/// one and two bits too long, which swallow a bit of the prefix: 0x08, which is 1, becomes 1.25.
void decode_as_msaccucmp(const DataTypeInfo& type,
                         const std::byte* stored,
                         size_t count,
                         std::byte* array);

}  // namespace npuscope::cann_dump
