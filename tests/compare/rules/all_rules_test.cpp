#include <set>

#include <gtest/gtest.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {
namespace {

TEST(Rules, are_named_once_and_say_what_they_mean) {
    std::set<std::string_view> names;
    for (const Rule* rule : all_rules()) {
        EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
        EXPECT_FALSE(rule->meaning.empty()) << rule->name;
    }
}

TEST(Rules, the_last_one_applies_where_no_other_does) {
    Sums sums;
    sums.numel = sums.pairs = 1;
    sums.max_abs_t = sums.max_abs_g = 1;
    const Bound bound{.tolerance = 1};
    for (const Rule* rule : all_rules())
        EXPECT_EQ(rule->applies({sums, bound}), rule == all_rules().back()) << rule->name;
}

}  // namespace
}  // namespace npuscope::compare
