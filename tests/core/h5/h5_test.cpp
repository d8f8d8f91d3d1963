#include "core/h5/h5.h"

#include <csignal>
#include <cstdlib>
#include <limits>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/library_reader.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

class Hdf5 : public ::testing::Test {
  protected:
    LibraryReader made_by_h5py(const std::string& code, const std::string& options = "") {
        const auto made = test::run_python(
            "import sys, h5py, numpy as np\n"
            "f = h5py.File(sys.argv[1], 'w'" +
                options + ")\n" + code,
            {path_.string()});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        return LibraryReader(path_);
    }
    std::string h5py_shows(const std::string& expressions) {
        const auto shown = test::run_python(
            "import sys, h5py, numpy as np\n"
            "f = h5py.File(sys.argv[1])\n" +
                expressions,
            {path_.string()});
        EXPECT_EQ(shown.exit_code, 0) << shown.err;
        return shown.out;
    }
    template <class Call>
    void expect_error(ErrorKind kind, Call&& call) {
        try {
            call();
            ADD_FAILURE() << "no error";
        } catch (const Error& error) {
            EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
            EXPECT_NE(std::string(error.what()).find(path_.filename()), std::string::npos)
                << error.what();
        }
    }
    TempDir folder_;
    fs::path path_ = folder_ / "file.h5";
};

TEST_F(Hdf5, h5dump_and_h5py_read_what_is_written) {
    Writer writer(path_);
    const Attribute attributes[] = {{"Code", int32_t{7}},
                                    {"List", std::vector<int64_t>{3, -1}},
                                    {"None", std::vector<int64_t>{}},
                                    {"Text", std::string("größe")}};
    writer.write_dataset("/a/b/data", Tensor::from<float>({1, 2}, {1.5F, -2}).view(), attributes);
    writer.write_dataset("/scalar", Tensor::scalar(int64_t{-3}).view(), {});
    writer.write_dataset("/empty", Tensor(DType::kInt8, {0, 4}).view(), {});
    writer.write_dataset("/half", Tensor::from<Float16>({1}, {{0x3c00}}).view(), {});
    writer.write_string("/text", "line\none", {});
    writer.write_string("/nothing", "", {});
    writer.create_group("/g/h");
    writer.create_group("/g");
    writer.link("/scalar", "/links/again");
    writer.write_root_attribute({"Version", std::string("1")});
    writer.write_root_attribute({"Version", std::string("2")});
    EXPECT_TRUE(writer.exists("/a/b"));
    EXPECT_FALSE(writer.exists("/a/c"));
    EXPECT_GT(writer.size(), 0U);
    writer.close();
    EXPECT_EQ(h5py_shows(R"py(
d = f['a/b/data']
print(d.dtype, d.shape, d[()].tolist(), d.attrs['Code'], d.attrs['Code'].dtype,
      d.attrs['List'].tolist(), d.attrs['None'].shape, d.attrs['Text'].decode())
print(f['scalar'].shape, f['scalar'][()], f['empty'].shape, f['half'].dtype, f['half'][0])
print(repr(f['text'][()].decode()), repr(bytes(f['nothing'][()])), list(f['g']))
print(f['links/again'] == f['scalar'], f.attrs['Version'].decode(), f.attrs.__len__())
)py"),
              "float32 (1, 2) [[1.5, -2.0]] 7 int32 [3, -1] (0,) größe\n"
              "() -3 (0, 4) float16 1.0\n"
              "'line\\none' b'' ['h']\n"
              "True 2 1\n");
    const auto dumped = test::run({"h5dump", path_.string()});
    EXPECT_EQ(dumped.exit_code, 0);
    EXPECT_EQ((dumped.out + dumped.err).find("HDF5-DIAG"), std::string::npos);
}

TEST_F(Hdf5, reads_every_dtype_in_both_byte_orders) {
    const LibraryReader reader = made_by_h5py(
        "for n in 'float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 '\\\n"
        "         'bool'.split():\n"
        "    for o in '<>':\n"
        "        a = np.array([0, 1, 77]).astype(n)\n"
        "        f[n + ('l' if o == '<' else 'b')] = a.astype(a.dtype.newbyteorder(o))");
    for (const DTypeInfo& row : all_dtypes()) {
        if (row.dtype == DType::kBFloat16) continue;
        for (const char* order : {"l", "b"}) {
            const std::string name = "/" + std::string(row.name) + order;
            EXPECT_EQ(reader.dataset(name).dtype, row.dtype) << name;
            const Tensor tensor = reader.read(name);
            EXPECT_EQ(tensor.dtype(), row.dtype) << name;
            EXPECT_EQ(tensor.at(2), row.dtype == DType::kBool ? 1 : 77) << name;
        }
    }
    EXPECT_TRUE(reader.dataset("/int32b").big_endian);
    EXPECT_EQ(reader.dataset("/int32b").numpy_name, ">i4");
    EXPECT_EQ(reader.dataset("/int32l").numpy_name, "int32");
    EXPECT_EQ(reader.dataset("/boolb").numpy_name, "bool");
}

