// Small files of h5py with 1 to 5 damaged fields through every command that reads .h5 files:
// whatever the HDF5 library does of it, the program lives. A child runs all commands of one file;
// the parent sees how it ends. NPUSCOPE_LONG_TESTS=1: 20 000 files; NPUSCOPE_DAMAGE_SEED begins
// elsewhere.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "cli/program.h"
#include "msaccucmp/msaccucmp.h"
#include "tests/support/mutator.h"
#include "tests/support/support.h"

namespace npuscope::test {
namespace {

constexpr int kFew = 150;
constexpr int kMany = 20000;
constexpr unsigned kLongestSeconds = 60;

/// Dumps as h5py writes them: old and new layout, pieces with every filter, attributes and texts of
/// any length, links, links to other files, virtual datasets, compounds, many attributes, …
constexpr const char* kFiles = R"(
import h5py, sys, numpy as np
folder = sys.argv[1]
def tensor(g, name, data, **options):
    d = g.create_dataset(name, data=data, **options)
    for key, value in (('DeviceType', 0), ('DataType', 1), ('FormatType', 0), ('Type', 0)):
        d.attrs[key] = np.int32(value)
    d.attrs['Stride'] = np.array([s // data.itemsize for s in data.strides], 'i8')
    return d
def ops(f, **options):
    a = np.arange(64, dtype='f4').reshape(8, 8)
    tensor(f, 'relu/1/input/self', a - 30)
    tensor(f, 'relu/1/output/result', np.maximum(a - 30, 0), **options)
    tensor(f, 'add_Tensor/2/input/self', a)
    tensor(f, 'add_Tensor/2/input/other', a * 2)
    tensor(f, 'add_Tensor/2/output/result', a * 3, **options)
    f.attrs['Version'] = np.bytes_(b'1.0')
for name, layout in (('old', 'earliest'), ('new', 'latest')):
    with h5py.File(f'{folder}/{name}.h5', 'w', libver=layout) as f: ops(f)
    with h5py.File(f'{folder}/{name}_pieces.h5', 'w', libver=layout) as f:
        ops(f, chunks=(3, 5), compression='gzip', shuffle=True, fletcher32=True)
with h5py.File(f'{folder}/texts.h5', 'w') as f:
    ops(f)
    f['relu/1/npuscope'] = '{"node": "n"}'
    f['relu/1/npuscope'].attrs['Type'] = np.int32(100)
    f['relu/1/output/result'].attrs['ComputeType'] = 'float32'
    f.attrs['Device'] = 'cpu'
with h5py.File(f'{folder}/links.h5', 'w') as f:
    ops(f)
    f['neg/3/input/self'] = h5py.SoftLink('/relu/1/input/self')
    f['neg/3/output/result'] = h5py.ExternalLink('old.h5', '/relu/1/output/result')
    f['abs/4'] = h5py.ExternalLink('new.h5', '/relu/1')
with h5py.File(f'{folder}/odd.h5', 'w') as f:
    ops(f)
    f['odd/5/input/c'] = np.array([1 + 2j])
    f['odd/5/input/r'] = np.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')])
    t = f['t'] = np.dtype('f4')
    f.create_dataset('odd/5/input/committed', data=np.ones(3, 'f4'), dtype=f['t'])
    v = h5py.VirtualLayout((8, 8), 'f4'); v[:] = h5py.VirtualSource('old.h5', 'relu/1/input/self', (8, 8))
    f.create_virtual_dataset('odd/5/output/virtual', v)
    f.create_dataset('odd/5/output/so', data=np.arange(64), chunks=(16,), scaleoffset=0)
    f.create_dataset('odd/5/output/big', data=np.arange(8, dtype='>f4'))
    d = f.create_dataset('odd/5/output/many', data=np.ones(3, 'f4'), track_order=True)
    for i in range(20): d.attrs['a%d' % i] = i
)";

int run_cli(std::vector<std::string> words) {
    words.insert(words.begin(), "npuscope");
    std::vector<char*> raw;
    for (std::string& word : words)
        raw.push_back(word.data());
    raw.push_back(nullptr);
    return cli::run_program(static_cast<int>(words.size()), raw.data());
}

/// Each command in a child's place; ends with 0 when all exit codes are documented ones.
[[noreturn]] void run_all(const std::string& damaged,
                          const std::string& whole,
                          const std::string& folder) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, 1);
    ::dup2(nowhere, 2);
    const rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30};
    ::setrlimit(RLIMIT_AS, &memory);
    ::alarm(kLongestSeconds);
    bool fine = true;
    const auto run = [&](const std::vector<std::string>& words) {
        const int code = run_cli(words);
        fine = fine && code >= 0 && code <= 2;
    };
    run({"inspect", damaged, "-q"});
    run({"inspect", damaged, "/relu/1", "--json", "-q"});
    run({"compare", "-m", damaged, "-g", whole, "-q"});
    run({"overflow", damaged, "-q"});
    run({"extract", "-i", damaged, "-o", folder + "/out.h5", "-s", "/relu", "-q"});
    run({"recompute", damaged, "-q"});
    run({"map", damaged, "--chip", "910A", "-o", folder + "/map", "-q"});
    std::ostringstream out;
    std::ostringstream err;
    const std::vector<std::string> words = {
        "compare", "-m", damaged, "-g", whole, "-out", folder + "/table"};
    static_cast<void>(msaccucmp::run(words, out, err));
    ::_exit(fine ? 0 : 3);
}

TEST(DamagedFileOfH5py, ends_no_command) {
    const TempDir files;
    const RunResult made = run_python(kFiles, {files.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    std::vector<std::pair<std::string, std::string>> contents;
    for (const auto& entry : std::filesystem::directory_iterator(files.path()))
        contents.emplace_back(entry.path().string(), read_file(entry.path()));
    std::sort(contents.begin(), contents.end());
    // NOLINTBEGIN(concurrency-mt-unsafe): nothing here changes the environment
    const bool is_long = std::getenv("NPUSCOPE_LONG_TESTS") != nullptr;
    const char* first = std::getenv("NPUSCOPE_DAMAGE_SEED");
    // NOLINTEND(concurrency-mt-unsafe)
    const uint32_t seed = first != nullptr ? static_cast<uint32_t>(std::atoi(first)) : 20261123;
    for (int i = 0; i < (is_long ? kMany : kFew); ++i) {
        Mutator mutate(seed + static_cast<uint32_t>(i));
        const auto& [whole, content] = contents[static_cast<size_t>(i) % contents.size()];
        std::string damaged = content;
        for (size_t changes = 1 + mutate.below(5); changes > 0; --changes)
            mutate.change(damaged, contents[mutate.below(contents.size())].second);
        const std::string path = files / "damaged.h5";
        write_file(path, damaged);
        const TempDir results;
        std::fflush(nullptr);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) run_all(path, whole, results.path().string());
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
            << "seed " << seed + static_cast<uint32_t>(i) << ", " << whole << ": signal "
            << (WIFSIGNALED(status) ? WTERMSIG(status) : 0) << ", exit code "
            << (WIFEXITED(status) ? WEXITSTATUS(status) : 0);
        std::filesystem::remove(path);
        if ((i + 1) % 1000 == 0) std::printf("%d files from seed %u on\n", i + 1, seed);
    }
}

}  // namespace
}  // namespace npuscope::test
