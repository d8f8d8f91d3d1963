// Against NumPy, on arrays that are longer than one piece of a sum.
#include "msaccucmp/overflow/array_summary.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/cann_dump/writer.h"
#include "msaccucmp/base/exit_codes.h"
#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

TEST(ArraySummary, is_what_numpy_computes_for_every_dtype) {
    const test::TempDir folder;
    const auto made = test::run_python(
        "import sys, numpy as np\n"
        "folder = sys.argv[1]\n"
        "r = np.random.default_rng(3)\n"
        "dtypes = "
        "['float16','float32','float64','int8','uint8','int16','uint16','int32','uint32',\n"
        "          'int64','uint64','bool']\n"
        "for n in (1, 2, 7, 8, 9, 127, 128, 129, 1000, 8191, 8192, 8193, 40000):\n"
        "    for dtype in dtypes:\n"
        "        a = (r.standard_normal(n) * 100).astype('int64' if dtype[0] in 'ui' else "
        "'f8').astype(dtype)\n"
        "        if dtype == 'bool': a = r.integers(0, 2, n).astype(bool)\n"
        "        np.save(f'{folder}/{dtype}.{n}.npy', a)\n"
        "        print(f'{dtype}.{n}.npy [Shape: {a.shape}] [Dtype: {a.dtype}] [Max: "
        "{np.max(a)!s}]'\n"
        "              f' [Min: {np.min(a)!s}] [Mean: {a.mean()!s}]')\n"
        "for name, values in (('nan', [1, np.nan, -3]), ('inf', [np.inf, 2, 0]), ('both', [np.inf, "
        "-np.inf, 0])):\n"
        "    a = np.array(values, 'f4')\n"
        "    np.save(f'{folder}/{name}.npy', a)\n"
        "    print(f'{name}.npy [Shape: {a.shape}] [Dtype: {a.dtype}] [Max: {np.max(a)!s}]'\n"
        "          f' [Min: {np.min(a)!s}] [Mean: {a.mean()!s}]')\n",
        {folder.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    std::istringstream lines(made.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const size_t space = line.find(' ');
        const InputFile file(folder / line.substr(0, space));
        const DumpArray array(file, file.dump().outputs.at(0));
        EXPECT_EQ(summary_of(array), line.substr(space + 1));
    }
    EXPECT_EQ(count, 13 * 12 + 3);
}

TEST(ArraySummary, takes_complex_numbers_as_numpy_orders_them) {
    const test::TempDir folder;
    const auto made = test::run_python(
        "import sys, numpy as np\n"
        "r = np.random.default_rng(4)\n"
        "for dtype in ('complex64', 'complex128'):\n"
        "    for n in (1, 3, 4, 5, 63, 64, 65, 5000, 8192, 20000):\n"
        "        a = (r.standard_normal(n) + 1j * r.standard_normal(n)).astype(dtype)\n"
        "        a.tofile(f'{sys.argv[1]}/{dtype}.{n}')\n"
        "        print(f'{dtype}.{n} {n} [Shape: {a.shape}] [Dtype: {a.dtype}] [Max: "
        "{np.max(a)!s}]'\n"
        "              f' [Min: {np.min(a)!s}] [Mean: {a.mean()!s}]')\n",
        {folder.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    std::istringstream lines(made.out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        int64_t numel = 0;
        words >> name >> numel;
        const std::string elements = test::read_file(folder / name);
        cann_dump::DumpFile dump;
        cann_dump::DumpTensor& tensor = dump.outputs.emplace_back();
        tensor.data_type = name.starts_with("complex64") ? 16 : 17;
        tensor.shape = {numel};
        tensor.bytes = std::as_bytes(std::span(elements));
        cann_dump::write_dump(folder / "dump", dump);
        const InputFile file(folder / "dump");
        const DumpArray array(file, file.dump().outputs.at(0));
        EXPECT_EQ(summary_of(array), line.substr(line.find('[')));
    }
}

TEST(ArraySummary, has_no_numbers_without_elements) {
    const test::TempDir folder;
    cann_dump::DumpFile dump;
    cann_dump::DumpTensor& tensor = dump.outputs.emplace_back();
    tensor.data_type = 2;
    tensor.shape = {0, 3};
    cann_dump::write_dump(folder / "dump", dump);
    const InputFile file(folder / "dump");
    EXPECT_EQ(summary_of(DumpArray(file, file.dump().outputs.at(0))),
              "[Shape: (0, 3)] [Dtype: float64]");
}

}  // namespace
}  // namespace npuscope::msaccucmp
