// Processes that dump to one path, at once or one after another's end.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "dumper/dump_scope.h"
#include "tests/dumper/fake_source.h"
#include "tests/support/folder_names.h"
#include "tests/support/support.h"

namespace npuscope::dumper {
namespace {

namespace fs = std::filesystem;
using test::FakeSource;
using test::names_in;
using test::TempDir;

void run_ops(FakeSource& npu, int count, int64_t elements, float value) {
    for (int i = 0; i < count; ++i)
        npu.run("relu",
                {},
                {{"result",
                  Tensor::from<float>({elements},
                                      std::vector<float>(static_cast<size_t>(elements), value))}});
}

/// Numbers that processes share; a wait in vain ends with the test's time limit.
class Counters {
  public:
    Counters()
        : values_(new (::mmap(
              nullptr, sizeof(Values), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                      Values()) {}
    ~Counters() { ::munmap(values_, sizeof(Values)); }
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;
    void arrive(size_t at) { ++values_->counts[at]; }
    void wait(size_t at, int count) {
        while (values_->counts[at] < count)
            std::this_thread::yield();
    }

  private:
    struct Values {
        std::atomic<int> counts[2] = {};
    };
    Values* values_;
};

pid_t process(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
        work();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ::_exit(1);
    }
    ::_exit(0);
}

void expect_success(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(SharedPath, processes_that_start_at_once_leave_a_whole_file_each) {
    constexpr int kProcesses = 3;
    for (int round = 0; round < 20; ++round) {
        const TempDir folder;
        Counters counters;
        std::vector<pid_t> children;
        for (int i = 1; i <= kProcesses; ++i)
            children.push_back(process([&, i] {
                FakeSource npu;
                counters.arrive(0);
                counters.wait(0, kProcesses);
                DumpScope scope(npu,
                                {.use_dump = true,
                                 .dump_path = folder / "d.h5",
                                 .commit_interval = std::chrono::milliseconds(0)});
                counters.arrive(1);
                run_ops(npu, 20, 1000, static_cast<float>(i));
                // Whoever begins while another writes gets a name of its own.
                counters.wait(1, kProcesses);
                static_cast<void>(scope.close());
            }));
        for (const pid_t child : children)
            expect_success(child);
        ASSERT_EQ(names_in(folder), (std::vector<std::string>{"d.h5", "d_2.h5", "d_3.h5"}));
        double sum = 0;
        for (const char* name : {"d.h5", "d_2.h5", "d_3.h5"}) {
            const dumpfile::Reader reader(folder / name);
            EXPECT_TRUE(reader.complete());
            ASSERT_EQ(reader.ops().size(), 20U);
            const double first = reader.read(reader.ops()[0].entries[0]).at(0);
            for (const auto& op : reader.ops())
                EXPECT_EQ(reader.read(op.entries[0]).at(999), first);
            sum += first;
        }
        EXPECT_EQ(sum, 1 + 2 + 3);
    }
}

TEST(SharedPath, the_second_process_says_where_its_dump_goes_and_spares_a_finished_one) {
    const TempDir folder;
    Counters counters;
    test::write_file(folder / "d_2.h5", "of a process that has ended");
    const pid_t other = process([&] {
        FakeSource npu;
        DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "d.h5"});
        run_ops(npu, 1, 10, 1);
        counters.arrive(0);
        counters.wait(1, 1);
        static_cast<void>(scope.close());
    });
    counters.wait(0, 1);
    FakeSource npu;
    ::testing::internal::CaptureStderr();
    DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "d.h5"});
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "npuscope: '" + (folder / "d.h5").string() +
                  "' is being written by another process; this dump goes to '" +
                  (folder / "d_3.h5").string() + "'\n");
    run_ops(npu, 1, 10, 2);
    counters.arrive(1);
    expect_success(other);
    EXPECT_EQ(scope.close().path, folder / "d_3.h5");
    EXPECT_EQ(names_in(folder), (std::vector<std::string>{"d.h5", "d_2.h5", "d_3.h5"}));
    EXPECT_EQ(test::read_file(folder / "d_2.h5"), "of a process that has ended");
}

