#include "core/recording/tree.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/recording/source.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

void put(const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    test::write_file(file, R"({"data": {}})");
}

std::string listed(const std::filesystem::path& path) {
    std::string text;
    for (const RecordedRun& run : recorded_runs(path))
        text += run.text() + ";";
    return text;
}

TEST(RecordedRuns, are_listed_by_step_and_rank_in_the_order_of_their_numbers) {
    const test::TempDir folder;
    for (const std::string run : {"step10/rank0", "step2/rank10", "step2/rank9", "step2/proc77"})
        put(folder / ("tree/" + run + "/dump.json"));
    put(folder / "tree/step2/rank9/dump_tensor_data/dump.json");
    EXPECT_EQ(listed(folder / "tree"),
              "step 2, proc77;step 2, rank9;step 2, rank10;step 10, rank0;");
    EXPECT_EQ(listed(folder / "tree/step2"), "step 2, proc77;step 2, rank9;step 2, rank10;");
    EXPECT_EQ(listed(folder / "tree/step2/rank9"), "rank9;");
    EXPECT_EQ(recorded_runs(folder / "tree/step2/rank9")[0].path.filename(), "dump.json");
    put(folder / "mind/PyNative/step0/rank1/dump.json");
    EXPECT_EQ(listed(folder / "mind"), "step 0, rank1;");
}

TEST(RecordedRuns, of_kernels_have_the_time_above_the_device) {
    const test::TempDir folder;
    put(folder / "tree/step0/20241201103000/0/Add.add.1.2.3");
    put(folder / "tree/step1/20241201103500/0/Add.add.1.2.3");
    EXPECT_EQ(listed(folder / "tree"), "step 0, device0;step 1, device0;");
    EXPECT_EQ(recorded_runs(folder / "tree")[1].path.filename(), "0");
}

TEST(RecordedRuns, of_anything_else_are_the_path_itself) {
    const test::TempDir folder;
    test::write_file(folder / "a.h5", "");
    EXPECT_EQ(recorded_runs(folder / "a.h5")[0].path, folder / "a.h5");
    EXPECT_EQ(recorded_runs(folder.path())[0].path, folder.path());
    EXPECT_EQ(recorded_runs(folder / "missing")[0].path, folder / "missing");
}

TEST(RecordedRuns, are_files_that_are_called_by_ranks) {
    const test::TempDir folder;
    for (const char* name :
         {"rank10.h5", "rank2.h5", "rank0.h5", "rank.h5", "rankx.h5", "other.h5"})
        test::write_file(folder / name, "x");
    EXPECT_EQ(listed(folder.path()), "rank0;rank2;rank10;");
    EXPECT_EQ(recorded_runs(folder.path())[1].path, folder / "rank2.h5");
}

TEST(RecordedRuns, do_not_follow_links_and_one_must_be_named_to_be_opened) {
    const test::TempDir folder;
    put(folder / "tree/step0/rank0/dump.json");
    std::filesystem::create_directory_symlink(folder / "tree", folder / "tree/step0/step1");
    EXPECT_EQ(listed(folder / "tree"), "step 0, rank0;");
    EXPECT_EQ(open_source(folder / "tree").ops.size(), 0u);
    put(folder / "tree/step1/rank0/dump.json");
    try {
        static_cast<void>(open_source(folder / "tree"));
        FAIL();
    } catch (const Error& failure) {
        EXPECT_NE(std::string(failure.what()).find("holds 2 recorded runs; name one"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace npuscope
