#include "npu_backend/ops/op.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/npu_backend/op_rows.h"

namespace npuscope::backend {

extern const std::span<const OpRow> k_randoms_ops;

namespace {

TEST(OpTable, has_unique_documented_rows) {
    std::set<std::string> names;
    for (const Op& op : all_ops()) {
        EXPECT_TRUE(names.insert(op.name()).second) << op.name();
        EXPECT_FALSE(op.row->kernels.empty()) << op.name();
        EXPECT_FALSE(op.schema.results.empty()) << op.name();
        const std::string_view source = op.row->source;
        EXPECT_TRUE(source == "spec" || source == "table" || source == "indirect" ||
                    source == "ours")
            << op.name();
        EXPECT_NE(op.row->lower, nullptr) << op.name();
    }
}

TEST(OpTable, every_row_has_a_recorded_case) {
    const std::set<std::string> recorded = npuscope::test::ops_with_cases();
    // Random ops have no recorded results; randoms_test.cpp holds their distributions.
    const std::vector<std::string> random = npuscope::test::names_of(k_randoms_ops);
    for (const Op& op : all_ops())
        EXPECT_TRUE(recorded.contains(op.name()) || std::ranges::count(random, op.name()) != 0)
            << op.name();
}

TEST(OpTable, finds_the_nearest_name) {
    EXPECT_EQ(nearest_op_name("rellu"), "relu");
    EXPECT_EQ(nearest_op_name("convolutions"), "convolution");
    EXPECT_EQ(find_op("rellu"), nullptr);
}

}  // namespace
}  // namespace npuscope::backend
