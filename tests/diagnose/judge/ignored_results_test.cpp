#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {
namespace {

RecordedResult result_of(std::initializer_list<float> elements, const char* slice) {
    RecordedResult result{.argument = "result", .name = "result", .elements = {}};
    result.elements = Tensor::from<float>({static_cast<int64_t>(elements.size())}, elements);
    auto ignored = std::make_shared<IgnoredElements>(result.elements.shape());
    EXPECT_TRUE(ignored->add(Slice(slice)));
    result.ignored = std::move(ignored);
    return result;
}

TEST(JudgedElements, are_zero_on_both_sides_where_they_are_ignored) {
    const RecordedResult result = result_of({1, 1e30F, 3, 4}, "1:3");
    const std::vector<double> expected = {1, 2, std::numeric_limits<double>::infinity(), 4.5};
    const JudgedElements judged(result, expected);
    EXPECT_EQ(judged.expected()[1], 0);
    EXPECT_EQ(judged.expected()[2], 0);
    EXPECT_EQ(judged.recorded().at(1), 0);
    EXPECT_EQ(judged.recorded().at(3), 4);
    // The recorded tensor stays as it is.
    EXPECT_EQ(result.elements.at(2), 3);
}

TEST(JudgedElements, are_in_no_error) {
    const RecordedResult result = result_of({1, 1e30F, 3, 4}, "1:3");
    // The second leaves float16's range, the third is no number.
    const std::vector<double> expected = {1, 1e9, std::numeric_limits<double>::quiet_NaN(), 4.5};
    const std::vector<double> allowed = {0.1, 0.1, 0.1, 0.1};
    compare::Introduced error = measure_error(result, expected, kFloat16, allowed);
    EXPECT_DOUBLE_EQ(error.ratio, 5);
    EXPECT_EQ(error.overflowed, 0);
    describe(result, expected, allowed, error);
    EXPECT_EQ(error.over, 1);
    ASSERT_EQ(error.worst.size(), 1U);
    EXPECT_EQ(error.worst.front().index, 3);
    leave_out_ignored(result, error);
    EXPECT_EQ(error.numel, 2);
}

}  // namespace
}  // namespace npuscope::diagnose