TEST(SharedPath, a_growing_dump_is_read_by_h5py) {
    const TempDir folder;
    FakeSource npu;
    DumpScope scope(npu,
                    {.use_dump = true,
                     .dump_path = folder / "d.h5",
                     .commit_interval = std::chrono::milliseconds(0)});
    run_ops(npu, 3, 10, 1);
    while (scope.committed_ops() < 3)
        std::this_thread::yield();
    const auto read =
        test::run_python("import h5py, sys; print(len(h5py.File(sys.argv[1], 'r')['relu']))",
                         {(folder / "d.h5.part.h5").string()});
    EXPECT_EQ(read.out, "3\n") << read.err;
}

TEST(SharedPath, a_restart_keeps_what_a_killed_run_had_committed_and_says_so) {
    const TempDir folder;
    Counters counters;
    const pid_t killed = process([&] {
        FakeSource npu;
        DumpScope scope(npu,
                        {.use_dump = true,
                         .dump_path = folder / "d.h5",
                         .commit_interval = std::chrono::milliseconds(0)});
        run_ops(npu, 7, 10, 1);
        while (scope.committed_ops() < 7)
            std::this_thread::yield();
        counters.arrive(0);
        for (;;)
            ::pause();
    });
    counters.wait(0, 1);
    ::kill(killed, SIGKILL);
    ::waitpid(killed, nullptr, 0);
    FakeSource npu;
    ::testing::internal::CaptureStderr();
    DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "d.h5"});
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("7 ops are kept as '" + (folder / "d_killed.h5").string() + "'\n"),
              std::string::npos)
        << said;
    run_ops(npu, 1, 10, 2);
    EXPECT_EQ(scope.close().path, folder / "d.h5");
    EXPECT_EQ(names_in(folder), (std::vector<std::string>{"d.h5", "d_killed.h5"}));
    EXPECT_EQ(dumpfile::Reader(folder / "d_killed.h5").ops().size(), 7U);
    EXPECT_EQ(dumpfile::Reader(folder / "d.h5").ops().size(), 1U);
}

/// What a process under a limit of file sizes said on its way, and at the end.
struct Said {
    std::string at_once;
    std::string at_the_end;
};

Said dump_to_a_full_disk(const fs::path& path, const fs::path& report, uint64_t limit) {
    expect_success(process([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit bytes{limit, limit};
        ::setrlimit(RLIMIT_FSIZE, &bytes);
        std::atomic<bool> told = false;
        std::string said;
        FakeSource npu;
        DumpScope scope(npu,
                        {.use_dump = true,
                         .dump_path = path,
                         .dump_inputs = false,
                         .commit_interval = std::chrono::milliseconds(0),
                         .on_stopped = [&](const std::string& line) {
                             said = line;
                             told = true;
                         }});
        // The program goes on until it is told, and a little longer.
        while (!told)
            run_ops(npu, 1, 8192, 1.5F);
        run_ops(npu, 5, 8192, 1.5F);
        try {
            static_cast<void>(scope.close());
        } catch (const Error& error) {
            said += std::string("\n") + error.what();
        }
        test::write_file(report, said);
    }));
    const std::string text = test::read_file(report);
    const size_t cut = text.find('\n');
    if (cut == std::string::npos) return {text, ""};
    return {text.substr(0, cut), text.substr(cut + 1)};
}

TEST(FullDisk, stops_the_dump_at_once_and_keeps_its_committed_ops) {
    const TempDir folder;
    // Links cost little: ops differ in number only, so many fit.
    const Said said = dump_to_a_full_disk(folder / "d.h5", folder / "report", 100000);
    const std::string part = (folder / "d.h5.part.h5").string();
    const dumpfile::Reader reader(part);
    const std::string kept =
        std::to_string(reader.ops().size()) + " committed ops are kept in '" + part + "'";
    EXPECT_GT(reader.ops().size(), 0U);
    EXPECT_NE(said.at_once.find("dumping has stopped"), std::string::npos) << said.at_once;
    for (const std::string& line : {said.at_once, said.at_the_end}) {
        EXPECT_NE(line.find("File too large"), std::string::npos) << line;
        EXPECT_NE(line.find(kept), std::string::npos) << line;
    }
    EXPECT_EQ(names_in(folder), (std::vector<std::string>{"d.h5.part.h5", "report"}));
}

}  // namespace
}  // namespace npuscope::dumper