TEST_F(Hdf5, describes_what_is_no_tensor) {
    const LibraryReader reader = made_by_h5py(
        "f['fixed'] = np.bytes_('hello'); f['object'] = 'hello'\n"
        "f['complex'] = np.complex64([1j]); f['null'] = h5py.Empty('f4')\n"
        "f['struct'] = np.zeros(2, [('a', 'i4'), ('b', 'f8'), ('c', 'i1')])");
    EXPECT_EQ(reader.dataset("/fixed").numpy_name, "|S5");
    EXPECT_EQ(reader.dataset("/object").numpy_name, "object");
    EXPECT_EQ(reader.dataset("/complex").numpy_name, "complex64");
    EXPECT_EQ(reader.dataset("/struct").numpy_name, "|V13");
    EXPECT_TRUE(reader.dataset("/null").null_space);
    for (const char* name : {"/fixed", "/object", "/complex", "/struct", "/null"})
        expect_error(ErrorKind::kUnsupported, [&] { static_cast<void>(reader.read(name)); });
    EXPECT_EQ(reader.read_string("/fixed"), "hello");
    EXPECT_EQ(reader.read_string("/object"), "hello");
    expect_error(ErrorKind::kFormat, [&] { static_cast<void>(reader.read_string("/complex")); });
}

TEST_F(Hdf5, reads_attributes_of_any_integer_type) {
    const LibraryReader reader = made_by_h5py(
        "d = f.create_dataset('d', data=1.0)\n"
        "d.attrs['i'] = np.int16(-3); d.attrs['u'] = np.uint64(5); d.attrs['one'] = np.int32([7])\n"
        "d.attrs['list'] = [1, 2]; d.attrs['f'] = 1.5; d.attrs['v'] = 'text'\n"
        "d.attrs['s'] = np.bytes_('bytes')");
    EXPECT_EQ(reader.int_attribute("/d", "i"), -3);
    EXPECT_EQ(reader.int_attribute("/d", "u"), 5);
    EXPECT_EQ(reader.int_attribute("/d", "one"), 7);
    EXPECT_FALSE(reader.int_attribute("/d", "list"));
    EXPECT_FALSE(reader.int_attribute("/d", "f"));
    EXPECT_FALSE(reader.int_attribute("/d", "none"));
    EXPECT_EQ(reader.int_list_attribute("/d", "list"), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(reader.string_attribute("/d", "v"), "text");
    EXPECT_EQ(reader.string_attribute("/d", "s"), "bytes");
    EXPECT_FALSE(reader.string_attribute("/d", "i"));
    EXPECT_EQ(reader.attribute_count("/d"), 7);
}

TEST_F(Hdf5, lists_children_with_their_kinds_and_leaves_dangling_links_out) {
    const LibraryReader reader = made_by_h5py(
        "f['g/d'] = 1; f['g/t'] = np.dtype('f4'); f.create_group('g/h')\n"
        "f['g/soft'] = h5py.SoftLink('/g/d'); f['g/gone'] = h5py.SoftLink('/nowhere')\n"
        "f['g/out'] = h5py.ExternalLink('none.h5', '/x')");
    using Child = std::pair<std::string, ObjectKind>;
    EXPECT_EQ(reader.typed_children("/g"),
              (std::vector<Child>{{"d", ObjectKind::kDataset},
                                  {"h", ObjectKind::kGroup},
                                  {"soft", ObjectKind::kDataset},
                                  {"t", ObjectKind::kOther}}));
    EXPECT_TRUE(reader.exists("/g/soft"));
    EXPECT_FALSE(reader.exists("/g/gone"));
    EXPECT_FALSE(reader.exists("/x/y"));
    EXPECT_TRUE(reader.exists("/"));
    expect_error(ErrorKind::kFormat, [&] { static_cast<void>(reader.children("/g/d")); });
    expect_error(ErrorKind::kFormat, [&] { static_cast<void>(reader.kind("/none")); });
}

TEST_F(Hdf5, tells_where_contiguous_data_lies) {
    Writer writer(path_);
    writer.write_dataset("/d", Tensor::from<float>({2}, {1, 2}).view(), {});
    writer.close();
    const DatasetInfo found = LibraryReader(path_).dataset("/d");
    ASSERT_TRUE(found.offset);
    const std::string image = test::read_file(path_);
    EXPECT_EQ(image.compare(*found.offset, 8, std::string("\0\0\x80\x3f\0\0\0\x40", 8)), 0);
}

TEST_F(Hdf5, copies_an_object_with_everything_below_it) {
    const LibraryReader reader = made_by_h5py(
        "f['g/h/d'] = np.arange(3); f['g'].attrs['n'] = 1; f['g/h/d'].attrs['m'] = 'x'");
    Writer writer(folder_ / "copy.h5");
    reader.copy_to(writer, "/g", "/deep/down/g");
    writer.close();
    const LibraryReader copy(folder_ / "copy.h5");
    EXPECT_EQ(copy.read("/deep/down/g/h/d").at(2), 2);
    EXPECT_EQ(copy.int_attribute("/deep/down/g", "n"), 1);
    EXPECT_EQ(copy.string_attribute("/deep/down/g/h/d", "m"), "x");
}

TEST_F(Hdf5, adds_to_an_existing_file_of_another_library) {
    static_cast<void>(made_by_h5py("f['d'] = 1"));
    Writer writer = Writer::open_existing(path_);
    EXPECT_TRUE(writer.exists("/d"));
    writer.write_dataset("/e", Tensor::scalar(2.0).view(), {});
    writer.close();
    EXPECT_EQ(h5py_shows("print(f['d'][()], f['e'][()])"), "1 2.0\n");
}

TEST_F(Hdf5, threads_read_and_write_different_files_at_once) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const fs::path path = folder_ / (std::to_string(t) + ".h5");
            for (int round = 0; round < 5; ++round) {
                Writer writer(path);
                for (int i = 0; i < 20; ++i)
                    writer.write_dataset(
                        "/g/" + std::to_string(i), Tensor::scalar(double(i)).view(), {});
                writer.close();
                const LibraryReader reader(path);
                EXPECT_EQ(reader.children("/g").size(), 20U);
                EXPECT_EQ(reader.read("/g/7").at(0), 7);
                EXPECT_FALSE(reader.exists("/none"));
            }
        });
    for (std::thread& thread : threads)
        thread.join();
}

