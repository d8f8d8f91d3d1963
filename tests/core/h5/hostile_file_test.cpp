// Files that are made to read other files, to crash the HDF5 library, or to fill the memory.
#include <chrono>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/elements.h"
#include "core/h5/h5.h"
#include "core/h5/index.h"
#include "core/h5/trust.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

class HostileFile : public testing::Test {
  protected:
    ~HostileFile() override { trust_files(false); }

    /// The folder has `f.h5`, beside it lies `secret` with 64 bytes.
    std::filesystem::path written(const std::string& body) {
        std::filesystem::create_directory(folder_ / "inside");
        test::write_file(folder_ / "secret", std::string(64, 's'));
        const auto path = folder_ / "inside" / "f.h5";
        const test::RunResult python = test::run_python(
            "import h5py, os, sys, numpy as np\n"
            "path = sys.argv[1]; folder = os.path.dirname(path); above = os.path.dirname(folder)\n"
            "f = h5py.File(path, 'w')\n" +
                body,
            {path.string()});
        EXPECT_EQ(python.exit_code, 0) << python.err;
        return path;
    }
    static std::string refusal(const Reader& file, const std::string& path) {
        const Index index = file.index();
        for (const std::string& line : index.warnings())
            if (line.find(path) != std::string::npos) return line;
        const int32_t node = index.find(path);
        if (node < 0) return "absent";
        try {
            static_cast<void>(file.elements(index, node).whole());
            return "read";
        } catch (const Error& error) {
            return error.what();
        }
    }

    test::TempDir folder_;
};

void expect_contains(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(HostileFile, reads_no_other_file_by_external_storage) {
    const auto path = written(
        "s = h5py.h5s.create_simple((16,)); p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)\n"
        "p.set_external((above + '/secret').encode(), 0, 16)\n"
        "h5py.h5d.create(f.id, b'x', h5py.h5t.STD_U8LE, s, p)\n");
    expect_contains(refusal(Reader(path), "/x"), "only trusted files may refer to such");
    trust_files(true);
    const Reader trusted(path);
    EXPECT_EQ(trusted.read("/x").at(0), 's');
}

TEST_F(HostileFile, leads_to_files_of_its_folder_only) {
    const auto path = written(
        "with h5py.File(folder + '/rank1.h5', 'w') as o: o['big'] = np.arange(100000.)\n"
        "with h5py.File(above + '/other.h5', 'w') as o: o['x'] = np.arange(4.)\n"
        "os.symlink(above + '/other.h5', folder + '/looks_inside.h5')\n"
        "os.mkfifo(folder + '/fifo.h5')\n"
        "f['near'] = h5py.ExternalLink('rank1.h5', '/big')\n"
        "f['far'] = h5py.ExternalLink(above + '/other.h5', '/x')\n"
        "f['up'] = h5py.ExternalLink('../other.h5', '/x')\n"
        "f['linked'] = h5py.ExternalLink('looks_inside.h5', '/x')\n"
        "f['fifo'] = h5py.ExternalLink('fifo.h5', '/x')\n"
        "f['device'] = h5py.ExternalLink('/dev/zero', '/x')\n"
        "f['gone'] = h5py.ExternalLink('gone.h5', '/x')\n");
    const Reader file(path);
    EXPECT_EQ(refusal(file, "/near"), "read");  // larger than the file that leads to it
    for (const char* name : {"/far", "/up", "/linked"})
        expect_contains(refusal(file, name), "which does not lie in the folder of the file");
    expect_contains(refusal(file, "/fifo"), "which is no regular file");
    expect_contains(refusal(file, "/device"), "which is no regular file");
    EXPECT_EQ(refusal(file, "/gone"), "absent");
    std::filesystem::remove(folder_ / "inside" / "fifo.h5");  // trusted, it would be waited for
    trust_files(true);
    EXPECT_EQ(refusal(Reader(path), "/far"), "read");
}

TEST_F(HostileFile, shows_virtual_datasets_of_its_folder_only) {
    const auto path = written(
        "with h5py.File(folder + '/near.h5', 'w') as o: o['x'] = np.arange(4.)\n"
        "with h5py.File(above + '/far.h5', 'w') as o: o['x'] = np.arange(4.)\n"
        "with h5py.File(folder + '/store.h5', 'w') as o:\n"
        "  s = h5py.h5s.create_simple((4,)); p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)\n"
        "  p.set_external((above + '/secret').encode(), 0, 32)\n"
        "  h5py.h5d.create(o.id, b'x', h5py.h5t.IEEE_F64LE, s, p)\n"
        "for n, name in (('near', 'near.h5'), ('far', above + '/far.h5'), ('store', 'store.h5')):\n"
        "  v = h5py.VirtualLayout((4,), 'f8'); v[:] = h5py.VirtualSource(name, 'x', (4,))\n"
        "  f.create_virtual_dataset(n, v)\n");
    const Reader file(path);
    EXPECT_EQ(refusal(file, "/near"), "read");
    EXPECT_EQ(file.read("/near").at(3), 3);
    expect_contains(refusal(file, "/far"), "which does not lie in the folder of the file");
    expect_contains(refusal(file, "/store"), "only trusted files may refer to such");
}

TEST_F(HostileFile, that_crashes_the_library_does_not_end_the_program) {
    // Copying so many nested groups takes more stack than there is.
    const auto path = written(
        "g = f.create_group('g').id\n"
        "for i in range(20000): g = h5py.h5g.create(g, b'd')\n");
    const Reader file(path);
    const std::vector<std::pair<std::string, std::string>> pairs = {{"/g", "/g"}};
    try {
        static_cast<void>(file.copy_to(folder_ / "copy.h5", false, {}, pairs));
        ADD_FAILURE() << "the library got better";
    } catch (const Error& error) {
        expect_contains(error.what(), "the HDF5 library crashed (signal 11)");
    }
    try {
        static_cast<void>(file.read_string("/none"));
        ADD_FAILURE() << "there is none";
    } catch (const Error& error) {  // a new process answers
        expect_contains(error.what(), "object 'none' doesn't exist");
    }
}

TEST_F(HostileFile, is_unpacked_once_however_large_its_pieces_are) {
    const Reader file(
        written("f.create_dataset('x', data=np.zeros((17, 1 << 20), 'f4'), chunks=(17, 1 << 20),\n"
                "                 compression='gzip', compression_opts=1)\n"));
    const Index index = file.index();
    const Elements elements = file.elements(index, index.find("/x"));
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::byte> buffer;
    constexpr int64_t kPiece = 1 << 16;
    for (int64_t first = 0; first < elements.numel(); first += kPiece)
        static_cast<void>(elements.range(first, kPiece, buffer));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 8);  // a piece takes 0.1 s to unpack, and there are 272 of them to read
}

