#include "compare/dataflow/drift.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

Relation edited(double distance) {
    return {.likeness = Likeness::kEdited, .text = "some elements differ", .distance = distance};
}

TEST(Drift, is_that_most_parameters_are_off_by_little) {
    const Drift drift = drift_of({.all = 8, .rounded = 0}, {1e-3, 2e-3, 1e-3, 3e-3, 0.02});
    EXPECT_TRUE(drift.takes_in(edited(0.015)));
    EXPECT_FALSE(drift.takes_in(edited(0.04)));  // more than 16 times the middle one
    EXPECT_NE(drift.remark.find("5 of 8 parameters"), std::string::npos) << drift.remark;
}

TEST(Drift, counts_what_is_off_by_rounding) {
    EXPECT_GT(drift_of({.all = 20, .rounded = 8}, {1e-2, 2e-2, 1e-2}).most, 0);
    EXPECT_EQ(drift_of({.all = 20, .rounded = 0}, {1e-2, 2e-2, 1e-2}).most, 0);
}

TEST(Drift, is_not_told_by_one_parameter_or_two) {
    EXPECT_EQ(drift_of({.all = 2, .rounded = 0}, {1e-2, 2e-2}).most, 0);
    EXPECT_EQ(drift_of({.all = 4, .rounded = 3}, {1e-2}).most, 0);
}

TEST(Drift, is_none_where_nothing_trains) {
    const Drift drift =
        drift_of({.all = 8, .rounded = 0, .are_trained = false}, {1e-3, 2e-3, 1e-3, 3e-3});
    EXPECT_EQ(drift.most, 0);
    EXPECT_NE(drift.remark.find("4 of 8 parameters are not the golden's"), std::string::npos);
    EXPECT_EQ(drift_of({.all = 8, .rounded = 0, .are_trained = false}, {1e-3}).remark, "");
}

TEST(Drift, moves_no_elements_and_makes_no_other_tensor) {
    const Drift drift = drift_of({.all = 3, .rounded = 0}, {0.2, 0.2, 0.2});
    EXPECT_FALSE(drift.takes_in({.likeness = Likeness::kMoved, .text = "", .distance = 0.1}));
    EXPECT_FALSE(drift.takes_in({.likeness = Likeness::kOther, .text = "", .distance = 1.4}));
    EXPECT_TRUE(drift.takes_in({.likeness = Likeness::kOther, .text = "", .distance = 0.24}));
}

}  // namespace
}  // namespace npuscope::compare
