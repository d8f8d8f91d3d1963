#include "core/npz/npy.h"

#include <cstring>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::TempDir;

std::string image_of(const std::string& header, const std::string& data, char major = 1) {
    std::string image = "\x93NUMPY";
    image += major;
    image += '\0';
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
        image += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return image + header + data;
}

Tensor parsed(const std::string& image) {
    return parse_npy(std::as_bytes(std::span(image)), "test");
}

std::string error_of(const std::string& image, ErrorKind kind = ErrorKind::kFormat) {
    try {
        static_cast<void>(parsed(image));
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "was accepted";
    return {};
}

constexpr const char* kOneFloat = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";

TEST(Npy, reads_what_numpy_writes_in_every_dtype_and_byte_order) {
    const TempDir folder;
    const auto made = test::run_python(R"py(
import sys, numpy as np
for name in 'float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool'.split():
    for order in '<>':
        array = np.array([[0, 1, 2], [3, 4, 100]]).astype(name)
        np.save(f'{sys.argv[1]}/{name}{"le" if order == "<" else "be"}.npy',
                array.astype(array.dtype.newbyteorder(order)))
)py",
                                       {folder.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    for (const DTypeInfo& row : all_dtypes()) {
        if (row.numpy_descr.empty()) continue;
        for (const char* order : {"le", "be"}) {
            const Tensor array = read_npy(folder / (std::string(row.name) + order + ".npy"));
            EXPECT_EQ(array.dtype(), row.dtype) << row.name;
            EXPECT_EQ(array.shape(), (Shape{2, 3}));
            EXPECT_EQ(array.at(5), row.dtype == DType::kBool ? 1 : 100) << row.name << order;
            EXPECT_EQ(array.at(0), 0) << row.name << order;
        }
    }
}

TEST(Npy, turns_fortran_order_into_c_order) {
    const TempDir folder;
    const auto made = test::run_python(
        "import sys, numpy as np\n"
        "np.save(sys.argv[1], np.asfortranarray(np.arange(24, dtype='>i4').reshape(2, 3, 4)))",
        {(folder / "f.npy").string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const Tensor array = read_npy(folder / "f.npy");
    EXPECT_EQ(array.shape(), (Shape{2, 3, 4}));
    for (int64_t i = 0; i < 24; ++i)
        EXPECT_EQ(array.at(i), static_cast<double>(i));
}

TEST(Npy, reads_scalars_and_empty_arrays) {
    const std::string pi("\x00\x00\x80\x3f", 4);
    EXPECT_EQ(parsed(image_of("{'descr':'<f4','fortran_order':False,'shape':()}", pi)).shape(),
              Shape{});
    const Tensor none =
        parsed(image_of("{'descr': '|b1', 'fortran_order': True, 'shape': (0, 3), }", ""));
    EXPECT_EQ(none.shape(), (Shape{0, 3}));
    EXPECT_EQ(none.dtype(), DType::kBool);
}

TEST(Npy, reads_versions_two_and_three_and_python_two_shapes) {
    const std::string one("\x00\x00\x80\x3f", 4);
    for (const char major : {'\2', '\3'})
        EXPECT_EQ(parsed(image_of(kOneFloat, one, major)).at(0), 1);
    EXPECT_EQ(
        parsed(image_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1L,), }", one)).at(0),
        1);
}

TEST(Npy, any_nonzero_byte_is_true) {
    const Tensor flags = parsed(
        image_of("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", {"\x02\x00\xff", 3}));
    EXPECT_EQ(std::memcmp(flags.data(), "\x01\x00\x01", 3), 0);
}

TEST(Npy, numpy_reads_what_is_written) {
    const TempDir folder;
    write_npy(folder / "a.npy", Tensor::from<Float16>({1, 2}, {{0x3c00}, {0xfbff}}).view());
    write_npy(folder / "b.npy", Tensor::from<BFloat16>({1}, {to_bfloat16(1.5F)}).view());
    write_npy(folder / "c.npy", Tensor::scalar(int64_t{-5}).view());
    write_npy(folder / "d.npy", Tensor(DType::kBool, {0, 4}).view());
    const auto shown = test::run_python(
        "import sys, numpy as np\n"
        "for n in 'abcd':\n"
        "    a = np.load(f'{sys.argv[1]}/{n}.npy'); print(a.dtype, a.shape, a.tolist())",
        {folder.path().string()});
    EXPECT_EQ(shown.out,
              "float16 (1, 2) [[1.0, -65504.0]]\n"
              "float32 (1,) [1.5]\n"
              "int64 () -5\n"
              "bool (0, 4) []\n")
        << shown.err;
}

TEST(Npy, the_elements_start_at_a_multiple_of_64_bytes) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1}, Shape(30, 1)})
        EXPECT_EQ((format_npy(Tensor::zeros(DType::kFloat32, shape).view()).size() - 4) % 64, 0U);
}

TEST(Npy, rejects_damaged_headers) {
    for (const char* header : {"",
                               "{",
                               "{'descr': '<f4'",
                               "{'descr': '<f4', 'fortran_order': False}",
                               "{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}",
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}",
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
                               "[1, 2]"})
        EXPECT_NE(error_of(image_of(header, "1234")).find("damaged"), std::string::npos) << header;
    error_of("");
    error_of("\x93NUMPY");
    error_of("PK\3\4 no array at all");
    error_of(std::string("\x93NUMPY\1\0\xff\xff", 10) + kOneFloat);
    error_of(image_of(kOneFloat, "123"));
}

TEST(Npy, rejects_shapes_that_the_file_cannot_hold_without_allocating_them) {
    for (const char* shape : {"(1000000000000,)",
                              "(4294967296, 4294967296)",
                              "(9223372036854775807,)",
                              "(99999999999999999999,)"})
        error_of(image_of(
            std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape + "}",
            "1234"));
}

TEST(Npy, rejects_dtypes_that_are_no_tensors) {
    for (const char* descr : {"'|O'", "'<U4'", "'<c8'", "'<M8[s]'", "[('a', '<f4')]", "'f4'", "''"})
        error_of(
            image_of(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': (1,)}",
                     "12345678"),
            ErrorKind::kUnsupported);
    error_of(image_of(kOneFloat, "1234", '\4'), ErrorKind::kUnsupported);
}

TEST(Npy, rejects_a_missing_file_and_a_directory_by_name) {
    const TempDir folder;
    EXPECT_THROW(static_cast<void>(read_npy(folder / "none.npy")), Error);
    EXPECT_THROW(static_cast<void>(read_npy(folder.path())), Error);
}

}  // namespace
}  // namespace npuscope
