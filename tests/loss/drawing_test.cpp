#include "loss/report/drawing.h"

#include <gtest/gtest.h>

#include "loss/report/plot.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

Comparison compared(const test::TempDir& folder, const std::string& name) {
    std::string golden = "step,loss\n";
    std::string target = "step,loss\n";
    for (int i = 1; i <= 50; ++i) {
        golden += std::to_string(i) + "," + std::to_string(10.0 / (1 + 0.0501 * i)) + "\n";
        target += std::to_string(i) + "," +
                  (i == 40 ? "nan" : std::to_string(10.0 / (1 + 0.0402 * i))) + "\n";
    }
    test::write_file(folder / "a.csv", golden);
    test::write_file(folder / name, target);
    return compare_logs(folder / "a.csv", {folder / name}, {}, {});
}

// Python's XML reader is the judge of what is well formed.
TEST(Drawing, writes_pictures_that_hold_no_foreign_markup) {
    const test::TempDir folder;
    const Comparison comparison = compared(folder, "b<script>&\x1b.csv");
    test::write_file(folder / "x.svg", to_svg(comparison, 0));
    const test::RunResult read = test::run_python(R"(
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
paths = [e for e in root.iter() if e.tag.endswith('path')]
points = [len(p.get('d').replace('M', 'L').split('L')) - 1 for p in paths]
text = open(sys.argv[1]).read()
print(len(paths), points[0], '<script>' in text, '\x1b' in text)
)",
                                                  {folder / "x.svg"});
    ASSERT_EQ(read.exit_code, 0) << read.err;
    EXPECT_EQ(read.out, "4 50 False False\n");
}

TEST(TerminalPlot, is_at_most_80_columns_wide) {
    const test::TempDir folder;
    const Comparison comparison = compared(folder, "b.csv");
    const test::RunResult widths = test::run_python(
        "import sys\nprint(max(len(l) for l in sys.argv[1].splitlines()) <= 80, chr(0x28ff) > "
        "max(sys.argv[1]) > chr(0x2800))",
        {terminal_plot(comparison.golden, comparison.targets[0], false)});
    EXPECT_EQ(widths.out, "True True\n") << widths.err;
    EXPECT_NE(terminal_plot(comparison.golden, comparison.targets[0], true).find("\x1b[31m"),
              std::string::npos);
}

}  // namespace
}  // namespace npuscope::loss
