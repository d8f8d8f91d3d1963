#include "core/dumpfile/reader.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

// Reading a damaged file leaks inside the HDF5 library, and version 1.10.8 looks at an object
// header's freed message table while it lists attributes. The sanitizers are told so, for these
// places only.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}
extern "C" const char* __asan_default_suppressions() {
    return "interceptor_via_fun:H5O__msg_iterate_real\n"
           "interceptor_via_fun:H5A__compact_build_table\n";
}

namespace npuscope::dumpfile {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

class DumpReader : public ::testing::Test {
  protected:
    /// Runs h5py code with `f` open for writing and `put(path, array, **attributes)`.
    fs::path make(const std::string& code) {
        const fs::path path = folder_ / "made.h5";
        const auto made = test::run_python(R"py(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'w')
def put(path, data, **attributes):
    attributes = {'Type': 0, **attributes}
    d = f.create_dataset(path, data=data)
    for k, v in attributes.items(): d.attrs[k] = np.int32(v) if isinstance(v, int) else v
    return d
)py" + code,
                                           {path.string()});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        return path;
    }
    TempDir folder_;
};

void expect_error(ErrorKind kind, const std::string& part, const fs::path& path) {
    try {
        const Reader reader(path);
        ADD_FAILURE() << path << " was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST_F(DumpReader, orders_ops_by_number_and_entries_by_direction_and_name) {
    const Reader reader(
        make("for s in (10, 9, 2): put(f'relu/{s}/output/result', np.float32([s]))\n"
             "put('add/9/output/b', np.float32([1]))\n"
             "put('add/9/output/a', np.float32([1]))\n"
             "put('add/9/input/z', np.float32([1]))\n"
             "put('add/9/input/l/l_0', np.float32([1]))\n"));
    std::vector<std::string> paths;
    for (const OpEntry& op : reader.ops())
        for (const Entry& entry : op.entries)
            paths.push_back(entry.path + " " + entry.argument);
    EXPECT_EQ(paths,
              (std::vector<std::string>{"/relu/2/output/result result",
                                        "/add/9/input/l/l_0 l/l_0",
                                        "/add/9/input/z z",
                                        "/add/9/output/a a",
                                        "/add/9/output/b b",
                                        "/relu/9/output/result result",
                                        "/relu/10/output/result result"}));
    EXPECT_EQ(reader.skipped_count(), 0);
    EXPECT_TRUE(reader.has_inputs());
}

TEST_F(DumpReader, finds_an_op_by_its_number) {
    const Reader reader(
        make("put('a/3/output/x', np.float32([1])); put('b/3/output/x', np.float32([2]))"));
    ASSERT_NE(reader.find({"b", 3}), nullptr);
    EXPECT_EQ(reader.find({"b", 3})->id.op, "b");
    EXPECT_EQ(reader.find({"c", 3}), nullptr);
    EXPECT_EQ(reader.find({"a", 4}), nullptr);
    EXPECT_FALSE(reader.has_inputs());
}

TEST_F(DumpReader, gives_elements_in_the_tensors_own_dtype) {
    const Reader reader(
        make("put('x/1/output/half', np.float32([0.5, 65504]), DataType=10)\n"
             "put('x/1/output/native', np.float16([0.5]), DataType=10)\n"
             "put('x/1/output/bf', np.float32([1.5]), DataType=1, StoredFrom='bfloat16')\n"
             "put('x/1/output/bytes', np.int8([-56]), DataType=2)\n"
             "put('x/1/output/flags', np.int8([1, 0]), DataType=9)\n"
             "put('x/1/output/h5bool', np.array([True]), DataType=9)\n"
             "put('x/1/output/wide', np.uint16([65535]), Type=101, DataType=-1)\n"
             "put('x/1/output/big', np.array([1, 2], '>i4'), DataType=6)\n"
             "put('x/1/output/plain', np.float64([0.1]))\n"
             "put('x/1/output/wrong', np.float64([0.1]), DataType=1)\n"));
    const auto expect = [&](const char* argument, DType dtype, double first) {
        for (const Entry& entry : reader.ops()[0].entries) {
            if (entry.argument != argument) continue;
            EXPECT_TRUE(entry.is_tensor()) << argument;
            EXPECT_EQ(entry.dtype(), dtype) << argument;
            const Tensor tensor = reader.read(entry);
            EXPECT_EQ(tensor.dtype(), dtype) << argument;
            EXPECT_EQ(tensor.at(0), first) << argument;
            return;
        }
        ADD_FAILURE() << argument << " is missing";
    };
    expect("half", DType::kFloat16, 0.5);
    expect("native", DType::kFloat16, 0.5);
    expect("bf", DType::kBFloat16, 1.5);
    expect("bytes", DType::kUInt8, 200);
    expect("flags", DType::kBool, 1);
    expect("h5bool", DType::kBool, 1);
    expect("wide", DType::kUInt16, 65535);
    expect("big", DType::kInt32, 1);
    expect("plain", DType::kFloat64, 0.1);
    expect("wrong", DType::kFloat64, 0.1);
}

TEST_F(DumpReader, takes_every_byte_of_a_bool_but_zero_as_true) {
    const fs::path path = make(R"(flags = np.array([True, False] * 8)
put('x/1/output/b', flags)
f.create_dataset('x/1/output/c', data=flags, compression='gzip').attrs['Type'] = np.int32(0)
f.close()
b = open(sys.argv[1], 'rb').read()
at = b.index(flags.tobytes())
open(sys.argv[1], 'wb').write(b[:at] + bytes([40, 0, 255, 0]) + b[at + 4:])
)");
    const Reader reader(path);
    ASSERT_EQ(reader.ops()[0].entries.size(), 2U);
    for (const Entry& entry : reader.ops()[0].entries) {
        const Tensor read = reader.read(entry);
        ASSERT_EQ(read.dtype(), DType::kBool);
        for (int64_t i = 0; i < 16; ++i)
            EXPECT_EQ(std::to_integer<int>(read.data()[i]), i % 2 == 0 ? 1 : 0) << entry.argument;
        EXPECT_TRUE(identical(reader.file().read(entry.path), read)) << entry.argument;
    }
}

TEST_F(DumpReader, reads_attributes_facts_and_run_facts) {
    const Reader reader(make(
        "put('x/1/output/r', np.float32([1]), DataType=1, DeviceType=10, ComputeType='float16')\n"
        "f['x/1/npuscope'] = '{\"node\": \"n\"}'\n"
        "f.attrs['Chip'] = '910A'; f.attrs['Complete'] = np.bytes_('no'); f.attrs['n'] = 3"));
    const Entry& entry = reader.ops()[0].entries[0];
    EXPECT_EQ(entry.device_type, 10);
    EXPECT_EQ(entry.compute_type, ComputeType::kFloat16);
    EXPECT_EQ(reader.ops()[0].facts_json, R"({"node": "n"})");
    EXPECT_EQ(reader.run_fact("Chip"), "910A");
    EXPECT_EQ(reader.run_fact("None"), "");
    EXPECT_FALSE(reader.complete());
}

TEST_F(DumpReader, reads_chunked_deflated_and_newer_layouts) {
    const fs::path path = folder_ / "new.h5";
    const auto made = test::run_python(
        "import sys, h5py, numpy as np\n"
        "f = h5py.File(sys.argv[1], 'w', libver='latest', track_order=True)\n"
        "d = f.create_dataset('b/2/output/r', data=np.arange(10000, dtype='f4'), chunks=(100,),\n"
        "                     compression='gzip', shuffle=True); d.attrs['Type'] = np.int32(0)\n"
        "f.create_dataset('a/1/output/r', data=np.float32(3)).attrs['Type'] = np.int64(0)",
        {path.string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const Reader reader(path);
    ASSERT_EQ(reader.ops().size(), 2U);
    EXPECT_EQ(reader.read(reader.ops()[1].entries[0]).at(9999), 9999);
    EXPECT_EQ(reader.read(reader.ops()[0].entries[0]).shape(), Shape{});
}

TEST_F(DumpReader, leaves_out_what_is_no_part_of_a_dump_and_counts_it) {
    const Reader reader(
        make("put('relu/1/output/r', np.float32([1]))\n"
             "put('loose', np.float32([1]))\n"
             "put('relu/one/output/r', np.float32([1]))\n"
             "put('relu/-1/output/r', np.float32([1]))\n"
             "put('relu/99999999999999999999/output/r', np.float32([1]))\n"
             "put('relu/1/other', np.float32([1]))\n"
             "put('relu/1/input/a/b/c/d', np.float32([1]))\n"
             "f['relu/1/input/type'] = np.dtype('f4')\n"
             "f['relu/1/input/gone'] = h5py.SoftLink('/nowhere')\n"
             "f['relu/1/input/self'] = f['relu/1/input']\n"));
    ASSERT_EQ(reader.ops().size(), 1U);
    EXPECT_EQ(reader.ops()[0].id, (OpId{"relu", 1}));
    EXPECT_GE(reader.skipped_count(), 7);
    EXPECT_EQ(reader.warnings()[0], "'/loose' left out: it is no group of runs");
}

TEST_F(DumpReader, gives_elements_piece_by_piece_as_the_file_stores_them) {
    const Reader reader(
        make("put('x/1/output/a', np.arange(6, dtype='f4'), DataType=10)\n"
             "f.create_dataset('x/1/output/b', data=np.arange(6, dtype='>i2'), chunks=(4,))\n"));
    const auto& entries = reader.ops()[0].entries;
    const h5::Elements mapped = reader.elements(entries[0]);
    const h5::Elements chunked = reader.elements(entries[1]);
    EXPECT_TRUE(mapped.is_mapped());
    EXPECT_FALSE(chunked.is_mapped());
    std::vector<std::byte> buffer;
    float number = 0;
    std::memcpy(&number, mapped.range(4, 1, buffer), sizeof number);
    EXPECT_EQ(number, 4);
    int16_t integer = 0;
    std::memcpy(&integer, chunked.range(5, 1, buffer), sizeof integer);
    EXPECT_EQ(integer, 5);
    EXPECT_THROW(static_cast<void>(mapped.range(4, 3, buffer)), Error);
}

TEST_F(DumpReader, keeps_odd_op_names) {
    const Reader reader(
        make("for n in ('a b', 'a.b', 'größe', 'x\\ny', '%s%n', '*'):\n"
             "    put(f'{n}/1/output/r', np.float32([1]))"));
    EXPECT_EQ(reader.ops().size(), 6U);
    EXPECT_NE(reader.find({"x\ny", 1}), nullptr);
}

TEST_F(DumpReader, values_that_are_no_tensors_are_told_apart) {
    const Reader reader(
        make("put('x/1/input/dim', np.int64(3), Type=3)\n"
             "f['x/1/input/bare'] = np.int64(1)\n"
             "f['x/1/input/text'] = 'hello'\n"
             "f['x/1/input/null'] = h5py.Empty('f4')\n"));
    for (const Entry& entry : reader.ops()[0].entries)
        EXPECT_FALSE(entry.is_tensor()) << entry.path;
    EXPECT_FALSE(reader.ops()[0].entries[2].dtype());  // null
    EXPECT_FALSE(reader.ops()[0].entries[3].dtype());  // text
}

TEST_F(DumpReader, rejects_a_newer_major_format_version_but_not_a_newer_minor_one) {
    expect_error(ErrorKind::kUnsupported, "2.0", make("f.attrs['FormatVersion'] = '2.0'"));
    expect_error(ErrorKind::kFormat, "version", make("f.attrs['FormatVersion'] = 'new'"));
    EXPECT_EQ(Reader(make("f.attrs['FormatVersion'] = '1.9'")).ops().size(), 0U);
}

TEST_F(DumpReader, rejects_truncated_damaged_and_foreign_files) {
    const fs::path path = make("put('x/1/output/r', np.zeros(10000, 'f4'))");
    const std::string image = test::read_file(path);
    for (const size_t length : {image.size() - 1, image.size() / 2, size_t{600}}) {
        test::write_file(folder_ / "cut.h5", image.substr(0, length));
        expect_error(ErrorKind::kFormat, "cut.h5", folder_ / "cut.h5");
    }
    test::write_file(folder_ / "text.h5", "hello");
    expect_error(ErrorKind::kFormat, "is not an HDF5 file", folder_ / "text.h5");
    test::write_file(folder_ / "empty.h5", "");
    expect_error(ErrorKind::kFormat, "is not an HDF5 file", folder_ / "empty.h5");
    expect_error(ErrorKind::kIo, "none.h5", folder_ / "none.h5");
    expect_error(ErrorKind::kIo, "directory", folder_.path());
}

TEST_F(DumpReader, survives_flipped_bytes) {
    const std::string image =
        test::read_file(make("put('x/1/output/r', np.zeros(4, 'f4'), DataType=1)\n"
                             "put('x/1/input/l/l_0', np.zeros(4, 'f4'), DataType=1)"));
    const fs::path path = folder_ / "flipped.h5";
    for (size_t at = 0; at < image.size(); at += 7) {
        std::string damaged = image;
        damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
        test::write_file(path, damaged);
        try {
            const Reader reader(path);
            for (const OpEntry& op : reader.ops())
                for (const Entry& entry : op.entries)
                    if (entry.dtype()) static_cast<void>(reader.read(entry));
        } catch (const Error& error) {
            EXPECT_NE(error.kind(), ErrorKind::kInternal) << error.what();
        }
    }
}

}  // namespace
}  // namespace npuscope::dumpfile
