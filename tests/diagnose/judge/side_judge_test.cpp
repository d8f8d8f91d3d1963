#include "diagnose/judge/side_judge.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/dumpfile/reader.h"
#include "npu_backend/chips/device.h"
#include "tests/compare/dumps.h"
#include "tests/support/support.h"
#include "tests/support/values.h"

namespace npuscope::diagnose {
namespace {

using compare::DumpedOp;

Tensor noise(const Shape& shape, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<size_t>(numel_of(shape)));
    for (float& value : values)
        value = normal(random);
    return test::floats(shape, values);
}

/// Twelve products as `device` makes them, some so small that float16 has subnormals only; `broken`
/// is off by a tenth in one element.
std::vector<DumpedOp> products(const Device& device, int64_t broken) {
    std::mt19937 random(7);
    Executor executor(device);
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 12; ++seqid) {
        Tensor a = noise({5, 9}, random);
        if (seqid % 3 == 0)
            for (float& value : a.mutable_as<float>())
                value *= 0x1p-20F;
        const Tensor b = noise({9, 4}, random);
        Tensor y = executor.call("mm", {a, b}).tensor(0);
        if (seqid == broken) y.mutable_as<float>()[6] += 0.1F;
        ops.push_back({.name = "mm",
                       .seqid = seqid,
                       .inputs = {{"self", a}, {"mat2", b}},
                       .outputs = {{"result", y}},
                       .node = {}});
    }
    return ops;
}

struct Judged {
    std::vector<std::string> sentences;
    std::vector<double> ratios;
};

/// `device`: tells its classes; nullptr: they are found out.
Judged judged(const std::vector<DumpedOp>& ops, const Device* device = nullptr) {
    const test::TempDir folder;
    compare::write_dump(folder / "d.h5", ops);
    const Source source = source_of_dump(std::make_shared<const dumpfile::Reader>(folder / "d.h5"));
    std::vector<SideOp> side;
    for (const SourceOp& op : source.ops)
        side.push_back({&op});
    const SideJudge judge = device != nullptr ? SideJudge(side, *device) : SideJudge(side);
    Judged found{.sentences = judge.sentences(), .ratios = {}};
    for (const SourceOp& op : source.ops) {
        std::string why_not;
        const auto run = load_run(op, why_not);
        found.ratios.push_back(judge.judge(*run).front()->ratio);
    }
    return found;
}

TEST(SideJudge, finds_the_class_of_a_chips_products) {
    EXPECT_EQ(judged(products(Device::npu(chip("910A")), 0)).sentences.front(),
              "matrix products (float32): fp16 inputs, fp32 sums (12 of 12 sampled)");
    EXPECT_EQ(judged(products(Device::reference32(), 0)).sentences.front(),
              "matrix products (float32): fp32 (12 of 12 sampled)");
}

TEST(SideJudge, takes_the_class_that_the_device_states) {
    const Device stated = Device::npu(chip("910B"));
    const Judged found = judged(products(Device::npu(chip("910B")), 5), &stated);
    EXPECT_EQ(found.sentences,
              std::vector<std::string>{"matrix products (float32): fp32 (as npu 910B states, 12 "
                                       "ops)"});
    for (size_t i = 0; i < found.ratios.size(); ++i)
        EXPECT_EQ(found.ratios[i] > 1, i == 4) << i;
}

TEST(SideJudge, excuses_nothing_that_the_device_does_not_state) {
    // Computed in float16, by a device that says float32.
    const Device stated = Device::npu(chip("910B"));
    for (const double ratio : judged(products(Device::npu(chip("910A")), 0), &stated).ratios)
        EXPECT_GT(ratio, 1);
}

TEST(SideJudge, leaves_the_class_as_it_is_when_one_op_is_at_fault) {
    const Judged found = judged(products(Device::npu(chip("910A")), 5));
    EXPECT_EQ(found.sentences.front(),
              "matrix products (float32): fp16 inputs, fp32 sums (11 of 12 sampled)");
    for (size_t i = 0; i < found.ratios.size(); ++i)
        EXPECT_EQ(found.ratios[i] > 1, i == 4) << i;
}

/// Fourteen runs of an op as the float32 reference makes them; the elements of the first `changed`
/// are off by `units` of their last place.
std::vector<DumpedOp> runs_off(const std::string& op, int64_t changed, int units) {
    std::mt19937 random(3);
    Executor executor(Device::reference32());
    std::vector<DumpedOp> ops;
    for (int64_t seqid = 1; seqid <= 14; ++seqid) {
        const Tensor x = noise({6, 8}, random);
        const bool two = op == "add_Tensor";
        const Tensor other = noise({6, 8}, random);
        Tensor y = (two ? executor.call(op, {x, other}) : executor.call(op, {x})).tensor(0);
        for (float& value : y.mutable_as<float>())
            for (int step = 0; seqid <= changed && step < units; ++step)
                value = std::nextafter(value, 100.0F);
        DumpedOp dumped{.name = op,
                        .seqid = seqid,
                        .inputs = {{"self", x}},
                        .outputs = {{"result", y}},
                        .node = {}};
        if (two) dumped.inputs.push_back({"other", other});
        ops.push_back(std::move(dumped));
    }
    return ops;
}

// IEEE 754: a sum is rounded once, so it is off by half a unit of the last place at most.
TEST(SideJudge, finds_a_sum_that_is_off_by_two_units) {
    for (const int units : {1, 3}) {
        const Judged found = judged(runs_off("add_Tensor", 1, units));
        EXPECT_EQ(found.ratios.front() > 1, units == 3) << units;
        EXPECT_TRUE(std::ranges::all_of(
            found.ratios.begin() + 1, found.ratios.end(), [](double ratio) { return ratio <= 1; }));
    }
}

// What all runs of a function do is a habit of the library that computed it.
TEST(SideJudge, tells_a_fault_from_a_habit) {
    EXPECT_GT(judged(runs_off("exp", 1, 5)).ratios.front(), 1);
    EXPECT_TRUE(std::ranges::all_of(judged(runs_off("exp", 14, 5)).ratios,
                                    [](double ratio) { return ratio <= 1; }));
}

// 2^-9 and 2^-12 of the value are half units of bfloat16 and float16.
TEST(SideJudge, tells_steps_by_the_bits_of_their_results) {
    const auto sentence = [](DType narrow) {
        std::vector<DumpedOp> ops = runs_off("tanh", 0, 0);
        for (DumpedOp& op : ops)
            op.outputs.front().value =
                std::get<Tensor>(op.outputs.front().value).cast(narrow).cast(DType::kFloat32);
        return judged(ops).sentences.front();
    };
    EXPECT_EQ(sentence(DType::kBFloat16),
              "other ops (float32): bf16 throughout (14 of 14 sampled)");
    EXPECT_EQ(sentence(DType::kFloat16),
              "other ops (float32): fp32, fp16 results (14 of 14 sampled)");
}

}  // namespace
}  // namespace npuscope::diagnose
