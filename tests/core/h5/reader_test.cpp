// Files written by h5py, read here.
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/append_writer.h"
#include "core/h5/elements.h"
#include "core/h5/h5.h"
#include "core/h5/index.h"
#include "core/h5/library_reader.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

class FilesOfH5py : public testing::Test {
  protected:
    Reader written(const std::string& body) {
        const std::string path = (folder_ / "f.h5").string();
        const test::RunResult python =
            test::run_python("import h5py,sys,numpy as np\npath=sys.argv[1]\n" + body, {path});
        EXPECT_EQ(python.exit_code, 0) << python.err;
        return Reader(path);
    }

    test::TempDir folder_;
};

using Names = std::vector<std::string>;

TEST_F(FilesOfH5py, list_a_group_by_name_in_old_and_new_layout) {
    for (const std::string layout : {"earliest", "latest"}) {
        const Reader file = written("f=h5py.File(path,'w',libver='" + layout +
                                    "')\nfor n in ['c','a','b']: f.create_group(n)\n");
        EXPECT_EQ(LibraryReader(file.path()).children("/"), (Names{"a", "b", "c"})) << layout;
    }
}

TEST_F(FilesOfH5py, list_a_group_that_tracks_creation_in_that_order) {
    const Reader file = written(
        "f=h5py.File(path,'w',track_order=True)\n"
        "g=f.create_group('g',track_order=True)\n"
        "for n in ['c','a','b']: f.create_group(n); g.create_group(n)\n"
        "f.close()\n"
        "f=h5py.File(path,'r')\n"
        "assert list(f['g'])==['c','a','b'] and list(f['/'])==['g','c','a','b']\n");
    EXPECT_EQ(LibraryReader(file.path()).children("/g"), (Names{"c", "a", "b"}));
    EXPECT_EQ(LibraryReader(file.path()).children("/"), (Names{"g", "c", "a", "b"}));
}

TEST_F(FilesOfH5py, give_the_real_part_of_complex_numbers) {
    const Reader file = written(
        "f=h5py.File(path,'w')\n"
        "f['a']=np.array([[1+2j,3-4j]],dtype=np.complex64)\n"
        "f['b']=np.complex128(5+6j)\n"
        "f['c']=np.float32(1)\n");
    EXPECT_TRUE(identical(file.read_real_part("/a"), Tensor::from<float>({1, 2}, {1, 3})));
    EXPECT_TRUE(identical(file.read_real_part("/b"), Tensor::from<double>({}, {5})));
    EXPECT_THROW(static_cast<void>(file.read_real_part("/c")), Error);
    EXPECT_THROW(static_cast<void>(file.read("/a")), Error);
}

TEST_F(FilesOfH5py, are_read_on_when_another_file_takes_their_name) {
    // Compressed elements: the library opens the file only when they are asked for.
    const Reader file = written(
        "f=h5py.File(path,'w')\n"
        "f.create_dataset('x',data=np.arange(64,dtype='f4'),compression='gzip')\n");
    const Index index = file.index();
    Writer other(folder_ / "other.h5");
    other.close();
    std::filesystem::rename(folder_ / "other.h5", folder_ / "f.h5");
    EXPECT_EQ(file.read("/x").at(63), 63);
    std::vector<std::byte> buffer;
    EXPECT_EQ(file.elements(index, index.find("/x")).numel(), 64);
}

/// The library marks a file that it writes by an exclusive lock, and one that it reads by a shared
/// one.
TEST_F(FilesOfH5py,
       are_refused_while_somebody_writes_them_and_kept_from_writers_while_they_are_read) {
    const std::filesystem::path path = written("h5py.File(path,'w')['x']=1\n").path();
    const int descriptor = open(path.c_str(), O_RDWR);
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(flock(descriptor, LOCK_EX | LOCK_NB), 0);
    try {
        const Reader reader(path);
        ADD_FAILURE() << "it is written";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("still being written"), std::string::npos)
            << error.what();
    }
    ASSERT_EQ(flock(descriptor, LOCK_UN), 0);
    {
        const Reader reader(path);
        EXPECT_NE(flock(descriptor, LOCK_EX | LOCK_NB), 0);
    }
    EXPECT_EQ(flock(descriptor, LOCK_EX | LOCK_NB), 0);
    close(descriptor);
}

TEST(GrowingFile, is_read_whole_at_any_moment) {
    const test::TempDir folder;
    const std::filesystem::path path = folder / "grows.h5";
    constexpr int64_t kOps = 2000;
    AppendWriter writer(path);
    std::jthread process([&] {
        const Tensor tensor = Tensor::from<float>({2}, {1, 2});
        for (int64_t op = 0; op < kOps; ++op) {
            writer.write_dataset("/op/" + std::to_string(op) + "/output/x", tensor.view(), {});
            writer.commit();
        }
    });
    int64_t before = 0;
    int reads = 0;
    while (before < kOps) {
        const Index index = Reader(path).index();
        ASSERT_TRUE(index.from_mapping());
        ASSERT_EQ(index.skipped_count(), 0) << index.warnings().front();
        // The root, the group of ops, and per op two groups and a dataset.
        const auto nodes = static_cast<int64_t>(index.nodes().size());
        const int64_t ops = nodes < 2 ? 0 : (nodes - 2) / 3;
        ASSERT_EQ(nodes, ops == 0 ? 1 : 2 + 3 * ops);
        ASSERT_GE(ops, before);
        before = ops;
        ++reads;
    }
    EXPECT_GT(reads, 3);
}

}  // namespace
}  // namespace npuscope::h5
