#include "compare/run_noise.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::compare {
namespace {

constexpr const char* kTree = R"({"version": 1, "tree": [
    {"step": 0, "rank": "rank0", "version": 1, "runs": 2, "noise": {"a": 1.0}},
    {"step": null, "rank": "rank1", "version": 1, "runs": 1, "noise": {"a": 3.0}}]})";

TEST(RunNoise, is_by_step_and_rank) {
    const RunNoise noise(kTree, "n.json");
    EXPECT_EQ(noise.of({.step = 0, .rank = "rank0"}).floor("a"), kNoiseTimes * 1);
    EXPECT_EQ(noise.of({.step = {}, .rank = "rank1"}).floor("a"), kNoiseTimes * 3);
    EXPECT_EQ(noise.of({.step = 1, .rank = "rank0"}).floor("a"), 0);
    EXPECT_EQ(noise.size(), 2U);
    const RunNoise again(noise.to_json(), "again");
    EXPECT_EQ(again.of({.step = 0, .rank = "rank0"}).runs(), 2);
    EXPECT_EQ(again.to_json(), noise.to_json());
}

TEST(RunNoise, of_one_run_is_of_all) {
    RunNoise noise(R"({"version": 1, "runs": 2, "noise": {"a": 1.0}})", "n.json");
    EXPECT_EQ(noise.of({.step = 7, .rank = "rank0"}).floor("a"), kNoiseTimes * 1);
    EXPECT_EQ(noise.to_json(),
              Noise(R"({"version": 1, "runs": 2, "noise": {"a": 1.0}})", "").to_json());
    noise.merge(RunNoise(kTree, "n.json"));
    EXPECT_EQ(noise.of({.step = {}, .rank = "rank1"}).floor("a"), kNoiseTimes * 3);
}

TEST(RunNoise, rejects_what_is_no_such_file) {
    for (const char* text : {"",
                             "{}",
                             R"({"version": 1, "tree": 1})",
                             R"({"version": 1, "tree": [{"step": 0, "rank": "r"}]})",
                             R"({"version": 1, "tree": [{"step": "0", "rank": "r"}]})"})
        EXPECT_THROW(RunNoise(text, "n.json"), Error) << text;
}

}  // namespace
}  // namespace npuscope::compare
