#include "core/base/csv_line.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

const std::vector<std::string> kCells = {
    "plain", "a,b", "say \"no\"", "two\nlines", "", "\xC3\xA9"};

TEST(CsvLine, quotes_only_what_needs_it_and_doubles_quotes) {
    EXPECT_EQ(csv_line(kCells), "plain,\"a,b\",\"say \"\"no\"\"\",\"two\nlines\",,\xC3\xA9\r\n");
}

TEST(CsvLine, is_read_back_by_pythons_csv_module) {
    const test::TempDir folder;
    test::write_file(folder / "t.csv", csv_line(kCells));
    const test::RunResult python = test::run_python(
        "import csv,sys\n"
        "rows=list(csv.reader(open(sys.argv[1],newline='',encoding='utf-8')))\n"
        "assert rows==[['plain','a,b','say \"no\"','two\\nlines','','\\xe9']],rows",
        {(folder / "t.csv").string()});
    EXPECT_EQ(python.exit_code, 0) << python.err;
}

TEST(CsvSafe, defuses_what_a_spreadsheet_would_run) {
    for (const std::string formula : {"=1+1",
                                      "+Foo",
                                      "-cmd",
                                      "@SUM",
                                      "%x",
                                      "\xEF\xBC\x9D"
                                      "1",
                                      "\xEF\xBC\x8B"
                                      "1",
                                      "\xEF\xBC\x8D"
                                      "x",
                                      "a;=1",
                                      "-",
                                      "-1x",
                                      "\t=1+1",
                                      "\r\n@SUM",
                                      "a;\t=1"})
        EXPECT_EQ(csv_safe(formula), "'" + formula);
}

TEST(CsvSafe, leaves_numbers_and_plain_text_alone) {
    for (const std::string plain : {"-1.5",
                                    "+3",
                                    "-0.000000",
                                    "-inf",
                                    "-nan",
                                    "-1e-5",
                                    "text",
                                    "",
                                    "a;b",
                                    "a-b",
                                    "(-0.1;1.0),(-0.2;0.5)",
                                    "/+Foo/1",
                                    "\ttext",
                                    "\t"})
        EXPECT_EQ(csv_safe(plain), plain);
}

}  // namespace
}  // namespace npuscope
