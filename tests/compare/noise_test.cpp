#include "compare/noise.h"

#include <cmath>

#include <gtest/gtest.h>

#include "compare/compare.h"
#include "core/base/error.h"
#include "core/recording/source.h"
#include "tests/compare/dumps.h"

namespace npuscope::compare {
namespace {

Source arrays(float a, float b) {
    return source_of_arrays(
        {{"a", vector_of({1, a})}, {"b", vector_of({1, b})}}, {}, Arrays::kAlone);
}

Result with_noise(const Source& target, const Source& golden, const Noise& noise) {
    const PrecisionBounds plain;
    return compare_sources(target, golden, NoisyBounds(plain, noise));
}

TEST(Noise, is_twice_the_largest_difference_of_repetitions) {
    const Source golden = arrays(2, 4);
    Noise noise;
    noise.add(compare_sources(arrays(2.5f, 4), golden));
    noise.add(compare_sources(arrays(1.75f, 4), golden));
    EXPECT_EQ(noise.runs(), 2);
    EXPECT_EQ(noise.floor("a"), 1);
    EXPECT_EQ(noise.floor("b"), 0);
    EXPECT_EQ(noise.floor("c"), 0);
    EXPECT_EQ(with_noise(arrays(2.9f, 4), golden, noise).exit_code(), 0);
    EXPECT_EQ(with_noise(arrays(3.1f, 4), golden, noise).exit_code(), 1);
    EXPECT_EQ(with_noise(arrays(2, 4.1f), golden, noise).exit_code(), 1);
    // Written and read it is the same.
    const Noise again(noise.to_json(), "n.json");
    EXPECT_EQ(again.floor("a"), 1);
    EXPECT_EQ(again.runs(), 2);
}

TEST(Noise, of_two_files_is_the_larger) {
    Noise one(R"({"version": 1, "runs": 1, "noise": {"a": 0.5, "b": "inf"}})", "n.json");
    one.merge(Noise(R"({"version": 1, "runs": 2, "noise": {"a": 0.75, "c": 0}})", "m.json"));
    EXPECT_EQ(one.floor("a"), 1.5);
    EXPECT_TRUE(std::isinf(one.floor("b")));
    EXPECT_EQ(one.runs(), 3);
}

TEST(Noise, rejects_what_is_no_such_file) {
    for (const char* text : {"",
                             "[]",
                             "{}",
                             R"({"version": 2, "runs": 1, "noise": {}})",
                             R"({"runs": 1, "noise": {}})",
                             R"({"version": 1, "noise": {}})",
                             R"({"version": 1, "runs": -1, "noise": {}})",
                             R"({"version": 1, "runs": 1, "noise": []})",
                             R"({"version": 1, "runs": 1, "noise": {"a": -1}})",
                             R"({"version": 1, "runs": 1, "noise": {"a": "nan"}})",
                             R"({"version": 1, "runs": 1, "noise": {"a": null}})"}) {
        try {
            const Noise noise(text, "n.json");
            FAIL() << text;
        } catch (const Error& failure) {
            EXPECT_EQ(std::string(failure.what()).rfind("'n.json' is no file of noise: ", 0), 0U);
        }
    }
}

}  // namespace
}  // namespace npuscope::compare
