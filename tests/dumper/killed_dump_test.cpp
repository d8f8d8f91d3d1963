// Dumps whose process is killed at random moments: no committed op may be lost, and HDF5's own
// readers open what is left. 20 kills; 1000 with NPUSCOPE_LONG_TESTS=1.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/dumpfile/reader.h"
#include "dumper/dump_scope.h"
#include "tests/dumper/fake_source.h"
#include "tests/support/support.h"

namespace npuscope::dumper {
namespace {

namespace fs = std::filesystem;
using test::FakeSource;
using test::TempDir;

/// What the ops of a dump look like.
struct Workload {
    const char* name;
    int tensors;  ///< of an op's output
    int elements;
    bool links;  ///< every other op repeats the tensors of the one before
    std::chrono::milliseconds commit_interval;
};
using std::chrono::milliseconds;
constexpr std::array<Workload, 5> kWorkloads = {
    {{"small ops in one group", 1, 16, false, milliseconds(0)},
     {"small ops with links", 3, 64, true, milliseconds(0)},
     {"ops of 2000 datasets", 2000, 16, false, milliseconds(0)},
     {"ops of 2000 datasets with links", 2000, 8, true, milliseconds(0)},
     {"tensors of 64 KB, a commit now and then", 4, 16384, true, milliseconds(5)}}};

/// The elements of tensor i of an op: op and i tell them.
int value_of(const Workload& load, int64_t op, int i) {
    const int64_t source = load.links ? (op + 1) / 2 * 2 : op;
    return static_cast<int>((source * 2003 + i) % 1000003);
}

/// Never returns. `committed` is what the dump itself calls safe.
[[noreturn]] void dump_forever(const Workload& load,
                               const fs::path& path,
                               std::atomic<int64_t>& committed) {
    FakeSource npu;
    const DumpScope scope(npu,
                          {.use_dump = true,
                           .dump_path = path,
                           .queue_bytes = uint64_t{1} << 20,
                           .commit_interval = load.commit_interval});
    for (int64_t op = 1;; ++op) {
        TensorList tensors;
        for (int i = 0; i < load.tensors; ++i)
            tensors.push_back(Tensor::from<int32_t>(
                {load.elements},
                std::vector<int32_t>(static_cast<size_t>(load.elements), value_of(load, op, i))));
        npu.run(op % 5 == 0 ? "relu" : "addmm", {}, {{"result", tensors}});
        committed.store(scope.committed_ops());
    }
}

/// Argument 1: lines "file committed tensors links". Prints what is wrong.
constexpr const char* kCheck = R"py(
import sys, h5py, numpy as np
for line in open(sys.argv[1]):
    path, committed, tensors, links = line.rstrip('\n').split('\t')
    committed, tensors, links = int(committed), int(tensors), links == '1'
    try:
        with h5py.File(path, 'r') as f:
            found = 0
            for name in f:
                for seqid in f[name]:
                    found += 1
                    op = int(seqid)
                    lists = f[name][seqid]['output/result']
                    if len(lists) != tensors: print(path, name, seqid, 'has', len(lists), 'tensors')
                    source = (op + 1) // 2 * 2 if links else op
                    for i in range(0, tensors, max(1, tensors // 7)):
                        item = lists[f'result_{i}']
                        if len(item.attrs) != 5: print(path, item.name, 'has lost attributes')
                        if not (item[()] == (source * 2003 + i) % 1000003).all():
                            print(path, item.name, 'is damaged')
            if found < committed: print(path, 'holds', found, 'of', committed, 'committed ops')
            for op in range(1, committed + 1):
                if f'{"relu" if op % 5 == 0 else "addmm"}/{op}' not in f: print(path, op, 'is lost')
            if f.attrs['Complete'] != b'no': print(path, 'claims to be complete')
            last = ('the dump was not closed; its last op is /%s/%d' %
                    ('relu' if found % 5 == 0 else 'addmm', found)).encode()
            if found and f.attrs['Note'] != last: print(path, f.attrs['Note'], 'is not', last)
    except Exception as error:
        print(path, 'cannot be read:', error)
)py";

class KilledDump : public ::testing::Test {
  protected:
    KilledDump()
        : committed_(new (::mmap(nullptr,
                                 sizeof(std::atomic<int64_t>),
                                 PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS,
                                 -1,
                                 0)) std::atomic<int64_t>(0)) {}
    ~KilledDump() override { ::munmap(committed_, sizeof(std::atomic<int64_t>)); }

    /// Starts a dump, waits for the file or for a commit, kills it some time later. Returns the
    /// committed ops.
    int64_t kill_one(const Workload& load,
                     const fs::path& path,
                     bool after_commit,
                     std::chrono::microseconds later) {
        committed_->store(0);
        const pid_t child = ::fork();
        if (child == 0) dump_forever(load, path, *committed_);
        const fs::path part = path.string() + ".part.h5";
        const auto awaited = [&] {
            return after_commit ? committed_->load() > 0 : fs::exists(part);
        };
        while (!awaited() && ::waitpid(child, nullptr, WNOHANG) == 0)
            std::this_thread::yield();
        // The moment of the kill is what the test is about, not something it waits for.
        const auto end = std::chrono::steady_clock::now() + later;
        while (std::chrono::steady_clock::now() < end) {
        }
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status)) << "the dump ended by itself";
        EXPECT_FALSE(fs::exists(path));
        return committed_->load();
    }

