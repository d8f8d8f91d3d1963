#include "compare/standards/score.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/compare/standards/scored.h"

namespace npuscope::compare {
namespace {

TEST(StandardScore, tells_where_it_is_of_another_mind) {
    // One element of four is far off: 1e-5 is Polygraphy's limit, 1e-3 is given here.
    const Source target = source_of_arrays(
        {{"a", numbers(DType::kFloat32, {1, 2, 3, 4.0002})}, {"b", numbers(DType::kFloat32, {1})}},
        {},
        Arrays::kAlone);
    const Source golden = source_of_arrays(
        {{"a", numbers(DType::kFloat32, {1, 2, 3, 4})}, {"b", numbers(DType::kFloat32, {1})}},
        {},
        Arrays::kAlone);
    Options options;
    options.standard.standard = &standard_named("polygraphy");
    const Result result = compare_sources(target, golden, FixedBounds(1e-3), options);
    ASSERT_TRUE(result.standard);
    EXPECT_EQ(result.standard->word, "FAILED");
    EXPECT_EQ(result.standard->first, "a");
    EXPECT_EQ(result.standard->tensors[static_cast<size_t>(StandardLevel::kPass)], 1);
    ASSERT_EQ(result.standard->disagreements.size(), 1U);
    EXPECT_NE(result.standard->disagreements[0].text.find("polygraphy FAILED, here pass"),
              std::string::npos);
    EXPECT_EQ(result.exit_code(), 0);
}

TEST(StandardScore, says_nothing_where_nobody_asked) {
    const Source one = source_of_arrays({{"a", numbers(DType::kFloat32, {1, 2})}});
    EXPECT_FALSE(compare_sources(one, one).standard);
}

TEST(StandardScore, does_not_judge_what_the_third_recording_lacks) {
    const Source one = source_of_arrays(
        {{"a", numbers(DType::kFloat32, {1, 2})}, {"c", numbers(DType::kFloat32, {1})}},
        {},
        Arrays::kAlone);
    const Source other = source_of_arrays(
        {{"b", numbers(DType::kFloat32, {1, 2})}, {"c", numbers(DType::kFloat32, {1})}},
        {},
        Arrays::kAlone);
    Options options;
    options.standard.standard = &standard_named("cann-L1");
    options.standard.third_source = &other;
    const Result result = compare_sources(one, one, PrecisionBounds(), options);
    EXPECT_EQ(result.ops.at(0).standard.level, StandardLevel::kNotJudged);
    EXPECT_EQ(result.ops.at(0).standard.why, "the third recording has no such op");
    EXPECT_EQ(result.ops.at(1).standard.word, "pass");
}

TEST(Standards, rejects_an_unknown_name_and_lists_the_known) {
    try {
        static_cast<void>(standard_named("cann-L3"));
        FAIL();
    } catch (const Error& failure) {
        EXPECT_STREQ(failure.what(),
                     "there is no standard 'cann-L3'; the standards are cann-L0, cann-L1, cann-L2, "
                     "cann-community, msprobe, polygraphy, torch");
    }
}

}  // namespace
}  // namespace npuscope::compare
