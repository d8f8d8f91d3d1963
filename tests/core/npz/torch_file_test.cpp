// Files read back by PyTorch itself.
#include "core/npz/torch_file.h"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

/// Bytes 1, 2, 3 ... of any length.
ByteProducer counting() {
    return [next = uint8_t{0}](std::span<std::byte> target) mutable {
        for (std::byte& byte : target)
            byte = std::byte{++next};
    };
}

TEST(TorchFile, is_loaded_by_torch) {
    const test::TempDir folder;
    const std::vector<int64_t> shape{2, 3, 4};
    const std::vector<std::string> dtypes{"float16",
                                          "float32",
                                          "float64",
                                          "int8",
                                          "int16",
                                          "int32",
                                          "int64",
                                          "uint8",
                                          "complex64",
                                          "complex128"};
    for (const std::string& dtype : dtypes)
        write_torch_tensor(folder / (dtype + ".pt"), dtype, shape, counting());
    write_torch_tensor(folder / "scalar.pt", "float32", {}, counting());
    write_torch_tensor(folder / "empty.pt", "float64", std::vector<int64_t>{0, 3}, counting());
    write_torch_tensor(folder / "bool.pt", "bool", std::vector<int64_t>{3}, [](auto target) {
        std::memcpy(target.data(), "\1\0\1", target.size());
    });
    const auto result = test::run_python(
        "import sys, numpy as np, torch\n"
        "folder, *dtypes = sys.argv[1:]\n"
        "load = lambda name: torch.load(folder + '/' + name + '.pt')\n"
        "for dtype in dtypes:\n"
        "    size = np.dtype(dtype).itemsize * 24\n"
        "    bytes = (np.arange(1, size + 1) % 256).astype(np.uint8).tobytes()\n"
        "    want = np.frombuffer(bytes, dtype).reshape(2, 3, 4)\n"
        "    got = load(dtype).numpy()\n"
        "    assert got.dtype == want.dtype and got.shape == want.shape, (dtype, got)\n"
        "    assert got.tobytes() == want.tobytes(), dtype\n"
        "assert load('scalar').shape == () and load('scalar').dtype == torch.float32\n"
        "assert load('empty').shape == (0, 3)\n"
        "assert load('bool').tolist() == [True, False, True]\n",
        [&] {
            std::vector<std::string> arguments{folder.path().string()};
            arguments.insert(arguments.end(), dtypes.begin(), dtypes.end());
            return arguments;
        }());
    EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(TorchFile, rejects_dtypes_that_torch_lacks) {
    const test::TempDir folder;
    EXPECT_FALSE(torch_has_dtype("uint16"));
    EXPECT_TRUE(torch_has_dtype("complex128"));
    EXPECT_THROW(write_torch_tensor(folder / "a.pt", "uint16", {}, counting()), Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "a.pt"));
}

TEST(TorchFile, leaves_nothing_behind_when_its_bytes_cannot_be_had) {
    const test::TempDir folder;
    const auto broken = [](std::span<std::byte>) {
        throw Error(ErrorKind::kIo, "the dump became shorter");
    };
    try {
        write_torch_tensor(folder / "a.pt", "float32", std::vector<int64_t>{3}, broken);
        ADD_FAILURE();
    } catch (const Error& problem) {
        EXPECT_STREQ(problem.what(), "the dump became shorter");
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_THROW(write_torch_tensor(folder / "no/a.pt", "float32", {}, counting()), Error);
}

}  // namespace
}  // namespace npuscope
