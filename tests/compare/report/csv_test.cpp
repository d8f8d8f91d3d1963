#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/compare/report/small_result.h"

namespace npuscope::compare {
namespace {

TEST(CsvReport, is_the_approved_text) {
    EXPECT_EQ(report_text("csv"), approved("small.csv"));
}

TEST(Reports, are_written_into_a_folder_under_their_names) {
    const test::TempDir folder;
    write_reports(small_result(),
                  {.target = "npu.h5", .golden = "gpu.h5", .options = {}},
                  folder / "new/out");
    EXPECT_EQ(test::read_file(folder / "new/out/result.csv"), approved("small.csv"));
    EXPECT_FALSE(test::read_file(folder / "new/out/verdicts.json").empty());
}

TEST(Reports, rejects_an_unknown_name_and_lists_the_known) {
    std::string known;
    for (const Report* report : all_reports())
        known += (known.empty() ? "" : ", ") + std::string(report->name);
    try {
        static_cast<void>(report_named("pdf"));
        FAIL();
    } catch (const Error& failure) {
        EXPECT_EQ(failure.what(), "there is no report 'pdf'; the reports are " + known);
    }
}

TEST(Reports, rejects_a_folder_that_cannot_be_made) {
    const test::TempDir folder;
    test::write_file(folder / "file", "");
    EXPECT_THROW(write_reports(small_result(), {.options = {}}, folder / "file/out"), Error);
}

}  // namespace
}  // namespace npuscope::compare
