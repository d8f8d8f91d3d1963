// A disk that fails at every call in turn: what was committed before stays readable, by h5py too,
// and the error names the file that keeps it.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "core/dumpfile/writer.h"
#include "tests/support/disk_double.h"
#include "tests/support/support.h"

namespace npuscope::dumpfile {
namespace {

namespace fs = std::filesystem;
using test::DiskDouble;
using test::DiskFailure;
using test::DiskScript;
using test::TempDir;

OpRecord record_of(int64_t seqid) {
    // Some go past the writer's buffer.
    const int64_t count = seqid % 4 == 0 ? 30000 : 100;
    OpRecord record;
    record.id = {seqid % 3 == 0 ? "relu" : "exp", seqid};
    record.outputs = {
        {"result",
         Tensor::from<float>(
             {count}, std::vector<float>(static_cast<size_t>(count), static_cast<float>(seqid)))}};
    return record;
}

constexpr int kOps = 12;

struct Outcome {
    int64_t committed = 0;
    std::string said;  ///< "" when all went well
};

/// Commits after every second op.
Outcome dump_until_it_fails(const fs::path& path, DiskScript& fault, bool sync) {
    Outcome outcome;
    std::optional<Writer> writer;
    try {
        writer.emplace(path,
                       WriterOptions{.commit_interval = std::chrono::hours(1),
                                     .sync = sync,
                                     .wrap_output = [&](std::unique_ptr<h5::OutputFile> file) {
                                         return std::make_unique<DiskDouble>(fault,
                                                                             std::move(file));
                                     }});
        for (int64_t op = 1; op <= kOps; ++op) {
            writer->write(record_of(op));
            if (op % 2 == 0) writer->commit();
            outcome.committed = writer->committed_count();
        }
        writer->close();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIo);
        outcome.said = error.what();
    }
    return outcome;
}

/// Every line "file committed": at least so many ops, each whole.
constexpr const char* kCheck = R"py(
import sys, h5py
for line in open(sys.argv[1]):
    path, committed = line.rstrip('\n').split('\t')
    with h5py.File(path, 'r') as f:
        ops = sorted(int(seqid) for name in f for seqid in f[name])
        if len(ops) < int(committed) or ops != list(range(1, len(ops) + 1)):
            print(path, 'holds', ops, 'not', committed)
        for op in ops:
            values = f[f'{"relu" if op % 3 == 0 else "exp"}/{op}/output/result'][()]
            if not (values == op).all() or len(values) != (30000 if op % 4 == 0 else 100):
                print(path, op, 'is damaged')
)py";

void expect_ops(const fs::path& path, int64_t committed) {
    const Reader reader(path);
    EXPECT_GE(static_cast<int64_t>(reader.ops().size()), committed) << path;
    EXPECT_TRUE(reader.warnings().empty()) << reader.warnings().front();
    for (const OpEntry& op : reader.ops()) {
        ASSERT_EQ(op.entries.size(), 1U);
        EXPECT_EQ(reader.read(op.entries[0]).at(99), static_cast<double>(op.id.seqid));
    }
}

class FailingDisk : public ::testing::TestWithParam<DiskFailure> {};

TEST_P(FailingDisk, committed_ops_stay_whichever_call_fails) {
    const TempDir folder;
    std::string lines;
    int kept = 0;
    for (const bool sync : {false, true}) {
        for (int call = 0;; ++call) {
            const fs::path path =
                folder / ((sync ? "synced" : "dump") + std::to_string(call) + ".h5");
            const fs::path part = path.string() + ".part.h5";
            DiskScript fault{.calls_left = call, .failure = GetParam()};
            const Outcome outcome = dump_until_it_fails(path, fault, sync);
            if (!fault.has_failed) {
                EXPECT_EQ(outcome.said, "");
                EXPECT_TRUE(fs::exists(path));
                EXPECT_GT(call, sync ? 30 : 10);
                break;
            }
            EXPECT_NE(outcome.said.find("No space left"), std::string::npos) << outcome.said;
            EXPECT_FALSE(fs::exists(path)) << "call " << call;
            EXPECT_EQ(fs::exists(part), outcome.committed > 0) << "call " << call;
            if (outcome.committed == 0) continue;
            EXPECT_NE(outcome.said.find(std::to_string(outcome.committed) +
                                        " committed ops are kept in '" + part.string() + "'"),
                      std::string::npos)
                << outcome.said;
            expect_ops(part, outcome.committed);
            lines += part.string() + '\t' + std::to_string(outcome.committed) + '\n';
            ++kept;
        }
    }
    EXPECT_GT(kept, 20);
    test::write_file(folder / "list", lines);
    const auto checked = test::run_python(kCheck, {(folder / "list").string()});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_EQ(checked.out, "");
}