TEST_F(Hdf5, rejects_writing_where_the_system_refuses_it) {
    for (const fs::path& path : {folder_ / "none/file.h5", fs::path("/proc/file.h5")}) {
        try {
            const Writer writer(path);
            ADD_FAILURE() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::kIo);
            EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos)
                << error.what();
        }
    }
}

TEST_F(Hdf5, rejects_a_name_that_is_taken) {
    Writer writer(path_);
    writer.write_dataset("/d", Tensor::scalar(1.0).view(), {});
    expect_error(ErrorKind::kIo,
                 [&] { writer.write_dataset("/d", Tensor::scalar(1.0).view(), {}); });
    expect_error(ErrorKind::kIo, [&] { writer.link("/none", "/x"); });
}

TEST_F(Hdf5, rejects_a_dataset_that_claims_more_than_the_file_holds) {
    const LibraryReader reader = made_by_h5py(
        "f.create_dataset('unwritten', shape=(2**40,), dtype='f8')\n"
        "f.create_dataset('chunks', shape=(2**40,), dtype='f8', chunks=(1024,))[0] = 1\n"
        "f.create_dataset('fine', shape=(1000,), dtype='f4', fillvalue=3)");
    for (const char* name : {"/unwritten", "/chunks"})
        expect_error(ErrorKind::kFormat, [&] { static_cast<void>(reader.read(name)); });
    EXPECT_EQ(reader.read("/fine").at(999), 3);
}

TEST_F(Hdf5, a_full_disk_is_an_error_at_any_point_and_the_process_ends_well) {
    // Wherever the limit falls - in elements, in the library's own data, at closing - the error
    // comes, and neither closing nor the library's exit handler crashes.
    for (const rlim_t bytes : {0, 1000, 3000, 20000, 100000, 150000}) {
        const pid_t child = ::fork();
        if (child == 0) {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{bytes, bytes};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            int code = 1;
            try {
                Writer writer(path_);
                for (int i = 0; i < 200; ++i)
                    writer.write_dataset("/g" + std::to_string(i % 20) + "/" + std::to_string(i),
                                         Tensor::zeros(DType::kFloat32, {256}).view(),
                                         {});
                writer.close();
            } catch (const Error& error) {
                const bool named =
                    std::string(error.what()).find("File too large") != std::string::npos;
                code = error.kind() == ErrorKind::kIo && named ? 0 : 2;
            }
            std::exit(code);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << " at " << bytes;
        EXPECT_EQ(WEXITSTATUS(status), 0) << bytes;
    }
}

}  // namespace
}  // namespace npuscope::h5