    /// By npuscope's own reader; returns the ops in the file.
    static int64_t read_by_us(const Workload& load, const fs::path& part, int64_t committed) {
        const dumpfile::Reader reader(part);
        const auto count = static_cast<int64_t>(reader.ops().size());
        EXPECT_GE(count, committed);
        EXPECT_FALSE(reader.complete());
        EXPECT_EQ(reader.skipped_count(), 0);
        for (int64_t i = 0; i < count; ++i) {
            const auto& op = reader.ops()[static_cast<size_t>(i)];
            EXPECT_EQ(op.id.seqid, i + 1);
            EXPECT_EQ(op.entries.size(), static_cast<size_t>(load.tensors));
            if (op.entries.empty()) continue;
            EXPECT_EQ(reader.read(op.entries[0]).at(load.elements - 1), value_of(load, i + 1, 0));
        }
        return count;
    }

    void check_by_h5py(const std::string& lines, const fs::path& list) {
        test::write_file(list, lines);
        const auto checked = test::run_python(kCheck, {list.string()});
        EXPECT_EQ(checked.exit_code, 0) << checked.err;
        EXPECT_EQ(checked.out, "");
    }

    std::atomic<int64_t>* committed_;
};

TEST_F(KilledDump, keeps_every_committed_op_and_stays_readable) {
    const char* wanted = std::getenv("NPUSCOPE_LONG_TESTS");
    const int kills = wanted != nullptr && *wanted == '1' ? 1000 : 20;
    constexpr int kBatch = 20;
    const unsigned seed = std::random_device{}();
    std::mt19937 random(seed);
    std::printf("seed %u\n", seed);
    std::array<int64_t, kWorkloads.size()> committed{};
    std::array<int64_t, kWorkloads.size()> in_file{};
    for (int first = 0; first < kills; first += kBatch) {
        const TempDir folder;
        std::string lines;
        for (int i = 0; i < kBatch; ++i) {
            const size_t kind = static_cast<size_t>(i) % kWorkloads.size();
            const Workload& load = kWorkloads[kind];
            const fs::path path = folder / ("dump" + std::to_string(i) + ".h5");
            const int64_t safe = kill_one(
                load,
                path,
                // However slow the machine, some kills find ops to lose.
                static_cast<size_t>(i) < kWorkloads.size(),
                std::chrono::microseconds(random() % (load.tensors > 100 ? 150000 : 40000)));
            const fs::path part = path.string() + ".part.h5";
            committed[kind] += safe;
            in_file[kind] += read_by_us(load, part, safe);
            lines += part.string() + '\t' + std::to_string(safe) + '\t' +
                     std::to_string(load.tensors) + '\t' + (load.links ? "1\n" : "0\n");
        }
        check_by_h5py(lines, folder / "list");
        if (::testing::Test::HasFailure()) break;
    }
    for (size_t kind = 0; kind < kWorkloads.size(); ++kind) {
        std::printf("%s: %lld committed ops, %lld in the files\n",
                    kWorkloads[kind].name,
                    static_cast<long long>(committed[kind]),
                    static_cast<long long>(in_file[kind]));
        EXPECT_GT(in_file[kind], 0) << kWorkloads[kind].name;
    }
}

}  // namespace
}  // namespace npuscope::dumper
