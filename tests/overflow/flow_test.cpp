#include "overflow/flow.h"

#include <gtest/gtest.h>

#include "overflow/scan.h"
#include "overflow/scan_report.h"
#include "tests/support/values.h"

namespace npuscope::overflow {
namespace {

using test::floats;
using test::halves;
using test::kInf;
using test::kNan;

constexpr float kLargest = 65504;

Tensor four(float a, float b, float c, float d) {
    return halves({4}, {a, b, c, d});
}

ScanReport scanned(const NamedTensors& arrays) {
    return scan(source_of_arrays(arrays));
}

std::vector<std::string> stops_of(const OverflowFlow& flow) {
    std::vector<std::string> stops;
    for (const FlowStop& stop : flow.killed)
        stops.push_back(stop.path + " " + stop.via);
    return stops;
}

using Names = std::vector<std::string>;

TEST(OverflowFlow, is_followed_from_its_birth_to_where_it_is_killed) {
    const ScanReport report = scanned({{"mul.input.x", four(300, 2, 3, 4)},
                                       {"mul.output.0", four(kInf, 4, 9, 16)},
                                       {"neg.input.x", four(kInf, 4, 9, 16)},
                                       {"neg.output.0", four(-kInf, -4, -9, -16)},
                                       {"exp.input.x", four(-kInf, -4, -9, -16)},
                                       {"exp.output.0", four(0, 0.018F, 0, 0)},
                                       {"sum.input.x", four(0, 0.018F, 0, 0)},
                                       {"sum.output.0", halves({1}, {0.018F})}});
    ASSERT_EQ(report.flows.size(), 1u);
    const OverflowFlow& flow = report.flows[0];
    EXPECT_EQ(flow.birth.path(), "mul");
    EXPECT_EQ(flow.birth.kind, OverflowKind::kIntroduced);
    EXPECT_EQ(flow.carried, Names{"neg"});
    EXPECT_EQ(stops_of(flow), Names{"exp x"});
    EXPECT_EQ(flow.unread, Names{});
    EXPECT_FALSE(flow.silent());
    EXPECT_TRUE(report.found());
}

TEST(OverflowFlow, of_a_clamp_and_a_where_ends_in_both) {
    const ScanReport report =
        scanned({{"mul.input.x", four(300, 2, 3, 4)},
                 {"mul.output.0", four(kInf, 4, 9, kNan)},
                 {"clamp.input.x", four(kInf, 4, 9, kNan)},
                 {"clamp.output.0", four(100, 4, 9, 0)},
                 {"where.input.mask", Tensor::from<bool>({4}, {false, true, true, false})},
                 {"where.input.other", four(kInf, 4, 9, kNan)},
                 {"where.output.0", four(0, 4, 9, 0)}});
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_EQ(stops_of(report.flows[0]), (Names{"clamp x", "where other"}));
    EXPECT_EQ(report.flows[0].killed_count, 2);
}

TEST(OverflowFlow, that_is_never_killed_ends_in_results_that_nothing_reads) {
    const ScanReport report = scanned({{"mul.input.x", four(300, 2, 3, 4)},
                                       {"mul.output.0", four(kInf, 4, 9, 16)},
                                       {"mean.input.x", four(kInf, 4, 9, 16)},
                                       {"mean.output.0", halves({1}, {kInf})},
                                       {"relu.input.x", four(1, 4, 9, 16)},
                                       {"relu.output.0", four(1, 4, 9, 16)}});
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_EQ(report.flows[0].carried, Names{"mean"});
    EXPECT_EQ(report.flows[0].unread, Names{"mean"});
}

TEST(OverflowFlow, is_silent_where_it_saturates_and_no_inf_shows) {
    NamedTensors arrays = {{"mul.input.x", four(300, 2, 3, 4)},
                           {"mul.output.0", four(kLargest, 4, 9, 16)},
                           {"neg.input.x", four(kLargest, 4, 9, 16)},
                           {"neg.output.0", four(-kLargest, -4, -9, -16)}};
    const ScanReport silent = scanned(arrays);
    ASSERT_EQ(silent.flows.size(), 1u);
    EXPECT_TRUE(silent.flows[0].silent());
    EXPECT_NE(to_text(silent).find("mul saturated silently"), std::string::npos);

    arrays.push_back({"add.input.x", four(-kLargest, -4, -9, -16)});
    arrays.push_back({"add.output.0", four(-kInf, -4, -9, -16)});
    EXPECT_FALSE(scanned(arrays).flows.at(0).silent());
}

TEST(OverflowFlow, begins_anew_for_each_birth_and_all_are_carried_where_they_meet) {
    const ScanReport report = scanned({{"a.input.x", four(1, 2, 3, 4)},
                                       {"a.output.0", four(kInf, 2, 3, 4)},
                                       {"b.input.x", four(4, 3, 2, 1)},
                                       {"b.output.0", four(1, 1, 1, kInf)},
                                       {"add.input.x", four(kInf, 2, 3, 4)},
                                       {"add.input.y", four(1, 1, 1, kInf)},
                                       {"add.output.0", four(kInf, 3, 4, kInf)},
                                       {"max.input.x", four(kInf, 3, 4, kInf)},
                                       {"max.output.0", four(7, 7, 7, 7)}});
    ASSERT_EQ(report.flows.size(), 2u);
    EXPECT_EQ(report.flows[0].birth.path(), "a");
    EXPECT_EQ(report.flows[1].birth.path(), "b");
    for (const OverflowFlow& flow : report.flows) {
        EXPECT_EQ(flow.carried, Names{"add"});
        EXPECT_EQ(stops_of(flow), Names{"max x"});
    }
}

TEST(OverflowFlow, of_a_models_own_mask_is_not_told) {
    const ScanReport report = scanned({{"add.input.scores", four(1, 2, 3, 4)},
                                       {"add.input.mask", four(0, 0, -kInf, -kInf)},
                                       {"add.output.0", four(1, 2, -kInf, -kInf)},
                                       {"softmax.input.x", four(1, 2, -kInf, -kInf)},
                                       {"softmax.output.0", four(0.27F, 0.73F, 0, 0)}});
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_FALSE(report.flows[0].is_own());
    EXPECT_EQ(stops_of(report.flows[0]), Names{"softmax x"});
    EXPECT_FALSE(report.found());
    EXPECT_EQ(to_text(report).find("Flow"), std::string::npos);
}

TEST(OverflowFlow, is_killed_by_no_op_whose_results_are_no_numbers) {
    const ScanReport report =
        scanned({{"mul.input.x", four(300, 2, 3, 4)},
                 {"mul.output.0", four(kInf, 4, 9, 16)},
                 {"isinf.input.x", four(kInf, 4, 9, 16)},
                 {"isinf.output.0", Tensor::from<bool>({4}, {true, false, false, false})}});
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_EQ(report.flows[0].killed_count, 0);
}

TEST(OverflowFlow, of_ten_thousand_carriers_names_a_thousand_and_counts_all) {
    NamedTensors arrays = {{"op0.input.x", four(300, 2, 3, 4)},
                           {"op0.output.0", four(kInf, 0, 3, 4)}};
    for (int i = 1; i <= 10000; ++i) {
        const auto value = static_cast<float>(i % 2);
        arrays.push_back({"op" + std::to_string(i) + ".input.x", four(kInf, 1 - value, 3, 4)});
        arrays.push_back({"op" + std::to_string(i) + ".output.0", four(kInf, value, 3, 4)});
    }
    const ScanReport report = scanned(arrays);
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_EQ(report.flows[0].carried_count, 10000);
    EXPECT_EQ(report.flows[0].carried.size(), kMostNamed);
}

// What a recorder of statistics keeps.
SourceTensor known_by(dumpfile::Direction direction,
                      const char* dtype,
                      RecordedStatistics numbers) {
    SourceTensor tensor;
    tensor.direction = direction;
    tensor.argument = "0";
    tensor.path = "0";
    tensor.dtype = dtype;
    tensor.shape = {4};
    tensor.statistics = numbers;
    return tensor;
}

void add_op(Source& source,
            const std::string& name,
            const RecordedStatistics& input,
            const RecordedStatistics& output) {
    source.ops.push_back({{name, 0}, name, [input, output] {
                              return std::vector<SourceTensor>{
                                  known_by(dumpfile::Direction::kInput, "float16", input),
                                  known_by(dumpfile::Direction::kOutput, "float16", output)};
                          }});
}

TEST(OverflowFlow, shows_in_statistics_alone) {
    const RecordedStatistics plain{3, -1, 0.5, 4};
    const RecordedStatistics infinite{kInf, -2, kInf, kInf};
    Source source;
    add_op(source, "relu", plain, {3, 0, 1, 4});
    add_op(source, "mul", {3, 0, 1, 4}, infinite);
    add_op(source, "neg", infinite, {2, -kInf, -kInf, kInf});
    add_op(source, "clamp", {2, -kInf, -kInf, kInf}, {2, -100, -20, 101});
    const ScanReport report = scan(source);
    EXPECT_EQ(report.tensors, 8);
    EXPECT_EQ(report.by_statistics, 8);
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_EQ(report.flows[0].birth.path(), "mul");
    EXPECT_EQ(report.flows[0].carried, Names{"neg"});
    EXPECT_EQ(stops_of(report.flows[0]), Names{"clamp 0"});
    const std::string text = to_text(report);
    EXPECT_NE(text.find("Of 8 tensors the recording holds statistics only"), std::string::npos);
    EXPECT_NE(text.find("output/0 float16 [4]: inf\n"), std::string::npos) << text;
}

// msprobe writes a module when it begins, before the ops and modules in it.
TEST(OverflowFlow, is_born_in_the_op_and_not_in_the_modules_around_it) {
    const RecordedStatistics plain{3, -1, 0.5, 4};
    const RecordedStatistics infinite{kInf, -2, kInf, kInf};
    const RecordedStatistics negated{2, -kInf, -kInf, kInf};
    Source source;
    add_op(source, "Module.net.Net.forward.0", plain, negated);
    add_op(source, "Module.net.block.Block.forward.0", plain, infinite);
    add_op(source, "Module.net.block.fc.Linear.forward.0", plain, infinite);
    add_op(source, "Functional.linear.0.forward", plain, infinite);
    add_op(source, "Module.net.act.Neg.forward.0", infinite, negated);
    add_op(source, "Torch.neg.0.forward", infinite, negated);
    const ScanReport report = scan(source);
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_EQ(report.first()->record.path(), "Functional.linear.0.forward");
    EXPECT_EQ(report.flows[0].birth.path(), "Functional.linear.0.forward");
    EXPECT_EQ(report.flows[0].carried_count, 5);
    const std::string text = to_text(report);
    EXPECT_NE(
        text.find("  Module.net.block.fc.Linear.forward.0\n"
                  "    a module that gives out what is in it: 'output/0' with inf or nan from\n"
                  "      Functional.linear.0.forward\n"),
        std::string::npos)
        << text;
}

TEST(OverflowFlow, of_modules_alone_is_born_in_the_innermost) {
    const RecordedStatistics plain{3, -1, 0.5, 4};
    const RecordedStatistics infinite{kInf, -2, kInf, kInf};
    Source source;
    add_op(source, "Module.block.Block.forward.0", plain, infinite);
    add_op(source, "Module.block.fc.Linear.forward.0", plain, infinite);
    add_op(source, "Module.head.Linear.forward.0", infinite, infinite);
    const ScanReport report = scan(source);
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_EQ(report.flows[0].birth.path(), "Module.block.fc.Linear.forward.0");
    EXPECT_EQ(report.flows[0].carried,
              (Names{"Module.block.Block.forward.0", "Module.head.Linear.forward.0"}));
}

TEST(OverflowFlow, of_saturated_statistics_is_silent) {
    Source source;
    add_op(source, "mul", {300, 0, 100, 400}, {kLargest, 0, 20000, 70000});
    const ScanReport report = scan(source);
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_TRUE(report.flows[0].silent());
}

TEST(OverflowFlow, of_nan_statistics_is_no_saturation) {
    Source source;
    add_op(source, "div", {1, 0, 0.5, 1}, {kNan, kNan, kNan, kNan});
    const ScanReport report = scan(source);
    ASSERT_EQ(report.flows.size(), 1u);
    EXPECT_TRUE(report.flows[0].marks.non_finite);
    EXPECT_FALSE(report.flows[0].marks.saturated);
}

TEST(StatisticsCensus, takes_extremes_before_sums) {
    // The mean of both infinities is a nan; no element is one.
    const Census both = census_of_statistics({kInf, -kInf, kNan, kInf}, 4, DType::kFloat32);
    EXPECT_EQ(both.inf, 1);
    EXPECT_EQ(both.nan, 0);
    // A norm may leave the range of float16 where no element does.
    const Census norm = census_of_statistics({60000, -1, 100, kInf}, 4, DType::kFloat16);
    EXPECT_FALSE(norm.non_finite());
    EXPECT_EQ(norm.max_finite, 60000);
    const Census sums = census_of_statistics({.mean = kNan}, 4, DType::kFloat16);
    EXPECT_EQ(sums.nan, 1);
    EXPECT_FALSE(sums.extremes_known);
}

}  // namespace
}  // namespace npuscope::overflow
