#include <algorithm>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "tests/diagnose/judge/judged_side.h"

namespace npuscope::diagnose {
namespace {

using compare::DumpedOp;
using test::judged;
using test::Judged;
using test::noise;
using test::runs_off;

// IEEE 754: a sum is rounded once, so it is off by half a unit of the last place at most.
TEST(HeldToLike, finds_a_sum_that_is_off_by_two_units) {
    for (const int units : {1, 3}) {
        const Judged found = judged(runs_off("add_Tensor", 1, units));
        EXPECT_EQ(found.ratios.front() > 1, units == 3) << units;
        EXPECT_TRUE(std::ranges::all_of(
            found.ratios.begin() + 1, found.ratios.end(), [](double ratio) { return ratio <= 1; }));
    }
}

// What all runs of a function do is a habit of the library that computed it.
TEST(HeldToLike, tells_a_fault_from_a_habit) {
    EXPECT_GT(judged(runs_off("exp", 1, 5)).ratios.front(), 1);
    EXPECT_TRUE(std::ranges::all_of(judged(runs_off("exp", 14, 5)).ratios,
                                    [](double ratio) { return ratio <= 1; }));
}

// By itself a run may be off by three units, as functions of some libraries are; its like tell that
// this library's are not.
TEST(HeldToLike, holds_a_run_to_what_its_like_are_off_by) {
    EXPECT_GT(judged(runs_off("exp", 1, 3)).ratios.front(), 1);
    // CUDA's __expf is off by four.
    for (const auto& [runs, units] : {std::pair(4U, 3), std::pair(2U, 3), std::pair(1U, 4)}) {
        auto few = runs_off("exp", 1, units);
        few.resize(runs);
        EXPECT_LE(judged(few).ratios.front(), 1) << runs;
    }
    EXPECT_LE(std::ranges::max(judged(runs_off("exp", 14, 3)).ratios), 1);
    EXPECT_LE(std::ranges::max(judged(runs_off("exp", 1, 1)).ratios), 1);  // always
}

/// Four layer norms of float32; of the last, elements of rows 3 and 4 are off by `units` of what
/// their largest element has.
std::vector<DumpedOp> norms_off(float units) {
    std::mt19937 random(9);
    Executor executor(Device::reference32());
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 4; ++seqid) {
        const Tensor x = noise({8, 32}, random);
        const Tensor weight = noise({32}, random);
        const Tensor bias = noise({32}, random);
        Results results = executor.call("native_layer_norm", {x, IntList{32}, weight, bias, 1e-5});
        Tensor y = results.tensor(0);
        std::normal_distribution<float> normal;
        const auto elements = y.mutable_as<float>();
        for (size_t i = 96; seqid == 4 && i < 128; ++i)
            elements[i] += units * 0x1p-23F * normal(random);
        ops.push_back({.name = "native_layer_norm",
                       .seqid = seqid,
                       .inputs = {{"input", x},
                                  {"normalized_shape", IntList{32}},
                                  {"weight", weight},
                                  {"bias", bias},
                                  {"eps", 1e-5}},
                       .outputs = {{"result0", y}},
                       .node = {}});
    }
    return ops;
}

// Coarser arithmetic would be coarser in all rows.
TEST(HeldToLike, finds_the_part_of_a_result_that_is_further_off) {
    EXPECT_LE(std::ranges::max(judged(norms_off(0.5F)).ratios), 1);
    EXPECT_GT(judged(norms_off(4)).ratios.back(), 1);
}

/// One softplus; its last column is off by `units` of the last place.
std::vector<DumpedOp> softplus_off(int units) {
    std::mt19937 random(8);
    const Tensor x = noise({16, 32}, random);
    const Value number = Scalar{1.0};
    Executor executor(Device::reference32());
    Tensor y = executor.call("softplus", {x, number, Scalar{20.0}}).tensor(0);
    for (size_t i = 31; i < y.as<float>().size(); i += 32)
        for (int step = 0; step < units; ++step)
            y.mutable_as<float>()[i] = std::nextafter(y.as<float>()[i], 100.0F);
    return {{.name = "softplus",
             .seqid = 1,
             .inputs = {{"self", x}, {"beta", number}, {"threshold", Scalar{20.0}}},
             .outputs = {{"result", y}},
             .node = {}}};
}

// Without its like a part has to stand out twice as far.
TEST(HeldToLike, finds_an_uneven_part_of_a_lone_run) {
    EXPECT_LE(judged(softplus_off(3)).ratios.front(), 1);
    EXPECT_GT(judged(softplus_off(4)).ratios.front(), 1);
}

}  // namespace
}  // namespace npuscope::diagnose
