// Damaged and vanishing files: the index and the elements must end in an answer, a warning or an
// error, soon and in bounded memory.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/elements.h"
#include "core/h5/index_walker.h"
#include "core/h5/mapped_file.h"
#include "tests/fuzz/h5_walk.h"
#include "tests/support/mutator.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

using test::TempDir;

/// An exact copy on the heap, so that a sanitizer sees a byte too far.
size_t walked(const std::string& image) {
    const std::vector<std::byte> bytes(
        reinterpret_cast<const std::byte*>(image.data()),
        reinterpret_cast<const std::byte*>(image.data()) + image.size());
    return test::walk(bytes);
}

class DamagedFile : public ::testing::Test {
  protected:
    std::string image_of(const std::string& options) {
        const auto path = folder_ / "made.h5";
        const auto made = test::run_python(R"(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'w', )" + options + R"()
for op in 'conv', 'relu':
    for run in range(4):
        for side in 'input', 'output':
            d = f.create_dataset(f'{op}/{run}/{side}/x', data=np.arange(3, dtype='f4'))
            d.attrs['Type'] = np.int32(0)
            d.attrs['Shape'] = np.arange(3)
            d.attrs['Name'] = np.bytes_(b'float32')
f['flag'] = True
f['half'] = np.float16(1)
f['text'] = np.bytes_(b'{}')
f['again'] = f['conv']
)",
                                           {path.string()});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        return test::read_file(path);
    }
    TempDir folder_;
};

constexpr const char* kLayouts[] = {
    "libver='earliest'", "libver='latest'", "libver='latest',track_order=True"};

TEST_F(DamagedFile, is_walked_whole_while_it_is_sound) {
    for (const std::string options : kLayouts)
        EXPECT_EQ(walked(image_of(options)), 1 + 2 + 8 + 16 + 16 + 3 + 1 + 4 + 8 + 8U) << options;
}

TEST_F(DamagedFile, ends_well_whatever_is_changed) {
    constexpr int kRounds = 4000;
    constexpr uint32_t kSeed = 20240607;
    RecordProperty("seed", std::to_string(kSeed));
    test::Mutator mutate(kSeed);
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string options : kLayouts) {
        const std::string image = image_of(options);
        for (int round = 0; round < kRounds; ++round)
            walked(mutate.changed(image, 8, image));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(5));
}

TEST_F(DamagedFile, ends_well_wherever_it_is_cut) {
    for (const std::string options : kLayouts) {
        const std::string image = image_of(options);
        for (size_t length = 0; length < image.size(); length += 13)
            walked(image.substr(0, length));
    }
}

TEST_F(DamagedFile, loses_only_the_object_whose_header_is_damaged) {
    const auto path = folder_ / "file.h5";
    {
        Writer writer(path);
        for (const char* name : {"/a/x", "/a/y", "/b/z"})
            writer.write_dataset(name, Tensor::from<float>({2}, {1, 2}).view(), {});
        writer.close();
    }
    const auto asked = test::run_python(
        "import sys, h5py\n"
        "print(h5py.h5o.get_info(h5py.File(sys.argv[1], 'r')['/a/x'].id).addr)",
        {path.string()});
    ASSERT_EQ(asked.exit_code, 0) << asked.err;
    std::string image = test::read_file(path);
    image[std::stoul(asked.out)] = 77;
    test::write_file(path, image);
    for (const auto source : {IndexSource::kMappedFile, IndexSource::kLibrary}) {
        const Index index = Reader(path).index(source);
        EXPECT_EQ(index.find("/a/x"), -1);
        EXPECT_GE(index.find("/a/y"), 0);
        EXPECT_GE(index.find("/b/z"), 0);
        ASSERT_EQ(index.warnings().size(), 1U);
        EXPECT_EQ(index.warnings()[0].find("'/a/x' left out: "), 0U) << index.warnings()[0];
        EXPECT_EQ(index.skipped_count(), 1);
    }
}

TEST_F(DamagedFile, that_refers_to_the_same_group_again_and_again_is_bounded) {
    const auto path = folder_ / "file.h5";
    {
        Writer writer(path);
        writer.create_group("/0");
        for (int level = 1; level < 40; ++level) {
            const std::string below = "/" + std::to_string(level - 1);
            writer.create_group("/" + std::to_string(level));
            writer.link(below, "/" + std::to_string(level) + "/a");
            writer.link(below, "/" + std::to_string(level) + "/b");
        }
        writer.close();
    }
    for (const auto source : {IndexSource::kMappedFile, IndexSource::kLibrary}) {
        const Index index = Reader(path).index(source);
        EXPECT_LT(index.nodes().size(), std::filesystem::file_size(path) / 8 + 70000);
        EXPECT_GT(index.skipped_count(), 0);
    }
}

