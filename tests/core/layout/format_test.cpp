#include "core/layout/format.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace npuscope::layout {
namespace {

TEST(Format, codes_and_names_are_those_of_the_dump_files) {
    EXPECT_EQ(format_from_code(0), Format::kNCHW);
    EXPECT_EQ(format_from_code(3), Format::kNC1HWC0);
    EXPECT_EQ(format_from_code(29), Format::kFRACTAL_NZ);
    EXPECT_EQ(format_from_name("HWCN"), Format::kHWCN);
    EXPECT_EQ(static_cast<int>(Format::kHWCN), 16);
    EXPECT_EQ(name_of(Format::kNULL_FORMAT), "NULL");
    EXPECT_EQ(static_cast<int>(Format::kMAX), 255);
}

TEST(Format, codes_and_names_are_unique) {
    std::set<int> codes;
    std::set<std::string_view> names;
    for (const FormatInfo& row : all_formats()) {
        EXPECT_TRUE(codes.insert(static_cast<int>(row.format)).second) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(format_from_name(row.name), row.format);
    }
    EXPECT_EQ(codes.size(), 51u);
}

TEST(Format, unknown_codes_and_names_have_none) {
    EXPECT_FALSE(format_from_code(50).has_value());
    EXPECT_FALSE(format_from_code(-1).has_value());
    EXPECT_FALSE(format_from_code(int64_t{1} << 32).has_value());
    EXPECT_FALSE(format_from_name("nchw").has_value());
    EXPECT_FALSE(format_from_name("").has_value());
}

}  // namespace
}  // namespace npuscope::layout
