#include "dumper/dump_scope.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <limits>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "tests/dumper/fake_source.h"
#include "tests/support/folder_names.h"
#include "tests/support/support.h"

namespace npuscope::dumper {
namespace {

namespace fs = std::filesystem;
using test::FakeSource;
using test::names_in;
using test::TempDir;

Tensor vector_of(std::initializer_list<float> values) {
    return Tensor::from<float>({static_cast<int64_t>(values.size())}, values);
}

void expect_error(ErrorKind kind, const std::string& part, const std::function<void()>& call) {
    try {
        call();
        ADD_FAILURE() << "no error, wanted one with '" << part << "'";
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(DumpScope, h5py_reads_what_an_op_left) {
    const TempDir folder;
    FakeSource npu;
    const auto path = folder / "a.h5";
    DumpSummary summary;
    {
        DumpScope scope(npu, {.use_dump = true, .dump_path = path});
        npu.run("addmm",
                {{"self", vector_of({1, 2})}, {"beta", Scalar{int64_t{1}}}, {"out", {}}},
                {{"result", vector_of({3, 4})}},
                {.source = {.node = "Gemm_0", .module = "net.fc", .line = "net.py:7"},
                 .compute_type = ComputeType::kFloat16,
                 .kernels = {"Cast", "MatMul"}});
        summary = scope.close();
    }
    EXPECT_EQ(summary.path, path);
    EXPECT_EQ(summary.ops_written, 1);
    EXPECT_EQ(summary.ops_seen, 1);
    EXPECT_TRUE(summary.complete);
    const auto shown = test::run_python(R"py(
import sys, json, h5py
with h5py.File(sys.argv[1]) as f:
    print(sorted((k, v if isinstance(v, str) else v.decode()) for k, v in f.attrs.items()))
    op = f['/addmm/1']
    print(sorted(op), sorted(op['input']), sorted(op['output']), list(op.attrs))
    print(op['input/self'][()].tolist(), op['input/self'].attrs['DeviceType'])
    print(op['output/result'].attrs['ComputeType'].decode())
    print(json.loads(op['npuscope'][()]), op['npuscope'].attrs['Type'])
)py",
                                        {path.string()});
    EXPECT_EQ(shown.out,
              "[('Chip', '910A'), ('Complete', 'yes'), ('FormatVersion', '1.0'), ('Mode', 'dump'), "
              "('Options', '{}'), ('Version', '0.1.0')]\n"
              "['input', 'npuscope', 'output'] ['beta', 'self'] ['result'] []\n"
              "[1.0, 2.0] 10\n"
              "float16\n"
              "{'node': 'Gemm_0', 'module': 'net.fc', 'line': 'net.py:7', 'kernels': ['Cast', "
              "'MatMul'], 'status': {'bits': 0, 'overflow': False}} 100\n")
        << shown.err;
}

TEST(DumpScope, leaves_no_file_when_nothing_was_recorded) {
    const TempDir folder;
    FakeSource npu;
    DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
    npu.run("view", {{"self", vector_of({1})}}, {{"result", vector_of({1})}}, {.recorded = false});
    const DumpSummary summary = scope.close();
    EXPECT_TRUE(summary.path.empty());
    EXPECT_EQ(summary.ops_seen, 0);
    EXPECT_TRUE(names_in(folder).empty());
}

TEST(DumpScope, detaches_at_its_end_and_at_close) {
    const TempDir folder;
    FakeSource npu;
    {
        DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
        EXPECT_TRUE(npu.has_observers());
        static_cast<void>(scope.close());
        EXPECT_FALSE(npu.has_observers());
    }
    { const DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "b.h5"}); }
    EXPECT_FALSE(npu.has_observers());
}

TEST(DumpScope, disabled_or_without_a_mode_it_does_nothing) {
    const TempDir folder;
    FakeSource npu;
    for (const bool enabled : {false, true}) {
        DumpScope scope(npu,
                        {.enabled = enabled, .use_dump = !enabled, .dump_path = folder / "a.h5"});
        EXPECT_FALSE(npu.has_observers());
        npu.run("relu", {}, {{"result", vector_of({1})}});
        EXPECT_TRUE(scope.close().path.empty());
    }
    EXPECT_TRUE(names_in(folder).empty());
}

TEST(DumpScope, a_directory_gets_a_file_named_by_the_time) {
    const TempDir folder;
    FakeSource npu;
    for (const std::string& tail : {std::string(), std::string("/")}) {
        DumpScope scope(npu, {.use_dump = true, .dump_path = folder.path().string() + tail});
        npu.run("relu", {}, {{"result", vector_of({1})}});
        const fs::path path = scope.close().path;
        EXPECT_TRUE(fs::equivalent(path.parent_path(), folder.path()));
        std::string form = path.filename().string();
        std::replace_if(
            form.begin(), form.end() - 2, [](char c) { return c >= '0' && c <= '9'; }, 'd');
        EXPECT_EQ(form, "dddddddd_dddddd.dddddd.h5");
    }
    EXPECT_EQ(names_in(folder).size(), 2U);
}

TEST(DumpScope, the_final_name_appears_at_close_and_an_older_file_stays_until_then) {
    const TempDir folder;
    test::write_file(folder / "a.h5", "older");
    FakeSource npu;
    DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
    npu.run("relu", {}, {{"result", vector_of({1})}});
    EXPECT_EQ(test::read_file(folder / "a.h5"), "older");
    static_cast<void>(scope.close());
    EXPECT_EQ(names_in(folder), std::vector<std::string>{"a.h5"});
    EXPECT_EQ(dumpfile::Reader(folder / "a.h5").ops().size(), 1U);
}

TEST(DumpScope, a_second_scope_on_the_same_path_writes_beside_it_and_says_so) {
    const TempDir folder;
    FakeSource npu;
    FakeSource other;
    std::vector<fs::path> paths;
    ::testing::internal::CaptureStderr();
    {
        DumpScope first(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
        DumpScope second(
            other,
            {.use_dump = true, .dump_path = folder / "../" / folder.path().filename() / "a.h5"});
        npu.run("relu", {}, {{"result", vector_of({1})}});
        other.run("relu", {}, {{"result", vector_of({2})}});
        paths.push_back(first.close().path);
        paths.push_back(second.close().path);
    }
    DumpScope third(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
    npu.run("relu", {}, {{"result", vector_of({3})}});
    paths.push_back(third.close().path);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(names_in(folder), (std::vector<std::string>{"a.h5", "a_2.h5", "a_3.h5"}));
    EXPECT_NE(said.find("a_2.h5'"), std::string::npos) << said;
    EXPECT_NE(said.find("a_3.h5'"), std::string::npos) << said;
    const dumpfile::Reader reader(paths[2]);
    EXPECT_EQ(reader.read(reader.ops()[0].entries[0]).at(0), 3);
}

TEST(DumpScope, a_path_is_free_again_when_nothing_was_written_or_the_file_is_gone) {
    const TempDir folder;
    FakeSource npu;
    for (int round = 0; round < 3; ++round) {
        DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
        if (round > 0) npu.run("relu", {}, {{"result", vector_of({1})}});
        const fs::path path = scope.close().path;
        EXPECT_EQ(path, round > 0 ? folder / "a.h5" : fs::path());
        fs::remove(folder / "a.h5");
    }
}

TEST(DumpScope, checks_overflow_by_the_float_status_and_prints_a_line) {
    const TempDir folder;
    FakeSource npu;
    ::testing::internal::CaptureStdout();
    DumpScope scope(npu, {.check_overflow = true, .dump_path = folder / "o.h5"});
    const float inf = std::numeric_limits<float>::infinity();
    // An infinity that came in is no overflow.
    FloatStatus came_in;
    came_in.raise(FloatStatus::kVectorInputNonFinite);
    npu.run(
        "relu", {{"self", vector_of({inf})}}, {{"result", vector_of({inf})}}, {.status = came_in});
    npu.run("mul_Tensor",
            {{"self", vector_of({2})}},
            {{"result", vector_of({3})}},
            {.status = test::overflowed()});
    const DumpSummary summary = scope.close();
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "IR: mul_Tensor  SeqId: 2  is overflow!\n");
    EXPECT_EQ(summary.ops_seen, 2);
    const dumpfile::Reader reader(summary.path);
    ASSERT_EQ(reader.ops().size(), 1U);
    EXPECT_EQ(reader.ops()[0].id, (OpId{"mul_Tensor", 2}));
    EXPECT_EQ(reader.ops()[0].entries.size(), 2U);
    EXPECT_NE(reader.ops()[0].facts_json.find("\"overflow\":true"), std::string::npos);
}

TEST(DumpScope, without_overflow_there_is_neither_line_nor_file) {
    const TempDir folder;
    FakeSource npu;
    ::testing::internal::CaptureStdout();
    DumpScope scope(npu, {.check_overflow = true, .dump_path = folder / "o.h5"});
    npu.run("relu", {}, {{"result", vector_of({1})}});
    EXPECT_TRUE(scope.close().path.empty());
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_TRUE(names_in(folder).empty());
}

TEST(DumpScope, stops_at_an_op_boundary_when_the_limit_is_reached) {
    const TempDir folder;
    FakeSource npu;
    constexpr uint64_t kLimit = 1 << 20;
    DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5", .max_bytes = kLimit});
    for (int i = 0; i < 50; ++i)
        npu.run("relu",
                {},
                {{"result", Tensor::from<float>({16384}, std::vector<float>(16384, float(i)))}});
    const DumpSummary summary = scope.close();
    EXPECT_FALSE(summary.complete);
    EXPECT_NE(summary.note.find("1048576 bytes"), std::string::npos) << summary.note;
    EXPECT_EQ(summary.ops_seen, 50);
    EXPECT_LE(fs::file_size(summary.path), kLimit);
    EXPECT_GT(fs::file_size(summary.path), kLimit * 8 / 10);
    const dumpfile::Reader reader(summary.path);
    EXPECT_FALSE(reader.complete());
    EXPECT_EQ(reader.run_fact("Note"), summary.note);
    EXPECT_EQ(static_cast<int64_t>(reader.ops().size()), summary.ops_written);
    for (const auto& op : reader.ops())
        EXPECT_EQ(op.entries.size(), 1U);
}

TEST(DumpScope, a_tiny_queue_holds_the_program_up_but_loses_nothing) {
    const TempDir folder;
    FakeSource npu;
    DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5", .queue_bytes = 1});
    for (int i = 0; i < 200; ++i)
        npu.run("relu", {}, {{"result", vector_of({static_cast<float>(i)})}});
    EXPECT_EQ(scope.close().ops_written, 200);
}

TEST(DumpScope, a_tensor_changed_after_its_op_is_dumped_as_it_was) {
    const TempDir folder;
    FakeSource npu;
    DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
    Tensor tensor = vector_of({1, 1, 1});
    for (int i = 0; i < 20; ++i) {
        tensor.mutable_as<float>()[1] = static_cast<float>(i);
        npu.run("relu_", {}, {{"self", tensor}});
    }
    const dumpfile::Reader reader(scope.close().path);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(reader.read(reader.ops()[static_cast<size_t>(i)].entries[0]).at(1), i);
}

TEST(DumpScope, an_exception_that_leaves_the_scope_completes_the_file_and_is_noted) {
    const TempDir folder;
    FakeSource npu;
    try {
        const DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
        npu.run("relu", {}, {{"result", vector_of({1})}});
        throw std::runtime_error("the model failed");
    } catch (const std::runtime_error&) {
    }
    const dumpfile::Reader reader(folder / "a.h5");
    EXPECT_FALSE(reader.complete());
    EXPECT_NE(reader.run_fact("Note").find("exception"), std::string::npos);
}

TEST(DumpScope, rejects_more_than_one_mode) {
    FakeSource npu;
    expect_error(ErrorKind::kUsage, "choose one", [&] {
        const DumpScope scope(npu, {.use_dump = true, .check_overflow = true});
    });
    expect_error(ErrorKind::kUsage, "choose one", [&] {
        const DumpScope scope(npu, {.use_load = true, .check_overflow = true});
    });
}

TEST(DumpScope, rejects_bad_dump_paths) {
    const TempDir folder;
    FakeSource npu;
    for (const auto& path : {folder / "a.txt", folder / "a", folder / "none/a.h5", folder / ".h5"})
        expect_error(ErrorKind::kUsage, "dump_path", [&] {
            const DumpScope scope(npu, {.use_dump = true, .dump_path = path});
        });
    EXPECT_FALSE(npu.has_observers());
    EXPECT_TRUE(names_in(folder).empty());
}

TEST(DumpScope, rejects_check_overflow_without_an_npu) {
    const TempDir folder;
    FakeSource cpu(0);
    expect_error(ErrorKind::kUsage, "NPU", [&] {
        const DumpScope scope(cpu, {.check_overflow = true, .dump_path = folder / "a.h5"});
    });
}

TEST(DumpScope, a_killed_process_leaves_no_final_name) {
    const TempDir folder;
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        FakeSource npu;
        DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
        bool told = false;
        for (int i = 0;; ++i) {
            npu.run("relu", {}, {{"result", vector_of({static_cast<float>(i)})}});
            if (told || i < 500 || !std::filesystem::exists(folder / "a.h5.part.h5")) continue;
            if (::write(ready[1], "x", 1) != 1) ::_exit(1);
            told = true;
        }
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    EXPECT_EQ(names_in(folder), std::vector<std::string>{"a.h5.part.h5"});
}

TEST(DumpScope, a_full_disk_is_one_clear_error_and_leaves_what_fitted) {
    const TempDir folder;
    int report[2];
    ASSERT_EQ(::pipe(report), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit limit{290000, 290000};
        std::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &limit);
        std::string said = "no error";
        try {
            FakeSource npu;
            DumpScope scope(npu, {.use_dump = true, .dump_path = folder / "a.h5"});
            for (int i = 0; i < 100; ++i)
                npu.run(
                    "relu",
                    {},
                    {{"result", Tensor::from<float>({8192}, std::vector<float>(8192, float(i)))}});
            static_cast<void>(scope.close());
        } catch (const Error& error) {
            said =
                (error.kind() == ErrorKind::kIo ? "io: " : "other: ") + std::string(error.what());
        }
        if (::write(report[1], said.data(), said.size()) < 0) ::_exit(1);
        // A regular exit: the HDF5 library closes what is left and must survive that.
        std::exit(0);
    }
    ::close(report[1]);
    std::string said(4096, '\0');
    const ssize_t length = ::read(report[0], said.data(), said.size());
    said.resize(length > 0 ? static_cast<size_t>(length) : 0);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(report[0]);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(said.rfind("io: ", 0), 0U) << said;
    // Eight times 32 768 and what describes them; nine are beyond the limit.
    EXPECT_NE(said.find("its 8 committed ops are kept in '" + (folder / "a.h5.part.h5").string()),
              std::string::npos)
        << said;
    EXPECT_EQ(names_in(folder), std::vector<std::string>{"a.h5.part.h5"});
    EXPECT_EQ(dumpfile::Reader(folder / "a.h5.part.h5").ops().size(), 8U);
}

}  // namespace
}  // namespace npuscope::dumper
