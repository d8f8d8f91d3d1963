#include "msaccucmp/columns/advisor.h"

#include <sstream>

#include <gtest/gtest.h>

namespace npuscope::msaccucmp {
namespace {

const std::vector<std::string> kColumns = {"Index", "NPUDump", "CosineSimilarity"};

Advice advice_for(const std::vector<std::string>& cosines,
                  const std::vector<std::string>& columns = kColumns) {
    std::vector<Row> rows;
    for (const std::string& cosine : cosines) {
        const auto index = static_cast<int64_t>(rows.size()) + 10;
        rows.push_back({.index = index, .cells = {std::to_string(index), "Op", cosine}});
    }
    std::ostringstream out;
    Log log(out);
    return advise(columns, rows, log);
}

TEST(Advise, names_the_first_low_row) {
    const Advice advice = advice_for({"1.000000", "NaN", "0.98", "0.5", "0.97"});
    EXPECT_EQ(advice.type, "Global Consistency");
    EXPECT_EQ(advice.index, "12");
}

TEST(Advise, tells_a_low_last_row_from_a_good_one) {
    const std::string problem = advice_for({"0.5", "0.5"}).text;
    const std::string deviation = advice_for({"0.5", "0.99", "nan"}).text;
    EXPECT_NE(problem, deviation);
    EXPECT_NE(deviation.find("the last one does not"), std::string::npos);
}

TEST(Advise, finds_nothing_wrong_from_099_on) {
    const Advice advice = advice_for({"0.99", "1.0"});
    EXPECT_EQ(advice.type, "Global Consistency");
    EXPECT_EQ(advice.index, "NA");
}

TEST(Advise, has_nothing_to_say_without_numbers) {
    EXPECT_EQ(advice_for({"NaN", "nan"}).type, "NA");
    EXPECT_EQ(advice_for({"1.0"}, {"Index", "NPUDump", "MaxAbsoluteError"}).type, "NA");
}

}  // namespace
}  // namespace npuscope::msaccucmp
