#include "compare/verdict.h"

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::compare {
namespace {

/// A line of the page's table of verdicts.
struct Described {
    std::string verdict;
    bool is_finding = false;
};

std::vector<Described> described_verdicts() {
    std::istringstream page(test::read_file(test::source_dir() / "docs/verdicts.md"));
    std::string line;
    while (std::getline(page, line) && !line.starts_with("| verdict | when |")) {
    }
    std::getline(page, line);  // the ruler
    std::vector<Described> rows;
    const std::regex row(R"(\| (\w+) \| .* \| (yes|no) \|)");
    std::smatch cells;
    while (std::getline(page, line) && std::regex_match(line, cells, row))
        rows.push_back({cells[1], cells[2] == "yes"});
    EXPECT_EQ(line, "") << "a line of the table that says neither yes nor no";
    return rows;
}

TEST(Verdict, is_described_by_the_page_as_it_is) {
    const std::vector<Described> rows = described_verdicts();
    ASSERT_EQ(rows.size(), static_cast<size_t>(Verdict::kFail) + 1);
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto verdict = static_cast<Verdict>(i);
        EXPECT_EQ(rows[i].verdict, name_of(verdict));
        EXPECT_EQ(rows[i].is_finding, is_finding(verdict)) << rows[i].verdict;
    }
}

TEST(Verdict, names_are_the_documented_ones_and_findings_are_what_differs) {
    EXPECT_EQ(name_of(Verdict::kPass), "pass");
    EXPECT_EQ(name_of(Verdict::kOutOfRange), "out_of_range");
    EXPECT_EQ(name_of(Verdict::kMissingGolden), "missing_golden");
    EXPECT_FALSE(is_finding(Verdict::kPass));
    EXPECT_FALSE(is_finding(Verdict::kMistrusted));
    EXPECT_FALSE(is_finding(Verdict::kUndefined));
    for (const Verdict verdict : {Verdict::kMissingTarget,
                                  Verdict::kMissingGolden,
                                  Verdict::kIncomparable,
                                  Verdict::kOutOfRange,
                                  Verdict::kFail})
        EXPECT_TRUE(is_finding(verdict));
}

TEST(Verdict, of_a_golden_at_fault_alone_may_be_allowed) {
    EXPECT_TRUE(is_finding(Verdict::kGoldenAtFault));
    EXPECT_TRUE(is_finding(Verdict::kGoldenAtFault, false));
    EXPECT_FALSE(is_finding(Verdict::kGoldenAtFault, true));
    EXPECT_TRUE(is_finding(Verdict::kFail, true));
}

}  // namespace
}  // namespace npuscope::compare