TEST_F(HostileFile, may_not_fill_the_memory_by_one_piece) {
    const Reader file(written(
        "import zlib\n"
        "d = f.create_dataset('x', (1 << 26,), 'f8', chunks=(1 << 26,), compression='gzip')\n"
        "z = zlib.compressobj(1); bytes = b''.join(z.compress(bytes(1 << 24)) for _ in range(32))\n"
        "d.id.write_direct_chunk((0,), bytes + z.flush())\n"));
    expect_contains(refusal(file, "/x"), "which only trusted files may");
}

TEST_F(HostileFile, may_not_claim_any_amount_that_was_never_written) {
    const auto path = written(
        "for i in range(5):\n"
        "  f.create_dataset('c%d' % i, (60 << 20,), 'f4', chunks=(1 << 20,))\n"
        "f.create_dataset('d', (1 << 40,), 'f4')\n");
    const std::string reason = "it claims more elements that were never written than are believed";
    const Reader file(path);
    EXPECT_EQ(refusal(file, "/c1"), "read");
    expect_contains(refusal(file, "/c4"), reason);
    expect_contains(refusal(file, "/d"), reason);
    trust_files(true);
    EXPECT_EQ(refusal(Reader(path), "/c4"), "read");
}

TEST_F(HostileFile, whose_pieces_lie_is_refused_with_a_reason) {
    // Damaged checksums, pieces cut short, and more pieces than bytes.
    const auto path = written(
        "a = np.arange(1000, dtype='i4')\n"
        "for n in ('sum', 'cut', 'more'):\n"
        "  f.create_dataset(n, data=a, chunks=(1000,), fletcher32=n == 'sum', compression='gzip')\n"
        "raw = f['sum'].id.read_direct_chunk((0,))[1]\n"
        "f['sum'].id.write_direct_chunk((0,), raw[:-1] + bytes([raw[-1] ^ 1]))\n"
        "raw = f['cut'].id.read_direct_chunk((0,))[1]\n"
        "f['cut'].id.write_direct_chunk((0,), raw[:-20])\n"
        "import zlib\n"
        "f['more'].id.write_direct_chunk((0,), zlib.compress(bytes(4004)))\n");
    const Reader file(path);
    expect_contains(refusal(file, "/sum"), "checksum of a piece of it is wrong");
    expect_contains(refusal(file, "/cut"), "does not unpack to its elements");
    expect_contains(refusal(file, "/more"), "does not unpack to its elements");
}

}  // namespace
}  // namespace npuscope::h5
