// msaccucmp against recorded runs of the reference tool (tests/golden/msaccucmp/README.md).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using Table = std::vector<std::vector<std::string>>;

/// A strict reader of CRLF lines with doubled quotes.
Table parse_csv(const std::string& text) {
    Table table;
    std::vector<std::string> row(1);
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            row.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && c == ',') {
            row.emplace_back();
        } else if (!quoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            table.push_back(std::move(row));
            row.assign(1, "");
            ++i;
        } else {
            row.back() += c;
        }
    }
    EXPECT_TRUE(row.size() == 1 && row[0].empty()) << "the last line is not ended by CRLF";
    return table;
}

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::source_dir() / "tests/golden/msaccucmp"))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::filesystem::path> result_in(const std::filesystem::path& folder) {
    if (!std::filesystem::exists(folder)) return std::nullopt;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().filename().string().starts_with("result_") &&
            entry.path().extension() == ".csv")
            return entry.path();
    return std::nullopt;
}

bool same_cell(const std::string& column, const std::string& ours, const std::string& recorded) {
    if (ours == recorded) return true;
    if (column == "CompareFailReason") return ours.empty() == recorded.empty();
    if (column != "KullbackLeiblerDivergence") return false;
    constexpr double kLastDigit = 1.000001e-6;
    try {
        return std::fabs(std::stod(ours) - std::stod(recorded)) <= kLastDigit;
    } catch (const std::exception&) {
        return false;
    }
}

void expect_same_table(const Table& ours, const Table& recorded) {
    ASSERT_FALSE(ours.empty());
    EXPECT_EQ(ours.front(), recorded.front());
    ASSERT_EQ(ours.size(), recorded.size());
    for (size_t row = 1; row < ours.size(); ++row) {
        ASSERT_EQ(ours[row].size(), recorded[row].size()) << "row " << row;
        for (size_t i = 0; i < ours[row].size(); ++i)
            EXPECT_TRUE(same_cell(ours.front()[i], ours[row][i], recorded[row][i]))
                << "row " << row << ", " << ours.front()[i] << ": " << ours[row][i]
                << " instead of " << recorded[row][i];
    }
}

class RecordedRun : public testing::TestWithParam<std::string> {};

TEST_P(RecordedRun, is_reproduced) {
    const auto folder = test::source_dir() / "tests/golden/msaccucmp" / GetParam();
    const auto recorded = nlohmann::json::parse(test::read_file(folder / "case.json"));
    const test::TempDir temp;
    const auto out = temp / "out";
    std::vector<std::string> command = {test::program("msaccucmp"),
                                        "compare",
                                        "-m",
                                        (folder / "my.h5").string(),
                                        "-g",
                                        (folder / "golden.h5").string(),
                                        "-out",
                                        out.string()};
    for (const std::string argument : recorded["args"])
        command.push_back(argument);
    const test::RunResult run = test::run(command);
    const auto result = result_in(out);
    EXPECT_EQ(run.err.find("HDF5-DIAG"), std::string::npos) << run.err;

    if (recorded["policy"] == "improve") {
        EXPECT_EQ(run.exit_code, 0) << run.err;
        ASSERT_TRUE(result.has_value());
        EXPECT_EQ(parse_csv(test::read_file(*result)).size(), recorded["rows"].get<size_t>() + 1);
        return;
    }
    EXPECT_EQ(run.exit_code, recorded["exit_code"].get<int>()) << run.err;
    ASSERT_EQ(result.has_value(), recorded["writes_csv"].get<bool>()) << run.err;
    if (!result) return;
    struct stat status {};
    ASSERT_EQ(::stat(result->c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
    expect_same_table(parse_csv(test::read_file(*result)),
                      parse_csv(test::read_file(folder / "expected.csv")));
}

INSTANTIATE_TEST_SUITE_P(Msaccucmp,
                         RecordedRun,
                         testing::ValuesIn(case_names()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace npuscope
