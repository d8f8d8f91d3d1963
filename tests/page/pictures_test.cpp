#include "page/pictures.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/tensor/element_source.h"

namespace npuscope::page {
namespace {

using nlohmann::ordered_json;

ordered_json pictures(const Tensor& target, const Tensor& golden) {
    return pictures_of(TensorElements(target), TensorElements(golden));
}

// By hand: errors of 1 at [0,1] and of 3 at [1,1]; three quarters of them in row 1, all in
// column 1.
TEST(Pictures, tell_where_errors_lie) {
    const Tensor golden = Tensor::from<float>({2, 3}, {0, 1, 2, 3, 4, 8});
    const Tensor target = Tensor::from<float>({2, 3}, {0, 2, 2, 3, 7, 8});
    const ordered_json made = pictures(target, golden);
    EXPECT_EQ(made["axes"][0]["top"][0], (ordered_json{{"at", 1}, {"share", 0.75}}));
    EXPECT_EQ(made["axes"][1]["top"], ordered_json::array({{{"at", 1}, {"share", 1.0}}}));
    ASSERT_EQ(made["maps"].size(), 1u);
    EXPECT_EQ(made["maps"][0]["values"], ordered_json::parse("[[0.0,1.0,0.0],[0.0,3.0,0.0]]"));
    EXPECT_EQ(made["worst"][0]["place"], "[1,1]");
    EXPECT_EQ(made["worst"][0]["target"], 7.0);
    EXPECT_EQ(made["worst"].size(), 2u);
}

// 64 bins from 0 to 64: each whole number in its own, the highest in the last.
TEST(Pictures, count_values_and_errors) {
    std::vector<float> values(65);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i);
    const Tensor golden = Tensor::from<float>({65}, values);
    values[0] = 10;
    values[64] = 63;
    const ordered_json made = pictures(Tensor::from<float>({65}, values), golden);
    EXPECT_EQ(made["values"]["low"], 0.0);
    EXPECT_EQ(made["values"]["high"], 64.0);
    EXPECT_EQ(made["values"]["golden"][63], 2);
    EXPECT_EQ(made["values"]["golden"][10], 1);
    EXPECT_EQ(made["values"]["target"][0], 0);
    EXPECT_EQ(made["values"]["target"][10], 2);
    // log10 of 10 and of 1.
    EXPECT_EQ(made["errors"]["low"], 0.0);
    EXPECT_EQ(made["errors"]["high"], 1.0);
    EXPECT_EQ(made["errors"]["counts"][0], 1);
    EXPECT_EQ(made["errors"]["counts"][63], 1);
}

TEST(Pictures, keep_what_is_not_finite_apart) {
    const float inf = std::numeric_limits<float>::infinity();
    const Tensor golden = Tensor::from<float>({4}, {1, inf, std::nanf(""), 2});
    const Tensor target = Tensor::from<float>({4}, {1, inf, std::nanf(""), inf});
    const ordered_json made = pictures(target, golden);
    EXPECT_FALSE(made.contains("errors"));
    EXPECT_EQ(made["worst"].size(), 1u);
    EXPECT_EQ(made["worst"][0]["target"], "inf");
    EXPECT_TRUE(made["maps"][0]["values"][0][3].is_null());
    EXPECT_EQ(made["maps"][0]["rows"], -1);
}

TEST(Pictures, of_equal_tensors_hold_no_errors) {
    const Tensor one = Tensor::from<float>({3}, {1, 2, 3});
    const ordered_json made = pictures(one, one);
    EXPECT_TRUE(made.contains("values"));
    for (const char* part : {"errors", "worst", "maps", "axes"})
        EXPECT_FALSE(made.contains(part)) << part;
}

TEST(Pictures, cut_long_axes_into_parts) {
    std::vector<float> values(100 * 100, 0);
    const Tensor golden = Tensor::from<float>({100, 100}, values);
    values[99 * 100 + 99] = 1;
    const ordered_json made = pictures(Tensor::from<float>({100, 100}, values), golden);
    const ordered_json& map = made["maps"][0];
    EXPECT_EQ(map["row_group"], 4);
    EXPECT_EQ(map["column_group"], 3);
    EXPECT_EQ(map["values"].size(), 25u);
    EXPECT_EQ(map["values"][0].size(), 34u);
    EXPECT_EQ(map["values"][24][33], 1.0);
}

}  // namespace
}  // namespace npuscope::page
