#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "tests/overflow/detectors/subject.h"

namespace npuscope::overflow {
namespace {

TEST(Detectors, each_row_is_documented_and_named_once) {
    std::set<std::string_view> names;
    for (const Detector* detector : all_detectors()) {
        EXPECT_TRUE(names.insert(detector->name).second) << detector->name;
        EXPECT_FALSE(detector->meaning.empty()) << detector->name;
        EXPECT_FALSE(detector->unit.empty()) << detector->name;
        EXPECT_FALSE(detector->source.empty()) << detector->name;
        EXPECT_EQ(detector->severity == Severity::kRemark, !detector->title.empty())
            << detector->name;
        EXPECT_EQ(detector->title.empty(), detector->key.empty()) << detector->name;
        EXPECT_EQ(find_detector(detector->name), detector);
    }
    EXPECT_EQ(find_detector("no such"), nullptr);
}

TEST(Detectors, report_what_they_find_in_table_order) {
    const auto findings = detect(test::half_subject({INFINITY, NAN, 0x1p-24F}));
    ASSERT_EQ(findings.size(), 3U);
    EXPECT_EQ(findings[0].detector->name, "inf");
    EXPECT_EQ(findings[1].detector->name, "nan");
    EXPECT_EQ(findings[2].detector->name, "subnormal");
    EXPECT_TRUE(detect(test::half_subject({1, 2})).empty());
}

}  // namespace
}  // namespace npuscope::overflow
