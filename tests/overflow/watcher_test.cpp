#include "overflow/watcher.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/overflow/fake_source.h"
#include "tests/support/values.h"

namespace npuscope::overflow {
namespace {

using test::FakeSource;

constexpr uint64_t kRaised = FloatStatus::kOverflow;
using test::kInf;

Tensor half(std::initializer_list<float> values) {
    std::vector<Float16> elements;
    for (const float value : values)
        elements.push_back(to_float16(value));
    return Tensor::from<Float16>({static_cast<int64_t>(elements.size())}, elements);
}

TEST(OverflowWatcher, names_the_op_that_overflowed_on_finite_inputs) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor x = half({1, 2});
    source.unary("relu", x, half({1, 2}));
    source.run({"add_Tensor",
                {{"self", half({40000})}, {"other", half({40000})}},
                {{"result", half({kInf})}},
                {{"Cast", 0}, {"Add", kRaised}, {"Add", kRaised}},
                true,
                "block1/add"});
    const OverflowReport& report = watcher.report();
    ASSERT_EQ(report.records.size(), 1U);
    const OverflowRecord& record = report.records[0];
    EXPECT_EQ(record.path(), "/add_Tensor/2");
    EXPECT_EQ(record.source.node, "block1/add");
    EXPECT_EQ(record.kind, OverflowKind::kIntroduced);
    EXPECT_EQ(record.kernels, std::vector<std::string>{"Add"});
    EXPECT_EQ(record.status.bits, kRaised);
    EXPECT_EQ(record.via, "");
    EXPECT_FALSE(record.also_raised());
    EXPECT_EQ(report.first(), &record);
    EXPECT_EQ(report.ops_seen, 2);
    EXPECT_EQ(report.receivers_count, 0);
}

TEST(OverflowWatcher, an_op_that_reads_the_inf_of_an_overflow_only_received_it) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor y = source.unary("exp", half({100}), half({kInf}), kRaised);
    const Tensor z = source.unary("neg", y, half({-kInf}));
    source.unary("abs", z, half({kInf}), kRaised);
    const OverflowReport& report = watcher.report();
    ASSERT_EQ(report.receivers_count, 1);
    EXPECT_EQ(report.receivers[0].path(), "/neg/2");
    EXPECT_EQ(report.receivers[0].via, "self");
    EXPECT_EQ(report.receivers[0].from, "/exp/1");
    EXPECT_EQ(report.receivers[0].evidence, Evidence::kNonFinite);
    ASSERT_EQ(report.records.size(), 2U);
    EXPECT_EQ(report.records[1].kind, OverflowKind::kReceived);
    EXPECT_TRUE(report.records[1].also_raised());
    EXPECT_EQ(report.records[1].from, "/neg/2");
    EXPECT_EQ(report.records[1].origin, "/exp/1");
    EXPECT_EQ(report.introduced_count, 1);
    EXPECT_EQ(report.first()->path(), "/exp/1");
}

TEST(OverflowWatcher, a_saturated_value_carries_damage_of_the_op_that_overflowed) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor y = source.unary("mul_Tensor", half({300}), half({65504, 1}), kRaised);
    source.unary("sqrt", y, half({255.9F, 1}));
    ASSERT_EQ(watcher.report().receivers_count, 1);
    EXPECT_EQ(watcher.report().receivers[0].evidence, Evidence::kSaturated);
    EXPECT_EQ(watcher.report().receivers[0].from, "/mul_Tensor/1");
}

TEST(OverflowWatcher, float32_at_65504_counts_as_saturated_behind_an_overflow) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor result = Tensor::from<float>({2}, {-65504.0F, 1.0F});
    const Tensor y = source.unary("mm", half({300}), result, FloatStatus::kCopyOverflow);
    source.unary("sqrt", y, Tensor::from<float>({2}, {1.0F, 1.0F}));
    ASSERT_EQ(watcher.report().receivers_count, 1);
    EXPECT_EQ(watcher.report().receivers[0].evidence, Evidence::kSaturated);
}

TEST(OverflowWatcher, follows_damage_through_ops_that_are_not_recorded) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor y = source.unary("mm", half({300, 1}), half({65504, 1}), kRaised);
    const Tensor shared = source.view("view", y, y.reshaped({2, 1}));
    const Tensor copied = source.view("permute", shared, half({1, 65504}));
    source.unary("relu", copied, half({1, 65504}));
    const OverflowReport& report = watcher.report();
    ASSERT_EQ(report.receivers_count, 1);
    EXPECT_EQ(report.receivers[0].path(), "/relu/2");
    EXPECT_EQ(report.receivers[0].from, "/mm/1");
    EXPECT_EQ(report.receivers[0].evidence, Evidence::kSaturated);
    EXPECT_EQ(report.ops_seen, 2);
}

