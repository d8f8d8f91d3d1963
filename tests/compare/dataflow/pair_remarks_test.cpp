#include "compare/dataflow/pair_remarks.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

using Remarks = std::vector<std::string>;

Remarks remarks(const Source& target, const Source& golden, const RecordedDevices& devices = {}) {
    const TracedPair pair(target, golden);
    return pair_remarks(pair.flows, devices).lines;
}

/// Four products with weights of their own.
Source network(unsigned seed, int64_t width, float noise = 0) {
    std::vector<HandMadeOp> ops;
    for (unsigned layer = 0; layer < 5; ++layer)
        ops.push_back({"mm",
                       {{"mat2", random_tensor({4, width}, seed + layer)}},
                       {{"out", changed(random_tensor({3, width}, seed + 50 + layer), [&](float x) {
                             return x + noise;
                         })}}});
    return hand_made(ops);
}

TEST(PairRemarks, are_none_for_an_ordinary_pair) {
    EXPECT_EQ(remarks(network(1, 4, 0.01f), network(1, 4)), Remarks{});
    for (const std::string step : {"mlp", "attention", "convolution"})
        EXPECT_EQ(remarks(recorded_step(step + "_910A"),
                          recorded_step(step + "_cpu"),
                          {dumpfile::kDeviceNpu, dumpfile::kDeviceCpu}),
                  Remarks{});
}

TEST(PairRemarks, tell_the_same_file_twice) {
    EXPECT_EQ(
        remarks(network(1, 4), network(1, 4)),
        Remarks{"both files hold the same elements in all 10 tensors: one may be a copy of the "
                "other"});
}

TEST(PairRemarks, tell_two_models) {
    EXPECT_EQ(remarks(network(1, 4), network(1, 5)),
              Remarks{"these seem to be two models: 5 of 5 parameters and inputs are others on the "
                      "golden side"});
    EXPECT_EQ(remarks(network(1, 4), network(101, 4)).size(), 1u);
    EXPECT_EQ(remarks(recorded_step("mlp_cpu"), recorded_step("convolution_cpu")).size(), 1u);
}

/// Gains of a norm, all about 1, of a network of one structure.
Source gains(unsigned seed, const std::string& op) {
    std::vector<HandMadeOp> ops;
    for (unsigned layer = 0; layer < 5; ++layer)
        ops.push_back({op,
                       {{"weight",
                         changed(random_tensor({64}, seed + layer),
                                 [](float x) { return 1 + 0.1F * x; })}},
                       {{"out", random_tensor({3, 4}, seed + 50 + layer)}}});
    return hand_made(ops);
}

TEST(PairRemarks, tell_two_models_whose_gains_are_all_about_one) {
    EXPECT_EQ(remarks(gains(1, "native_layer_norm"), gains(101, "native_layer_norm")),
              Remarks{"these seem to be two models: 5 of 5 parameters and inputs are others on the "
                      "golden side"});
}

// The ops may be called otherwise: what both were given tells that it is one model.
TEST(PairRemarks, know_a_model_by_its_parameters) {
    EXPECT_EQ(remarks(network(1, 4, 0.01F), network(1, 4)), Remarks{});
    Source other = network(1, 4, 0.01F);
    other.ops.erase(other.ops.begin(), other.ops.begin() + 2);
    EXPECT_EQ(remarks(other, network(1, 4)), Remarks{}) << "a part of it was recorded";
}

TEST(HardlyPair, is_not_said_of_one_structure_with_other_parameters) {
    const Source golden = gains(1, "native_layer_norm");
    EXPECT_FALSE(pair_remarks(TracedPair(gains(101, "native_layer_norm"), golden).flows)
                     .hardly_pair);
    Source longer = gains(101, "native_layer_norm");
    for (const char* name : {"relu", "exp", "sin", "cos", "tan", "abs"})
        longer.ops.push_back(hand_made({{name, {}, {{"out", random_tensor({3}, 7)}}}}).ops.front());
    EXPECT_TRUE(pair_remarks(TracedPair(longer, golden).flows).hardly_pair);
}

TEST(PairRemarks, tell_swapped_sides) {
    EXPECT_EQ(
        remarks(network(1, 4, 0.01f), network(1, 4), {dumpfile::kDeviceCuda, dumpfile::kDeviceNpu}),
        Remarks{"the sides seem to be swapped: the golden was recorded on an NPU, the target on "
                "a GPU"});
    EXPECT_EQ(
        remarks(network(1, 4, 0.01f), network(1, 4), {dumpfile::kDeviceNpu, dumpfile::kDeviceNpu}),
        Remarks{});
}

/// One op of each of these names.
Source ops_named(const std::vector<std::string>& names) {
    std::vector<HandMadeOp> ops;
    for (const std::string& name : names)
        ops.push_back({name, {}, {{"out", random_tensor({3}, 1)}}});
    return hand_made(ops);
}

// One of four is a quarter; fewer than four ops say nothing.
TEST(HardlyPair, is_said_of_programs_that_share_few_ops) {
    const auto hardly = [](const Source& target, const Source& golden) {
        const TracedPair pair(target, golden);
        return pair_remarks(pair.flows).hardly_pair;
    };
    const Source golden = ops_named({"relu", "exp", "sin", "cos"});
    EXPECT_FALSE(hardly(golden, golden));
    EXPECT_TRUE(hardly(ops_named({"relu", "abs", "neg", "log"}), golden));
    EXPECT_FALSE(hardly(ops_named({"relu", "exp", "neg", "log"}), golden));
    EXPECT_FALSE(hardly(ops_named({"abs", "neg", "log"}), golden));
}

TEST(DeviceOf, is_what_the_tensors_say) {
    const auto step = test::source_dir() / "data/recordings/steps";
    EXPECT_EQ(device_of(dumpfile::Reader(step / "mlp_910A.h5")), dumpfile::kDeviceNpu);
    EXPECT_EQ(device_of(dumpfile::Reader(step / "mlp_cpu.h5")), dumpfile::kDeviceCpu);
}

}  // namespace
}  // namespace npuscope::compare
