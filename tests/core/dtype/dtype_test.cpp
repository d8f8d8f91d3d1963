#include "core/dtype/dtype.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
    std::vector<To> result(values.size());
    convert_elements(values.data(), kDTypeOf<From>, result.data(), kDTypeOf<To>, values.size());
    return result;
}

TEST(DType, table_is_in_order_and_found_by_every_key) {
    for (const DTypeInfo& row : all_dtypes()) {
        EXPECT_EQ(&info(row.dtype), &row);
        EXPECT_EQ(dtype_from_name(row.name), row.dtype);
        EXPECT_EQ(dtype_from_onnx(row.onnx_code), row.dtype);
        if (row.dump_code != 0) {
            EXPECT_EQ(dtype_from_dump_code(row.dump_code), row.dtype);
        }
    }
    for (const char* name : {"", "float", "half", "complex64"})
        EXPECT_FALSE(dtype_from_name(name));
    for (const int code : {-1, 0, 8, 99})
        EXPECT_FALSE(dtype_from_dump_code(code)) << code;
}

TEST(DType, dump_codes_are_those_of_the_original) {
    const std::array<std::pair<const char*, int>, 9> codes = {{{"float32", 1},
                                                               {"uint8", 2},
                                                               {"int8", 3},
                                                               {"int16", 5},
                                                               {"int32", 6},
                                                               {"int64", 7},
                                                               {"bool", 9},
                                                               {"float16", 10},
                                                               {"float64", 11}}};
    for (const auto& [name, code] : codes)
        EXPECT_EQ(info(*dtype_from_name(name)).dump_code, code) << name;
}

TEST(DType, sizes_limits_and_onnx_codes_agree_with_numpy_and_onnx) {
    std::string expected;
    for (const DTypeInfo& row : all_dtypes()) {
        char line[256];
        std::snprintf(line,
                      sizeof line,
                      "%s %zu %a %a %a %d\n",
                      std::string(row.name).c_str(),
                      row.size,
                      row.max_finite,
                      row.min_normal,
                      row.min_subnormal,
                      row.onnx_code);
        if (row.dtype != DType::kBFloat16) expected += line;
    }
    const auto shown = test::run_python(R"py(
import sys, numpy as np, onnx
names = 'float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool'.split()
def hexa(v):
    h = float(v).hex()
    if h == '0x0.0p+0': return '0x0p+0'
    m, e = h.split('p'); m = m.rstrip('0') if '.' in m else m
    return m.rstrip('.') + 'p' + e
for n in names:
    d = np.dtype(n)
    if d.kind == 'f':
        i = np.finfo(d); limits = (i.max, i.tiny, i.smallest_subnormal)
        if n == 'float64': limits = (i.max, i.tiny, 5e-324)
    elif d.kind == 'b': limits = (1, 0, 0)
    else: limits = (np.iinfo(d).max, 0, 0)
    print(n, d.itemsize, *map(hexa, limits), onnx.helper.np_dtype_to_tensor_dtype(d)
          if hasattr(onnx.helper, 'np_dtype_to_tensor_dtype') else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[d])
)py");
    ASSERT_EQ(shown.exit_code, 0) << shown.err;
    // Hexadecimal texts differ in how they normalise subnormals; numbers do not.
    std::istringstream ours(expected);
    std::istringstream theirs(shown.out);
    std::string name;
    std::string other;
    while (ours >> name && theirs >> other) {
        EXPECT_EQ(name, other);
        for (int i = 0; i < 5; ++i) {
            std::string a;
            std::string b;
            ours >> a;
            theirs >> b;
            EXPECT_EQ(std::strtod(a.c_str(), nullptr), std::strtod(b.c_str(), nullptr))
                << name << " column " << i;
        }
    }
    EXPECT_FALSE(theirs >> other);
}

TEST(Convert, floats_round_once_to_nearest_even) {
    EXPECT_EQ(converted<float>(std::vector<double>{16777217.0, 1e300, -1e-60}),
              (std::vector<float>{16777216.0F, std::numeric_limits<float>::infinity(), -0.0F}));
    EXPECT_EQ(converted<Float16>(std::vector<double>{65519.999, 65520.0})[0].bits, 0x7bff);
    EXPECT_EQ(converted<Float16>(std::vector<double>{65519.999, 65520.0})[1].bits, 0x7c00);
    EXPECT_EQ(converted<BFloat16>(std::vector<float>{0x1.01p0F, 0x1.03p0F})[0].bits, 0x3f80);
    EXPECT_EQ(converted<BFloat16>(std::vector<float>{0x1.01p0F, 0x1.03p0F})[1].bits, 0x3f82);
}

TEST(Convert, floats_to_integers_truncate_and_what_is_outside_becomes_the_lowest) {
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(converted<int32_t>(std::vector<float>{2.9F, -2.9F, 2147483648.0F, -inf, NAN}),
              (std::vector<int32_t>{2, -2, INT32_MIN, INT32_MIN, INT32_MIN}));
    EXPECT_EQ(converted<uint8_t>(std::vector<float>{255.9F, 256.0F, -1.0F, -0.5F}),
              (std::vector<uint8_t>{255, 0, 0, 0}));
    EXPECT_EQ(converted<int64_t>(std::vector<double>{0x1p62, 0x1p63, -0x1p63}),
              (std::vector<int64_t>{int64_t{1} << 62, INT64_MIN, INT64_MIN}));
}

TEST(Convert, anything_but_zero_is_true) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> values = {0.0F, -0.0F, 0.1F, nan};
    std::array<bool, 4> flags{};
    convert_elements(values.data(), DType::kFloat32, flags.data(), DType::kBool, values.size());
    EXPECT_EQ(flags, (std::array<bool, 4>{false, false, true, true}));
}

TEST(Convert, every_pair_of_dtypes_keeps_one_and_zero) {
    for (const DTypeInfo& from : all_dtypes()) {
        for (const DTypeInfo& to : all_dtypes()) {
            const std::array<int8_t, 2> values = {0, 1};
            std::array<std::byte, 16> a{};
            std::array<std::byte, 16> b{};
            std::array<int8_t, 2> back{};
            convert_elements(values.data(), DType::kInt8, a.data(), from.dtype, 2);
            convert_elements(a.data(), from.dtype, b.data(), to.dtype, 2);
            convert_elements(b.data(), to.dtype, back.data(), DType::kInt8, 2);
            EXPECT_EQ(back, values) << from.name << " to " << to.name;
        }
    }
}

}  // namespace
}  // namespace npuscope