TEST(OverflowWatcher, two_branches_can_overflow_independently) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor x = half({300});
    const Tensor left = source.unary("square", x, half({kInf}), kRaised);
    const Tensor right = source.unary("exp", x, half({kInf}), kRaised);
    source.run({"add_Tensor",
                {{"self", half({1})}, {"other", right}},
                {{"result", half({kInf})}},
                {},
                true,
                ""});
    const OverflowReport& report = watcher.report();
    EXPECT_EQ(report.introduced_count, 2);
    ASSERT_EQ(report.records.size(), 2U);
    EXPECT_EQ(report.records[0].path(), "/square/1");
    EXPECT_EQ(report.records[1].path(), "/exp/2");
    ASSERT_EQ(report.receivers_count, 1);
    EXPECT_EQ(report.receivers[0].via, "other");
    EXPECT_EQ(report.receivers[0].from, "/exp/2");
}

TEST(OverflowWatcher, nan_in_a_models_input_is_reported_once_and_is_no_overflow) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor weight = half({NAN, 1});
    const Tensor y = source.unary("relu", weight, half({NAN, 1}));
    source.unary("neg", weight, half({NAN, -1}));
    const Tensor viewed = source.view("t", y, half({1, NAN}));
    source.unary("abs", viewed, half({1, NAN}));
    const OverflowReport& report = watcher.report();
    EXPECT_FALSE(report.found());
    EXPECT_EQ(report.first(), nullptr);
    EXPECT_EQ(report.receivers_count, 0);
    ASSERT_EQ(report.foreign_count, 1);
    EXPECT_EQ(report.foreign[0].kind, OverflowKind::kInheritedFromInput);
    EXPECT_EQ(report.foreign[0].path(), "/relu/1");
    EXPECT_EQ(report.foreign[0].via, "self");
}

TEST(OverflowWatcher, a_view_of_a_models_input_is_still_that_input) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor viewed = source.view("t", half({NAN, 1}), half({1, NAN}));
    source.unary("abs", viewed, half({1, NAN}));
    ASSERT_EQ(watcher.report().foreign_count, 1);
    EXPECT_EQ(watcher.report().foreign[0].kind, OverflowKind::kInheritedFromInput);
}

TEST(OverflowWatcher, status_on_an_inf_input_is_received_from_no_op) {
    FakeSource source;
    OverflowWatcher watcher(source);
    source.unary("exp", half({kInf}), half({65504}), kRaised);
    const OverflowReport& report = watcher.report();
    ASSERT_EQ(report.records.size(), 1U);
    EXPECT_EQ(report.records[0].kind, OverflowKind::kReceived);
    EXPECT_TRUE(report.records[0].also_raised());
    EXPECT_EQ(report.records[0].via, "self");
    EXPECT_EQ(report.records[0].from, "");
    EXPECT_EQ(report.foreign_count, 1);
}

TEST(OverflowWatcher, an_infinite_scalar_argument_is_damage_that_came_in) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const double inf = std::numeric_limits<double>::infinity();
    source.run({"mul_Scalar",
                {{"self", half({1})}, {"other", Scalar{inf}}},
                {{"result", half({65504})}},
                {{"Muls", kRaised}},
                true,
                ""});
    ASSERT_EQ(watcher.report().records.size(), 1U);
    EXPECT_EQ(watcher.report().records[0].kind, OverflowKind::kReceived);
    EXPECT_EQ(watcher.report().records[0].via, "other");
}

TEST(OverflowWatcher, inf_of_an_op_with_clean_status_is_told_apart_from_overflow) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor y = source.unary("reciprocal", half({0}), half({kInf}));
    const Tensor z = source.unary("neg", y, half({-kInf}));
    source.unary("abs", z, half({kInf}));
    const OverflowReport& report = watcher.report();
    EXPECT_FALSE(report.found());
    ASSERT_EQ(report.foreign_count, 1);
    EXPECT_EQ(report.foreign[0].kind, OverflowKind::kNonFiniteWithoutOverflow);
    EXPECT_EQ(report.foreign[0].from, "/reciprocal/1");
}

TEST(OverflowWatcher, an_exact_65504_is_no_overflow) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor y = source.unary("add_Tensor", half({65504}), half({65504}));
    source.unary("relu", y, half({65504}));
    EXPECT_FALSE(watcher.report().found());
    EXPECT_EQ(watcher.report().receivers_count, 0);
    EXPECT_EQ(watcher.report().foreign_count, 0);
}

TEST(OverflowWatcher, an_overflow_on_an_exact_65504_is_introduced) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor y = source.unary("add_Tensor", half({65504}), half({65504}));
    source.unary("mul_Tensor", y, half({65504}), kRaised);
    ASSERT_EQ(watcher.report().records.size(), 1U);
    EXPECT_EQ(watcher.report().records[0].kind, OverflowKind::kIntroduced);
}

TEST(OverflowWatcher, an_intermediate_kernels_overflow_counts_though_the_output_is_finite) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor y = half({255});
    source.run({"norm",
                {{"self", half({300, 200})}},
                {{"result", y}},
                {{"Square", kRaised}, {"ReduceSum", kRaised}, {"Sqrt", 0}},
                true,
                ""});
    source.unary("div_Tensor", y, half({1}));
    const OverflowReport& report = watcher.report();
    ASSERT_EQ(report.records.size(), 1U);
    EXPECT_EQ(report.records[0].kind, OverflowKind::kIntroduced);
    EXPECT_EQ(report.records[0].kernels, (std::vector<std::string>{"Square", "ReduceSum"}));
    ASSERT_EQ(report.receivers_count, 1);
    EXPECT_EQ(report.receivers[0].evidence, Evidence::kDataFlow);
    EXPECT_EQ(report.receivers[0].from, "/norm/1");
}

