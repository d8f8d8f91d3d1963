#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/npz/npy.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::TempDir;

std::string error_of(const std::filesystem::path& path, ErrorKind kind = ErrorKind::kFormat) {
    try {
        static_cast<void>(read_npz(path));
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
        EXPECT_NE(std::string(error.what()).find(path.filename().string()), std::string::npos);
        return error.what();
    }
    ADD_FAILURE() << path << " was accepted";
    return {};
}

void make(const TempDir& folder, const std::string& code) {
    const auto made =
        test::run_python("import os, sys, io, zipfile, numpy as np\nos.chdir(sys.argv[1])\n" + code,
                         {folder.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
}

TEST(Npz, reads_stored_and_deflated_archives_in_archive_order) {
    const TempDir folder;
    make(folder,
         "arrays = dict(z=np.float16([1, 2]), a=np.arange(1000), s=np.array(7.5))\n"
         "np.savez('stored.npz', **arrays); np.savez_compressed('packed.npz', **arrays)");
    for (const char* name : {"stored.npz", "packed.npz"}) {
        const NamedTensors arrays = read_npz(folder / name);
        ASSERT_EQ(arrays.size(), 3U);
        EXPECT_EQ(arrays[0].first, "z");
        EXPECT_EQ(arrays[0].second.dtype(), DType::kFloat16);
        EXPECT_EQ(arrays[1].first, "a");
        EXPECT_EQ(arrays[1].second.at(999), 999);
        EXPECT_EQ(arrays[2].first, "s");
        EXPECT_EQ(arrays[2].second.shape(), Shape{});
        EXPECT_EQ(arrays[2].second.at(0), 7.5);
    }
}

TEST(Npz, numpy_reads_what_is_written) {
    const TempDir folder;
    write_npz(folder / "o.npz",
              {{"x/y", Tensor::from<float>({2, 1}, {1, 2})},
               {"bf", Tensor::from<BFloat16>({1}, {to_bfloat16(0.5F)})},
               {"none", Tensor(DType::kInt8, {0})},
               {"größe", Tensor::scalar(true)}});
    const auto shown = test::run_python(
        "import sys, numpy as np, zipfile\n"
        "assert zipfile.ZipFile(sys.argv[1]).testzip() is None\n"
        "for n, a in np.load(sys.argv[1]).items():\n"
        "    print(ascii(n), a.dtype, a.shape, a.tolist())",
        {(folder / "o.npz").string()});
    EXPECT_EQ(shown.out,
              "'x/y' float32 (2, 1) [[1.0], [2.0]]\n"
              "'bf' float32 (1,) [0.5]\n"
              "'none' int8 (0,) []\n"
              "'gr\\xf6\\xdfe' bool () True\n")
        << shown.err;
}

TEST(Npz, tells_what_arrays_were_computed_in_where_numpy_does_not_look) {
    const TempDir folder;
    const Tensor one = Tensor::from<float>({1}, {1});
    write_npz(folder / "o.npz",
              {{"a", one}, {"b/c", one}, {"d", one}},
              {{"b/c", {.compute_type = ComputeType::kFloat16}}, {"d", {}}});
    EXPECT_EQ(read_npz_histories(folder / "o.npz"),
              (ArrayHistories{{"b/c", {.compute_type = ComputeType::kFloat16}}}));
    EXPECT_EQ(read_npz(folder / "o.npz").size(), 3U);
    const auto shown = test::run_python(
        "import sys, numpy as np, zipfile\n"
        "print(list(np.load(sys.argv[1])),"
        " [row.comment for row in zipfile.ZipFile(sys.argv[1]).infolist()])",
        {(folder / "o.npz").string()});
    EXPECT_EQ(shown.out, "['a', 'b/c', 'd'] [b'', b'ComputeType=float16', b'']\n") << shown.err;
}

TEST(Npz, takes_the_comments_of_other_writers_for_none) {
    const TempDir folder;
    const auto made = test::run_python(
        "import sys, io, numpy as np, zipfile\n"
        "image = io.BytesIO(); np.save(image, np.ones(1))\n"
        "with zipfile.ZipFile(sys.argv[1], 'w') as archive:\n"
        "    for name, comment in ('a', b'mine'), ('b', b'ComputeType=hf32'), ('c', b'\\xff'):\n"
        "        entry = zipfile.ZipInfo(name + '.npy'); entry.comment = comment\n"
        "        archive.writestr(entry, image.getvalue())",
        {(folder / "o.npz").string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(read_npz_histories(folder / "o.npz"),
              (ArrayHistories{{"b", {.compute_type = ComputeType::kHFloat32}}}));
}

TEST(Npz, equal_arrays_give_equal_files) {
    const TempDir folder;
    const NamedTensors arrays = {{"x", Tensor::from<float>({2}, {1, 2})}};
    write_npz(folder / "1.npz", arrays);
    write_npz(folder / "2.npz", arrays);
    EXPECT_EQ(test::read_file(folder / "1.npz"), test::read_file(folder / "2.npz"));
}

TEST(Npz, an_empty_archive_survives_the_round_trip) {
    const TempDir folder;
    write_npz(folder / "none.npz", {});
    EXPECT_TRUE(read_npz(folder / "none.npz").empty());
    const auto shown = test::run_python("import sys, numpy as np; print(len(np.load(sys.argv[1])))",
                                        {(folder / "none.npz").string()});
    EXPECT_EQ(shown.out, "0\n") << shown.err;
}

TEST(Npz, rejects_a_damaged_element_by_its_checksum) {
    const TempDir folder;
    make(folder, "np.savez('a.npz', x=np.arange(100.0))");
    std::string image = test::read_file(folder / "a.npz");
    image[600] = static_cast<char>(image[600] ^ 0x10);
    test::write_file(folder / "bad.npz", image);
    error_of(folder / "bad.npz");
}

TEST(Npz, rejects_truncated_archives_and_other_files) {
    const TempDir folder;
    make(folder, "np.savez('a.npz', x=np.arange(100.0))");
    const std::string image = test::read_file(folder / "a.npz");
    for (const size_t length : {size_t{0}, size_t{10}, image.size() / 2, image.size() - 1}) {
        test::write_file(folder / "cut.npz", image.substr(0, length));
        EXPECT_THROW(static_cast<void>(read_npz(folder / "cut.npz")), Error) << length;
    }
    test::write_file(folder / "text.npz", "no archive");
    error_of(folder / "text.npz");
    error_of(folder / "missing.npz", ErrorKind::kIo);
}

TEST(Npz, rejects_entries_that_are_no_arrays) {
    const TempDir folder;
    make(folder, "zipfile.ZipFile('z.npz', 'w').writestr('readme.txt', 'hello')");
    EXPECT_NE(error_of(folder / "z.npz").find("readme.txt"), std::string::npos);
}

TEST(Npz, rejects_a_claimed_size_that_the_packed_bytes_cannot_hold) {
    const TempDir folder;
    // The central directory's uncompressed size (offset 24 of its record) becomes 3.9 GB.
    make(folder,
         "np.savez_compressed('a.npz', x=np.zeros(1000))\n"
         "b = bytearray(open('a.npz', 'rb').read())\n"
         "at = b.index(b'PK\\1\\2') + 24; b[at:at+4] = (3900000000).to_bytes(4, 'little')\n"
         "open('bomb.npz', 'wb').write(b)");
    EXPECT_NE(error_of(folder / "bomb.npz").find("3900000000"), std::string::npos);
}

TEST(Npz, rejects_an_archive_that_unpacks_to_hundreds_of_times_its_size) {
    const TempDir folder;
    // 1.3 MB that claim 1.2 GB, which deflate could hold.
    make(
        folder,
        "np.savez_compressed('a.npz', x=np.random.default_rng(0).integers(0, 256, 1300000, 'u1'))\n"
        "b = bytearray(open('a.npz', 'rb').read())\n"
        "at = b.index(b'PK\\1\\2') + 24; b[at:at+4] = (1200000000).to_bytes(4, 'little')\n"
        "open('bomb.npz', 'wb').write(b)");
    const std::string error = error_of(folder / "bomb.npz");
    EXPECT_NE(error.find("would unpack"), std::string::npos) << error;
    EXPECT_NE(error.find("1200000000"), std::string::npos) << error;
}

TEST(Npz, rejects_a_shape_larger_than_its_entry) {
    const TempDir folder;
    make(folder,
         "h = b\"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000,), }\"\n"
         "z = zipfile.ZipFile('big.npz', 'w', zipfile.ZIP_DEFLATED)\n"
         "z.writestr('x.npy', b'\\x93NUMPY\\1\\0' + len(h).to_bytes(2, 'little') + h + bytes(64))\n"
         "z.close()");
    EXPECT_NE(error_of(folder / "big.npz").find("cut short"), std::string::npos);
}

TEST(Npz, rejects_more_data_than_the_archive_says) {
    const TempDir folder;
    make(folder,
         "np.savez_compressed('a.npz', x=np.zeros(1000))\n"
         "b = bytearray(open('a.npz', 'rb').read())\n"
         "at = b.index(b'PK\\1\\2') + 24; b[at:at+4] = (500).to_bytes(4, 'little')\n"
         "open('more.npz', 'wb').write(b)");
    error_of(folder / "more.npz");
}

TEST(Npz, rejects_entries_that_share_their_packed_bytes) {
    const TempDir folder;
    // Thirty directory records that point to one entry: each alone is legitimate.
    make(folder,
         "np.savez_compressed('a.npz', x=np.arange(3000))\n"
         "b = open('a.npz', 'rb').read(); d = b.index(b'PK\\1\\2'); e = b.index(b'PK\\5\\6')\n"
         "record, end = b[d:e], bytearray(b[e:]); n = 30\n"
         "end[8:10] = end[10:12] = n.to_bytes(2, 'little')\n"
         "end[12:16] = (n * len(record)).to_bytes(4, 'little')\n"
         "open('overlap.npz', 'wb').write(b[:d] + record * n + end)");
    EXPECT_NE(error_of(folder / "overlap.npz").find("claim more bytes"), std::string::npos);
}

TEST(Npz, rejects_a_folder_that_does_not_exist_before_writing) {
    const TempDir folder;
    EXPECT_THROW(write_npz(folder / "no/such.npz", {}), Error);
}

}  // namespace
}  // namespace npuscope
