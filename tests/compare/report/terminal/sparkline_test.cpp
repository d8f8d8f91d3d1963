#include "compare/report/terminal/sparkline.h"

#include <cmath>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

TEST(Sparkline, shows_powers_of_ten) {
    EXPECT_EQ(sparkline({0.0, 1e-4, 1e-3, 0.02, 0.9, 1.0, 2.0, 40.0, std::nullopt}, 80, false),
              "▁▁▂▄▆▆▇█ ");
    EXPECT_EQ(sparkline({std::nan("")}, 80, false), "█");
}

TEST(Sparkline, keeps_the_worst_of_each_column) {
    std::vector<std::optional<double>> ratios(1000, 0.0);
    ratios[503] = 50;
    const std::string line = sparkline(ratios, 10, false);
    EXPECT_EQ(line, "▁▁▁▁▁█▁▁▁▁");
}

TEST(Sparkline, paints_what_is_beyond) {
    EXPECT_EQ(sparkline({0.0, 3.0, 0.0}, 80, true), "▁\x1b[31m▇\x1b[0m▁");
    EXPECT_EQ(sparkline({}, 80, true), "");
}

}  // namespace
}  // namespace npuscope::compare