TEST(OverflowWatcher, underflow_and_nonfinite_input_bits_are_no_overflow) {
    FakeSource source;
    OverflowWatcher watcher(source);
    source.unary("mul_Tensor",
                 half({1}),
                 half({0}),
                 FloatStatus::kUnderflow | FloatStatus::kVectorInputNonFinite);
    EXPECT_FALSE(watcher.report().found());
}

TEST(OverflowWatcher, damage_travels_in_lists_and_in_integer_tensors) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const Tensor y = source.unary("mm", half({1}), half({65504}), kRaised);
    const Tensor index = Tensor::from<int64_t>({1}, {0});
    source.run({"cat",
                {{"tensors", TensorList{half({1}), y}}},
                {{"result", half({1, 65504})}, {"indices", index}},
                {},
                true,
                ""});
    source.unary("gather", index, half({1}));
    const OverflowReport& report = watcher.report();
    ASSERT_EQ(report.receivers_count, 2);
    EXPECT_EQ(report.receivers[0].via, "tensors/tensors_1");
    EXPECT_EQ(report.receivers[1].from, "/cat/2");
    EXPECT_EQ(report.receivers[1].origin, "/mm/1");
}

TEST(OverflowWatcher, prints_one_line_an_overflowing_op_and_calls_back) {
    FakeSource source;
    std::ostringstream out;
    std::vector<std::string> called;
    OverflowWatcher watcher(source, {.out = &out, .on_overflow = [&](const OverflowRecord& record) {
                                         called.push_back(record.path());
                                     }});
    const Tensor y = source.unary("exp", half({100}), half({kInf}), kRaised);
    source.unary("neg", y, half({-kInf}));
    EXPECT_EQ(out.str(),
              "IR: exp SeqId: 1 overflow introduced by expKernel: vector result (bit 5)\n");
    EXPECT_EQ(called, std::vector<std::string>{"/exp/1"});
}

TEST(OverflowWatcher, a_throwing_callback_does_not_reach_the_observed_program) {
    FakeSource source;
    OverflowWatcher watcher(
        source, {.on_overflow = [](const OverflowRecord&) { throw std::runtime_error("stop"); }});
    source.unary("exp", half({100}), half({kInf}), kRaised);
    EXPECT_EQ(source.observer_error_count(), 1);
    EXPECT_EQ(watcher.report().records_count, 1);
}

TEST(OverflowWatcher, detaches_at_the_end_of_its_scope) {
    FakeSource source;
    { const OverflowWatcher watcher(source); }
    source.unary("exp", half({100}), half({kInf}), kRaised);
    EXPECT_EQ(source.observer_error_count(), 0);
}

TEST(OverflowWatcher, kernels_of_an_op_that_failed_are_not_blamed_on_the_next) {
    FakeSource source;
    OverflowWatcher watcher(source);
    const NamedValues none;
    const OpSource nowhere;
    KernelEvent event;
    event.type = "Lost";
    event.op_name = "exp";
    event.seqid = 1;
    event.status.raise(kRaised);
    watcher.op_begin(OpBegin{"exp", 1, true, none, nowhere});
    watcher.kernel_end(event);
    source.unary("exp", half({100}), half({kInf}), kRaised);
    ASSERT_EQ(watcher.report().records.size(), 1U);
    EXPECT_EQ(watcher.report().records[0].kernels, std::vector<std::string>{"expKernel"});
}

TEST(OverflowWatcher, lists_are_bounded_and_counts_are_not) {
    FakeSource source;
    OverflowWatcher watcher(source, {.max_records = 2, .max_receivers = 3, .max_tensors = 4});
    for (int i = 0; i < 10; ++i) {
        const Tensor y = source.unary("exp", half({100}), half({kInf}), kRaised);
        source.unary("neg", y, half({-kInf}));
    }
    const OverflowReport& report = watcher.report();
    EXPECT_EQ(report.records.size(), 2U);
    EXPECT_EQ(report.records_count, 10);
    EXPECT_EQ(report.receivers.size(), 3U);
    EXPECT_EQ(report.receivers_count, 10);
    EXPECT_EQ(report.ops_seen, 20);
}

TEST(OverflowWatcher, a_forgotten_tensor_counts_as_one_that_no_op_made) {
    FakeSource source;
    OverflowWatcher watcher(source, {.max_tensors = 1});
    const Tensor y = source.unary("exp", half({100}), half({kInf}), kRaised);
    source.unary("relu", half({1}), half({1}));
    source.unary("neg", y, half({-kInf}));
    const OverflowReport& report = watcher.report();
    EXPECT_EQ(report.receivers_count, 0);
    ASSERT_EQ(report.foreign_count, 1);
    EXPECT_EQ(report.foreign[0].kind, OverflowKind::kInheritedFromInput);
}

}  // namespace
}  // namespace npuscope::overflow
