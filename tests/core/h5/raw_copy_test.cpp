// Raw copies against h5copy's: h5diff finds no difference, whoever wrote the source.
#include "core/h5/raw_copy.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/index.h"
#include "core/h5/library_reader.h"
#include "tests/support/support.h"

// What our index does not know the HDF5 library reads, and it leaks when a damaged file stops it.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}

namespace npuscope::h5 {
namespace {

namespace fs = std::filesystem;

class RawCopyOf : public ::testing::Test {
  protected:
    /// `code` fills the h5py file f; then its group /g is copied.
    void make(const std::string& code, const std::string& options = "") {
        const auto made = test::run_python(
            "import sys, h5py, numpy as np\n"
            "f = h5py.File(sys.argv[1], 'w'" +
                options + ")\n" + code,
            {in_.string()});
        ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    void copy(const std::string& to = "/g") {
        const Reader source(in_);
        AppendWriter target(out_);
        RawCopy raw(source, target);
        raw.copy("/g", to);
        raw.require_intact();
        target.close();
    }
    void expect_equal_to_h5copy() {
        copy();
        const auto copied = test::run({"h5copy",
                                       "-i",
                                       in_.string(),
                                       "-o",
                                       (folder_ / "library.h5").string(),
                                       "-s",
                                       "/g",
                                       "-d",
                                       "/g"});
        ASSERT_EQ(copied.exit_code, 0) << copied.err;
        const auto same = test::run({"h5diff", (folder_ / "library.h5").string(), out_.string()});
        EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
        const auto text_of = [](const fs::path& path) {
            const std::string text = test::run({"h5dump", path.string()}).out;
            return text.substr(text.find('\n'));
        };
        EXPECT_EQ(text_of(folder_ / "library.h5"), text_of(out_));
        EXPECT_TRUE(Reader(out_).index().warnings().empty());
    }
    void expect_unsupported() {
        try {
            copy();
            ADD_FAILURE() << "copied";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::kUnsupported) << error.what();
        }
    }
    test::TempDir folder_;
    fs::path in_ = folder_ / "in.h5";
    fs::path out_ = folder_ / "out.h5";
};

constexpr const char* kMany =
    "for name in "
    "('f2','f4','f8','i1','i2','i4','i8','u1','u2','u4','u8','>f4','>i8','S5','bool'):\n"
    "  for shape in ((), (0,), (3,), (2, 3, 4)):\n"
    "    d = f.create_dataset(f'g/{name}/{len(shape)}_{sum(shape)}',\n"
    "                         data=np.arange(np.prod(shape, "
    "dtype=int)).reshape(shape).astype(name))\n"
    "    d.attrs['Type'] = np.int32(7)\n"
    "    d.attrs['Stride'] = np.array([1, 2, 3])[:len(shape)]\n"
    "    d.attrs['Text'] = np.bytes_(b'abc')\n"
    "f['g/again'] = f['g/f4/1_3']\n"
    "f.create_group('g/empty')\n";

TEST_F(RawCopyOf, a_classic_file_is_what_h5copy_makes) {
    make(kMany);
    expect_equal_to_h5copy();
}

TEST_F(RawCopyOf, a_new_file_is_what_h5copy_makes) {
    // More than eight links and the library puts them into a heap, which is refused below.
    make(
        "for name in ('f4', 'i8', 'S5', 'bool'):\n"
        "  for shape in ((), (0,), (3,), (2, 3, 4)):\n"
        "    d = f.create_dataset(f'g/{name}/{len(shape)}_{sum(shape)}',\n"
        "                         data=np.ones(shape).astype(name))\n"
        "    d.attrs['Type'] = np.int32(7)\n"
        "    d.attrs['Text'] = np.bytes_(b'abc')\n"
        "f['g/again'] = f['g/f4/1_3']\n",
        ", libver='latest'");
    expect_equal_to_h5copy();
}

TEST_F(RawCopyOf, a_file_behind_a_user_block_is_what_h5copy_makes) {
    make(kMany, ", userblock_size=1024");
    expect_equal_to_h5copy();
}

TEST_F(RawCopyOf, a_group_of_thousands_is_what_h5copy_makes) {
    make("for i in range(3000): f[f'g/{i}'] = np.float32(i)\n");
    expect_equal_to_h5copy();
}

TEST_F(RawCopyOf, a_dataset_with_two_names_is_copied_once) {
    make("f['g/a'] = np.arange(100000); f['g/b/c'] = f['g/a']\n");
    copy("/x/y");
    EXPECT_LT(fs::file_size(out_), 810000U);
    const LibraryReader file(out_);
    EXPECT_EQ(file.dataset("/x/y/a").offset, file.dataset("/x/y/b/c").offset);
}

TEST_F(RawCopyOf, what_only_the_library_can_copy_is_refused) {
    for (const std::string code : {"f.create_dataset('g/x', data=np.ones(9), chunks=(3,))",
                                   "f['g/x'] = 'any length'",
                                   "f['g/x'] = 1; f['g/x'].attrs['a'] = 'any length'",
                                   "f['g/x'] = 1; f['g/y'] = h5py.SoftLink('/g/x')",
                                   "f['g/y'] = h5py.ExternalLink('o.h5', '/g/x')",
                                   "f['g/x'] = 1; f['g'].attrs['a'] = 1",
                                   "f['g/x'] = 1; f['g/up'] = f['g']",
                                   "f.create_dataset('g/x', (4,), 'f4')",
                                   "f.create_group('g', track_order=True)['x'] = 1",
                                   "f['g/x'] = np.array([(1, 2)], dtype='i4,f4')",
                                   "for i in range(9): f[f'g/{i}'] = 1"}) {
        make(code, code.find("range(9)") == std::string::npos ? "" : ", libver='latest'");
        expect_unsupported();
    }
}

TEST_F(RawCopyOf, a_damaged_file_is_refused_not_followed) {
    make(kMany);
    const std::string whole = test::read_file(in_);
    unsigned state = 1;
    int refused = 0;
    for (int round = 0; round < 300; ++round) {
        std::string bytes = whole;
        for (int i = 0; i < 20; ++i) {
            state = state * 1664525 + 1013904223;
            bytes[96 + state / 7 % (bytes.size() - 96)] = static_cast<char>(state >> 24);
        }
        test::write_file(in_, bytes);
        try {
            copy();
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace npuscope::h5
