#include "core/recording/msprobe/data_file.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/npz/npy.h"
#include "tests/support/support.h"

namespace npuscope::msprobe {
namespace {

SourceTensor attached(const std::filesystem::path& folder, const std::string& name) {
    SourceTensor tensor;
    tensor.dtype = "float32";
    tensor.shape = {2, 2};
    attach_data(folder, name, tensor);
    return tensor;
}

std::string failure_of(const SourceTensor& tensor) {
    try {
        static_cast<void>(tensor.open()->whole());
        return "";
    } catch (const Error& failure) {
        return failure.what();
    }
}

TEST(DataFile, opens_what_torch_and_numpy_wrote_and_bare_elements) {
    const test::TempDir folder;
    const test::RunResult made = test::run_python(
        "import numpy, sys, torch\n"
        "x = numpy.arange(4, dtype='float32').reshape(2, 2)\n"
        "torch.save(torch.tensor(x), sys.argv[1] + '/a.pt')\n"
        "numpy.save(sys.argv[1] + '/a.npy', x)\n"
        "x.tofile(sys.argv[1] + '/a.bin')\n",
        {folder.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    for (const std::string name : {"a.pt", "a.npy", "a.bin"}) {
        const SourceTensor tensor = attached(folder.path(), name);
        ASSERT_EQ(tensor.problem, "") << name;
        const auto elements = tensor.open();
        EXPECT_EQ(elements->shape(), (Shape{2, 2})) << name;
        const Tensor whole = elements->whole();
        for (int64_t i = 0; i < 4; ++i)
            EXPECT_EQ(whole.at(i), static_cast<double>(i)) << name;
    }
}

TEST(DataFile, rejects_truncated_files_other_shapes_and_links_out_of_the_folder) {
    const test::TempDir folder;
    std::filesystem::create_directory(folder / "data");
    test::write_file(folder / "data/short.bin", std::string(15, 'x'));
    test::write_file(folder / "data/empty.pt", "");
    test::write_file(folder / "data/short.npy", "\x93NUMPY");
    write_npy(folder / "data/other.npy", Tensor(DType::kFloat32, {3}).view());
    test::write_file(folder / "secret.bin", std::string(16, 'x'));
    std::filesystem::create_symlink(folder / "secret.bin", folder / "data/link.bin");
    std::filesystem::create_symlink("nowhere", folder / "data/broken.bin");
    std::filesystem::create_directory(folder / "data/folder.bin");
    const auto told = [&](const std::string& name) {
        return failure_of(attached(folder / "data", name));
    };
    EXPECT_NE(told("short.bin").find("has 15 bytes; its tensor takes 16"), std::string::npos);
    EXPECT_NE(told("other.npy").find("holds a tensor of shape [3]"), std::string::npos);
    EXPECT_NE(told("link.bin").find("is a link that leads out of its folder"), std::string::npos);
    EXPECT_NE(told("broken.bin").find("is a link that leads out of its folder"), std::string::npos);
    for (const std::string name : {"empty.pt", "short.npy", "missing.pt", "folder.bin"})
        EXPECT_NE(told(name), "") << name;
    EXPECT_NE(attached(folder / "data", "a.exe").problem.find("no .pt, .npy or .bin"),
              std::string::npos);
}

}  // namespace
}  // namespace npuscope::msprobe
