#include "diagnose/run/op_profile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "npu_backend/executor.h"

namespace npuscope::diagnose {
namespace {

/// Every look at the clock is one millisecond later.
OpProfile::Clock ticking() {
    return [now = 0.0]() mutable { return now += 0.001; };
}

TEST(OpProfile, counts_calls_and_adds_their_times) {
    Executor executor(chip("910A"));
    OpProfile profile(executor, ticking());
    const Tensor x = Tensor::from<float>({2}, {1, -1});
    executor.call("relu", {x});
    executor.call("relu", {x});
    executor.call("exp", {x});
    const std::vector<ProfileRow> rows = profile.rows();
    ASSERT_GE(rows.size(), 4u);
    // An op's begin, its kernel's begin and end, its end: three ticks, of which the kernel has one.
    EXPECT_EQ(rows[0].name, "relu");
    EXPECT_FALSE(rows[0].kernel);
    EXPECT_EQ(rows[0].calls, 2);
    EXPECT_NEAR(rows[0].seconds, 0.006, 1e-12);
    EXPECT_EQ(rows[1].name, "exp");
    EXPECT_EQ(rows[2].name, "Relu");
    EXPECT_TRUE(rows[2].kernel);
    EXPECT_NEAR(rows[2].seconds, 0.002, 1e-12);
    EXPECT_NE(profile.table().find("66.7%        2  relu"), std::string::npos) << profile.table();
}

TEST(OpProfile, writes_complete_events_in_microseconds) {
    Executor executor(chip("910A"));
    OpProfile profile(executor, ticking());
    executor.call("relu", {Tensor::from<float>({1}, {2})});
    const auto root = nlohmann::json::parse(profile.chrome_trace());
    std::vector<nlohmann::json> spans;
    for (const auto& event : root["traceEvents"])
        if (event["ph"] == "X") spans.push_back(event);
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_EQ(spans[0]["name"], "Relu");
    EXPECT_EQ(spans[0]["args"]["op"], "relu");
    EXPECT_EQ(spans[1]["name"], "relu");
    EXPECT_EQ(spans[1]["args"]["seqid"], 1);
    EXPECT_NEAR(spans[1]["ts"].get<double>(), 1000, 1e-6);
    EXPECT_NEAR(spans[1]["dur"].get<double>(), 3000, 1e-6);
}

TEST(OpProfile, is_empty_without_ops_and_stops_with_its_scope) {
    Executor executor(chip("910A"));
    { const OpProfile profile(executor, ticking()); }
    const OpProfile later(executor, ticking());
    EXPECT_TRUE(later.rows().empty());
}

}  // namespace
}  // namespace npuscope::diagnose
