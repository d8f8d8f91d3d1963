#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(NanCount, counts_the_targets_nans) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(value("nan_count", {kNan, 1, kNan, 2}, {kNan, 1, 1, kNan}), 2);
    EXPECT_EQ(value("nan_count"), 0);
    EXPECT_EQ(value("nan_count", {}, {}), 0);
}

TEST(NanCount, of_identical_tensors_is_best) {
    expect_best_for_identical("nan_count");
}

}  // namespace
}  // namespace npuscope::compare::test
