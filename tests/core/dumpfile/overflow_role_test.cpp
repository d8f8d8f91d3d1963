#include "core/dumpfile/overflow_role.h"

#include <gtest/gtest.h>

namespace npuscope::dumpfile {
namespace {

TEST(OverflowRole, blames_an_op_that_raised_on_undamaged_inputs) {
    EXPECT_EQ(overflow_role({.raised = true}), OverflowRole::kIntroduced);
}

TEST(OverflowRole, blames_an_op_that_raises_on_the_goldens_inputs_too) {
    EXPECT_EQ(overflow_role({.raised = true, .damaged_inputs = true, .raised_on_golden = true}),
              OverflowRole::kIntroduced);
    EXPECT_EQ(overflow_role({.raised = true, .damaged_inputs = true}), OverflowRole::kReceived);
}

TEST(OverflowRole, tells_who_only_received_it) {
    EXPECT_EQ(overflow_role({.damaged_inputs = true}), OverflowRole::kReceived);
    EXPECT_EQ(overflow_role({.damaged_inputs = true, .raised_on_golden = true}),
              OverflowRole::kReceived);
    EXPECT_EQ(overflow_role({}), OverflowRole::kNone);
}

TEST(OverflowRole, has_the_words_of_the_reports) {
    EXPECT_EQ(name_of(OverflowRole::kNone), "");
    EXPECT_EQ(name_of(OverflowRole::kIntroduced), "introduced");
    EXPECT_EQ(name_of(OverflowRole::kReceived), "received");
}

}  // namespace
}  // namespace npuscope::dumpfile
