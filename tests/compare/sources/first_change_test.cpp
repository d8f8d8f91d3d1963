#include "compare/origins/first_change.h"

#include <cmath>

#include <gtest/gtest.h>

#include "compare/compare.h"
#include "core/recording/source.h"
#include "tests/compare/compared_programs.h"
#include "tests/compare/sources/msprobe_step.h"
#include "tests/support/support.h"

namespace npuscope::compare {
namespace {

using test::MadeRecord;
using test::MadeStep;
using test::MadeTensor;

constexpr int kLayers = 10;

Source opened(const test::TempDir& folder, const std::string& side, const MadeStep& step) {
    std::filesystem::create_directories(folder / side);
    test::write_file(folder / (side + "/dump.json"), step.json());
    return open_source(folder / side);
}

Result compared(const MadeStep& target, const MadeStep& golden) {
    const test::TempDir folder;
    WrittenSplitter splitter;
    Options options;
    options.threads = 1;
    options.splitter = &splitter;
    return compare_sources(opened(folder, "target", target),
                           opened(folder, "golden", golden),
                           PrecisionBounds(),
                           options);
}

/// Changes one thing of one record, and says what.
std::string change(MadeRecord& record, std::mt19937& random) {
    const auto below = [&](size_t count) { return random() % count; };
    const size_t tensors = record.inputs.size() + record.outputs.size();
    const size_t place = below(tensors);
    MadeTensor& tensor = place < record.inputs.size()
                             ? record.inputs[place]
                             : record.outputs[place - record.inputs.size()];
    const size_t kind = below(8);
    if (kind == 0 && !record.arguments.empty()) {
        ++record.arguments[below(record.arguments.size())];
        return "argument";
    }
    if (kind == 1) {
        tensor.dtype = "torch.float64";
        return "dtype";
    }
    if (kind <= 3 && !tensor.hash.empty()) {
        tensor.hash[0] = tensor.hash[0] == 'a' ? 'b' : 'a';
        return "hash";
    }
    const double size = std::pow(10, -3 + 4 * static_cast<double>(random()) / 0xffffffffU);
    const size_t statistic = below(4);
    tensor.statistics[statistic] *= 1 + (below(2) == 0 ? size : -size);
    return "statistic " + std::to_string(statistic) + " by " + std::to_string(size);
}

TEST(FirstChange, is_found_whatever_is_changed_wherever) {
    constexpr int kChanges = 200;
    constexpr unsigned kSeed = 20;
    std::mt19937 random(kSeed);
    int backward = 0;
    int last = 0;
    for (int i = 0; i < kChanges; ++i) {
        const MadeStep golden(kLayers, i % 2 == 0);
        MadeStep target = golden;
        const size_t place =
            i % 20 == 0 ? target.records.size() - 1 : random() % target.records.size();
        MadeRecord& record = target.records[place];
        backward += record.name.ends_with("backward") || record.is_gradient ? 1 : 0;
        last += place + 1 == target.records.size() ? 1 : 0;
        const std::string what = record.name + ": " + change(record, random);
        const Result result = compared(target, golden);
        EXPECT_EQ(result.exit_code(), 1) << what;
        ASSERT_FALSE(result.culprits.empty()) << what << ", seed " << kSeed;
        EXPECT_EQ(result.culprits.front().op, place) << what << ", seed " << kSeed;
    }
    EXPECT_GE(backward, 20);
    EXPECT_GE(last, 10);
}

TEST(FirstChange, of_an_argument_is_told_before_any_number) {
    const MadeStep golden(kLayers);
    MadeStep target = golden;
    target.records[6].arguments[1] = 9;
    target.records[6].outputs[0].statistics[0] *= 2;
    const Result result = compared(target, golden);
    ASSERT_FALSE(result.culprits.empty());
    EXPECT_EQ(result.culprits.front().kind, CulpritKind::kArgument);
    EXPECT_EQ(result.culprits.front().op, 6u);
    EXPECT_EQ(result.culprits.front().why,
              "called with other arguments: argument 3 is 9, golden 3");
}

TEST(FirstChange, is_no_finding_between_runs_of_other_arithmetic) {
    const MadeStep golden(kLayers);
    MadeStep target = golden;
    // Other sums everywhere, as another device makes them.
    std::mt19937 random(3);
    for (MadeRecord& record : target.records)
        for (auto* tensors : {&record.inputs, &record.outputs})
            for (MadeTensor& tensor : *tensors)
                for (double& number : tensor.statistics)
                    number *= 1 + 1e-7 * (static_cast<double>(random() % 1000) + 1) / 1000;
    const Result result = compared(target, golden);
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_TRUE(result.culprits.empty());
}

TEST(FirstChange, finds_nothing_in_a_run_that_repeats_the_golden) {
    for (const bool hashes : {false, true})
        EXPECT_EQ(compared(MadeStep(kLayers, hashes), MadeStep(kLayers, hashes)).exit_code(), 0);
}

TEST(CallNumbers, pair_the_calls_of_a_later_step_with_those_of_an_earlier) {
    const Result result = compared(MadeStep(kLayers, false, 53), MadeStep(kLayers));
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.counts.only_target + result.counts.only_golden, 0);
    EXPECT_EQ(result.ops.front().target, "Functional.conv2d.53.forward");
    EXPECT_EQ(result.ops.front().golden, "Functional.conv2d.0.forward");
    // Numbers that overlap are no reason to pair others.
    const Result near = compared(MadeStep(kLayers, false, 2), MadeStep(kLayers));
    EXPECT_EQ(near.ops.front().golden, "Functional.conv2d.0.forward");
    EXPECT_EQ(near.exit_code(), 0);
}

TEST(CallNumbers, leave_a_call_that_one_side_has_more) {
    const MadeStep golden(kLayers);
    MadeStep target = golden;
    std::erase_if(target.records, [](const MadeRecord& record) {
        return record.name == "Functional.relu.3.forward";
    });
    const auto place = std::ranges::find(
        golden.records, std::string("Functional.relu.3.forward"), &MadeRecord::name);
    const auto behind = static_cast<size_t>(place - golden.records.begin());
    for (double& statistic : target.records[behind].outputs[0].statistics)
        statistic *= 1.5;
    const Result result = compared(target, golden);
    EXPECT_EQ(result.counts.only_golden, 1);
    ASSERT_FALSE(result.culprits.empty());
    const bool is_told = std::ranges::any_of(result.culprits, [&](const Culprit& culprit) {
        return result.ops[culprit.op].golden == "Functional.relu.3.forward";
    });
    EXPECT_TRUE(is_told);
}

TEST(CallNumbers, that_are_lost_are_no_finding_where_all_behind_agrees) {
    const MadeStep golden(kLayers);
    MadeStep target = golden;
    std::erase_if(target.records, [](const MadeRecord& record) {
        return record.name == "Functional.relu.3.forward";
    });
    const Result result = compared(target, golden);
    EXPECT_EQ(result.counts.only_golden, 1);
    EXPECT_TRUE(result.culprits.empty());
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.notes.back(),
              "1 op that one side alone has is no finding: all that was compared agrees");
}

TEST(Hashes, fail_where_what_was_given_is_the_goldens_and_are_inherited_behind) {
    const MadeStep golden(kLayers, true);
    MadeStep target = golden;
    // The fifth record and all behind it computed something else, as their neighbours know.
    for (size_t i = 4; i < target.records.size(); ++i)
        for (auto* tensors : {&target.records[i].inputs, &target.records[i].outputs})
            for (MadeTensor& tensor : *tensors)
                if (tensors == &target.records[i].outputs || i > 4)
                    if (tensor.shape != "[16, 3, 3, 3]") tensor.hash[0] = 'x';
    const Result result = compared(target, golden);
    ASSERT_FALSE(result.culprits.empty());
    EXPECT_EQ(result.culprits.front().op, 4u);
    EXPECT_NE(result.culprits.front().why.find("hash x"), std::string::npos)
        << result.culprits.front().why;
    EXPECT_EQ(result.ops[6].judgement.verdict, Verdict::kInherited);
}

}  // namespace
}  // namespace npuscope::compare