std::string name_of_way(const ::testing::TestParamInfo<DiskFailure>& way) {
    if (way.param == DiskFailure::kNothingWritten) return "nothing_written";
    return way.param == DiskFailure::kHalfWritten ? "half_written" : "all_written";
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         FailingDisk,
                         ::testing::Values(DiskFailure::kNothingWritten,
                                           DiskFailure::kHalfWritten,
                                           DiskFailure::kAllWritten),
                         name_of_way);

TEST(FailedDump, a_dump_that_cannot_get_its_final_name_stays_under_the_other) {
    const TempDir folder;
    const fs::path path = folder / "a.h5";
    const fs::path part = folder / "a.h5.part.h5";
    Writer writer(path, {});
    for (int64_t op = 1; op <= kOps; ++op)
        writer.write(record_of(op));
    // No rename goes over a folder.
    fs::create_directory(path);
    try {
        writer.close();
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("12 committed ops are kept in '" + part.string()),
                  std::string::npos)
            << error.what();
    }
    expect_ops(part, kOps);
    EXPECT_TRUE(Reader(part).complete());
}

TEST(FailedDump, ops_before_the_one_that_did_not_fit_are_committed) {
    const TempDir folder;
    const fs::path part = folder / "a.h5.part.h5";
    // Ops 4, 8 and 12 are large.
    for (const int64_t fitting : {3, 7, 11}) {
        fs::remove(part);
        const uint64_t capacity = static_cast<uint64_t>(fitting / 4) * 120000 + 100000;
        DiskScript full{.capacity = capacity};
        Writer writer(folder / "a.h5",
                      {.commit_interval = std::chrono::hours(1),
                       .wrap_output = [&](std::unique_ptr<h5::OutputFile> file) {
                           return std::make_unique<DiskDouble>(full, std::move(file));
                       }});
        for (int64_t op = 1; op <= fitting; ++op)
            writer.write(record_of(op));
        EXPECT_EQ(writer.committed_count(), 0);
        try {
            writer.write(record_of(fitting + 1));
            ADD_FAILURE() << "no error";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what())
                          .find("its " + std::to_string(fitting) + " committed ops are kept"),
                      std::string::npos)
                << error.what();
        }
        EXPECT_EQ(static_cast<int64_t>(Reader(part).ops().size()), fitting);
        expect_ops(part, fitting);
    }
}

TEST(FailedDump, of_an_op_that_is_there_already_loses_nothing_else) {
    const TempDir folder;
    Writer writer(folder / "a.h5", {.commit_interval = std::chrono::hours(1)});
    for (const int64_t op : {1, 2, 3})
        writer.write(record_of(op));
    EXPECT_THROW(writer.write(record_of(2)), Error);
    expect_ops(folder / "a.h5.part.h5", 3);
}

TEST(FailedDump, what_a_dump_could_not_show_takes_no_room) {
    const TempDir folder;
    const fs::path part = folder / "a.h5.part.h5";
    DiskScript fault;
    Writer writer(folder / "a.h5",
                  {.commit_interval = std::chrono::hours(1),
                   .wrap_output = [&](std::unique_ptr<h5::OutputFile> file) {
                       return std::make_unique<DiskDouble>(fault, std::move(file));
                   }});
    writer.write(record_of(1));
    writer.commit();
    const auto before = fs::file_size(part);
    for (int64_t op = 2; op <= kOps; ++op)
        writer.write(record_of(op));
    EXPECT_GT(fs::file_size(part), before + 100000);
    fault.has_failed = true;
    EXPECT_THROW(writer.commit(), Error);
    EXPECT_EQ(fs::file_size(part), before);
    expect_ops(part, 1);
}

TEST(Leftover, of_a_dump_that_failed_is_kept_under_a_name_of_its_own) {
    const TempDir folder;
    const fs::path path = folder / "a.h5";
    for (const char* kept : {"", "a_killed.h5", "a_killed_2.h5"}) {
        Writer writer(path, {.commit_interval = std::chrono::hours(1)});
        EXPECT_EQ(writer.leftover().kept_as, *kept == '\0' ? fs::path() : folder / kept);
        EXPECT_EQ(writer.leftover().op_count, *kept == '\0' ? 0 : 2);
        if (*kept != '\0') expect_ops(folder / kept, 2);
        for (const int64_t op : {1, 2})
            writer.write(record_of(op));
        writer.commit();
        EXPECT_THROW(writer.write(record_of(1)), Error);
    }
}

TEST(Leftover, without_committed_ops_goes) {
    const TempDir folder;
    test::write_file(folder / "a.h5.part.h5", "no dump");
    Writer writer(folder / "a.h5", {});
    EXPECT_TRUE(writer.leftover().kept_as.empty());
    writer.write(record_of(1));
    writer.close();
    expect_ops(folder / "a.h5", 1);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace npuscope::dumpfile
