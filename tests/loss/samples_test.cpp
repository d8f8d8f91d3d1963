// Logs of small models with planted changes (data/loss): read from their files, and called what was
// changed.
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "loss/report/report.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

TEST(Samples, are_called_what_was_changed) {
    const std::filesystem::path folder = test::source_dir() / "data/loss";
    std::ifstream truths(folder / "truth.txt");
    std::string name;
    std::string truth;
    std::string precision;
    std::map<std::string, int> formats;
    int samples = 0;
    while (truths >> name >> truth >> precision) {
        Options options;
        options.precision = precision_named(precision);
        const Comparison comparison = compare_logs(
            folder / (name + ".golden.log"), {folder / (name + ".target.log")}, {}, options);
        const Verdict& verdict = comparison.targets[0].verdict;
        EXPECT_EQ(row_of(verdict.kind).name, truth) << name << ": " << verdict.headline;
        EXPECT_EQ(verdict.common, 160U);
        ++formats[comparison.golden.format];
        ++samples;
    }
    EXPECT_EQ(samples, 10);
    EXPECT_EQ(formats.size(), 3U);
}

}  // namespace
}  // namespace npuscope::loss
