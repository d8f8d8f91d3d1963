// What bounds a dump: a sample of the ops, compression, an estimate beforehand; and when its ops
// are committed.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "dumper/dump_scope.h"
#include "tests/dumper/fake_source.h"
#include "tests/support/support.h"

namespace npuscope::dumper {
namespace {

namespace fs = std::filesystem;
using test::FakeSource;
using test::TempDir;

NamedValues floats(const std::string& name, int64_t count, float value) {
    return {{name,
             Tensor::from<float>({count}, std::vector<float>(static_cast<size_t>(count), value))}};
}

void run_some(FakeSource& npu, int ops, int64_t elements) {
    for (int i = 1; i <= ops; ++i)
        npu.run(i % 3 == 0 ? "exp" : "relu",
                floats("self", elements, static_cast<float>(i)),
                floats("result", elements, static_cast<float>(-i)));
}

std::vector<int64_t> seqids_in(const fs::path& path) {
    std::vector<int64_t> seqids;
    const dumpfile::Reader reader(path);
    for (const auto& op : reader.ops())
        seqids.push_back(op.id.seqid);
    return seqids;
}

TEST(DumpSize, a_sample_has_each_op_and_says_so) {
    const TempDir folder;
    FakeSource npu;
    DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5", .sample = 3});
    run_some(npu, 12, 4);
    const DumpSummary summary = scope.close();
    // relu runs as 1 2 4 5 7 8 10 11, exp as 3 6 9 12.
    EXPECT_EQ(seqids_in(summary.path), (std::vector<int64_t>{1, 3, 5, 10, 12}));
    EXPECT_EQ(dumpfile::Reader(summary.path).run_fact("Sample"), "3");
    EXPECT_TRUE(summary.complete);
}

TEST(DumpSize, a_compressed_dump_is_smaller_and_holds_the_same) {
    const TempDir folder;
    for (const int level : {0, 1}) {
        FakeSource npu;
        DumpScope scope(npu,
                        {.use_dump = true,
                         .dump_path = folder / ("level" + std::to_string(level) + ".h5"),
                         .compress = level});
        run_some(npu, 6, 40000);
        const DumpSummary summary = scope.close();
        EXPECT_EQ(summary.bytes, fs::file_size(summary.path));
    }
    EXPECT_LT(fs::file_size(folder / "level1.h5"), fs::file_size(folder / "level0.h5") / 40);
    const auto same =
        test::run({"h5diff", (folder / "level0.h5").string(), (folder / "level1.h5").string()});
    EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
    const dumpfile::Reader reader(folder / "level1.h5");
    EXPECT_EQ(reader.read(reader.ops()[4].entries[0]).at(39999), 5);
}

TEST(DumpSize, an_estimate_is_the_size_and_writes_nothing) {
    const TempDir folder;
    test::write_file(folder / "a.h5.part.h5", "of a killed dump");
    const auto bytes_of = [&](bool estimate, const char* name) {
        FakeSource npu;
        DumpScope scope(npu, {.use_dump = true, .dump_path = folder / name, .estimate = estimate});
        run_some(npu, 200, 1000);
        run_some(npu, 200, 1000);  // equal tensors are linked and cost little
        const DumpSummary summary = scope.close();
        EXPECT_EQ(summary.path.empty(), estimate);
        EXPECT_EQ(summary.ops_written, 400);
        return summary.bytes;
    };
    const uint64_t estimated = bytes_of(true, "a.h5");
    EXPECT_FALSE(fs::exists(folder / "a.h5"));
    EXPECT_EQ(test::read_file(folder / "a.h5.part.h5"), "of a killed dump");
    const uint64_t written = bytes_of(false, "b.h5");
    EXPECT_EQ(written, fs::file_size(folder / "b.h5"));
    EXPECT_NEAR(static_cast<double>(estimated),
                static_cast<double>(written),
                0.01 * static_cast<double>(written));
}

TEST(DumpSize, rejects_samples_and_levels_that_are_none) {
    const TempDir folder;
    FakeSource npu;
    for (const DumpOptions& options :
         {DumpOptions{.use_dump = true, .dump_path = folder / "a.h5", .sample = 0},
          DumpOptions{.check_overflow = true, .dump_path = folder / "a.h5", .sample = 2},
          DumpOptions{.use_dump = true, .dump_path = folder / "a.h5", .compress = 10}})
        EXPECT_THROW(DumpScope(npu, options), Error);
    EXPECT_FALSE(npu.has_observers());
}

/// Waits for the writer's thread; the test's time limit ends a wait in vain.
void wait_until(const std::function<bool()>& done) {
    while (!done())
        std::this_thread::yield();
}

TEST(Commits, an_overflow_is_committed_at_once) {
    const TempDir folder;
    FakeSource npu;
    DumpScope scope(
        npu,
        {.use_dump = true, .dump_path = folder / "a.h5", .commit_interval = std::chrono::hours(1)});
    npu.run("relu", {}, floats("result", 3, 1));
    npu.run("mul", {}, floats("result", 3, 2), {.status = test::overflowed()});
    wait_until([&] { return scope.committed_ops() == 2; });
    EXPECT_EQ(seqids_in(folder / "a.h5.part.h5"), (std::vector<int64_t>{1, 2}));
    npu.run("relu", {}, floats("result", 3, 3));
    EXPECT_EQ(seqids_in(folder / "a.h5.part.h5"), (std::vector<int64_t>{1, 2}));
    scope.close();
    EXPECT_EQ(scope.committed_ops(), 3);
}

TEST(Commits, a_pause_commits_what_came_before_it) {
    const TempDir folder;
    FakeSource npu;
    DumpScope scope(npu,
                    {.use_dump = true,
                     .dump_path = folder / "a.h5",
                     .commit_interval = std::chrono::milliseconds(20)});
    npu.run("relu", {}, floats("result", 3, 1));
    wait_until([&] { return scope.committed_ops() == 1; });
    EXPECT_EQ(dumpfile::Reader(folder / "a.h5.part.h5").run_fact("Note"),
              "the dump was not closed; its last op is /relu/1");
}

TEST(Commits, a_synced_dump_is_like_any_other) {
    const TempDir folder;
    FakeSource npu;
    DumpScope scope(npu,
                    {.use_dump = true,
                     .dump_path = folder / "a.h5",
                     .commit_interval = std::chrono::milliseconds(0),
                     .sync = true});
    run_some(npu, 5, 10);
    EXPECT_EQ(seqids_in(scope.close().path).size(), 5U);
}

}  // namespace
}  // namespace npuscope::dumper
