#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(InfCount, counts_the_targets_infinities_of_both_signs) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(value("inf_count", {kInf, 1, -kInf, 2}, {kInf, 1, 1, kInf}), 2);
    EXPECT_EQ(value("inf_count"), 0);
    EXPECT_EQ(value("inf_count", {}, {}), 0);
}

TEST(InfCount, of_identical_tensors_is_best) {
    expect_best_for_identical("inf_count");
}

}  // namespace
}  // namespace npuscope::compare::test