TEST_F(DamagedFile, that_claims_other_elements_than_it_stores_gives_none) {
    const auto path = folder_ / "file.h5";
    Writer writer(path);
    writer.write_dataset("/x", Tensor::from<int32_t>({6}, {1, 2, 3, 4, 5, 6}).view(), {});
    writer.write_dataset("/y", Tensor::from<int32_t>({1}, {1}).view(), {});
    writer.close();
    const std::string sound = test::read_file(path);
    const auto bytes_of = [](uint64_t number) {
        return std::string(reinterpret_cast<const char*>(&number), sizeof number);
    };
    const size_t at = sound.find(bytes_of(6));
    ASSERT_NE(at, std::string::npos);
    // More, far more, fewer, and a number of bytes that is 24 again in arithmetic of 64 bits.
    constexpr uint64_t kWrapping = (uint64_t{1} << 62) + 6;
    for (const uint64_t claimed : {uint64_t{7}, uint64_t{1} << 40, uint64_t{5}, kWrapping}) {
        std::string image = sound;
        image.replace(at, sizeof claimed, bytes_of(claimed));
        test::write_file(path, image);
        const Index index = Reader(path).index();
        EXPECT_EQ(index.find("/x"), -1) << claimed;
        EXPECT_GE(index.find("/y"), 0) << claimed;
        ASSERT_EQ(index.warnings().size(), 1U) << claimed;
        EXPECT_NE(index.warnings()[0].find("'/x' left out: its shape "), std::string::npos)
            << index.warnings()[0];
    }
}

TEST_F(DamagedFile, is_not_what_compact_empty_and_unwritten_datasets_are) {
    const auto path = folder_ / "file.h5";
    for (const std::string options : kLayouts) {
        const auto made = test::run_python(R"(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'w', )" + options + R"()
def plain(name, shape, layout, early=False):
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_layout(layout)
    if early: how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    space = h5py.h5s.create_simple(shape) if shape is not None else h5py.h5s.create(h5py.h5s.NULL)
    return h5py.h5d.create(f.id, name, h5py.h5t.NATIVE_DOUBLE, space, how)
plain(b'compact', (3,), h5py.h5d.COMPACT)
plain(b'compact_null', None, h5py.h5d.COMPACT)
plain(b'compact_empty', (0, 3), h5py.h5d.COMPACT)
plain(b'unwritten', (1 << 20,), h5py.h5d.CONTIGUOUS)
plain(b'early', (5,), h5py.h5d.CONTIGUOUS, True)
plain(b'null', None, h5py.h5d.CONTIGUOUS)
plain(b'empty', (0,), h5py.h5d.CONTIGUOUS, True)
f.create_dataset('chunked', data=np.arange(7.0), chunks=(4,))
f.create_dataset('growing', data=np.arange(7.0), maxshape=(None,))
f.create_dataset('big', data=np.arange(7, dtype='>f8'))
f['scalar'] = 2.5
f['text'] = np.bytes_(b'hello')
f['texts'] = np.array([b'a', b'bcd'])
f['complex'] = np.zeros(2, 'c8')
f['strings'] = ['one', 'three']
f['nothing'] = h5py.Empty('f4'))",
                                           {path.string()});
        ASSERT_EQ(made.exit_code, 0) << made.err;
        const Index index = Reader(path).index();
        EXPECT_TRUE(index.warnings().empty()) << options << ": " << index.warnings()[0];
        EXPECT_EQ(index.nodes().size(), 1 + 16U) << options;
    }
}

TEST_F(DamagedFile, that_is_cut_short_while_it_is_read_is_an_error_and_no_crash) {
    const auto path = folder_ / "file.h5";
    Writer writer(path);
    const Tensor large = Tensor::zeros(DType::kFloat32, {1 << 20});
    writer.write_dataset("/x", large.view(), {});
    writer.write_dataset("/y", large.view(), {});
    writer.close();
    const Reader file(path);
    const Index index = file.index();
    const Elements elements = file.elements(index, index.find("/y"));
    ASSERT_TRUE(elements.is_mapped());
    ASSERT_EQ(truncate(path.c_str(), 1 << 20), 0);
    std::vector<std::byte> buffer;
    const std::byte* found = elements.range(1 << 19, 1024, buffer);
    EXPECT_EQ(std::count(found, found + 4096, std::byte{0}), 4096);
    try {
        elements.require_intact();
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::kIo));
        EXPECT_NE(std::string(error.what()).find("cut short while it was read"), std::string::npos);
    }
}

void exit_of_another_handler(int) {
    _exit(42);
}

TEST(MappedFileDeathTest, leaves_faults_of_other_mappings_to_the_handler_before_it) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const TempDir folder;
    test::write_file(folder / "mapped", std::string(10000, 'x'));
    const int descriptor = open((folder / "mapped").c_str(), O_RDWR);
    ASSERT_GE(descriptor, 0);
    EXPECT_EXIT(
        {
            signal(SIGBUS, exit_of_another_handler);
            const auto ours = MappedFile::map(descriptor);
            void* foreign = mmap(nullptr, 10000, PROT_READ, MAP_SHARED, descriptor, 0);
            if (ours == nullptr || ftruncate(descriptor, 100) != 0) _exit(1);
            if (ours->bytes()[9000] != std::byte{0} || ours->is_intact()) _exit(2);
            static_cast<void>(*static_cast<volatile char*>(foreign));
            static_cast<void>(static_cast<volatile char*>(foreign)[9000]);
            _exit(3);
        },
        testing::ExitedWithCode(42),
        "");
    close(descriptor);
}

}  // namespace
}  // namespace npuscope::h5
