#include "diagnose/judge/live_judge.h"

#include <gtest/gtest.h>

#include "npu_backend/executor.h"
#include "tests/support/values.h"

namespace npuscope::diagnose {
namespace {

const Tensor kLeft = test::floats({2, 2}, {1, 2, 3, 4.1F});
const Tensor kRight = test::floats({2, 2}, {0.5F, 0.3F, 1.7F, 9});

TEST(LiveJudge, finds_a_chips_own_ops_honest) {
    const Device device = Device::npu(chip("910A"));
    Executor executor(device);
    const LiveJudge judge(executor, device);
    const Tensor y = executor.call("mm", {kLeft, kRight}).tensor(0);
    static_cast<void>(executor.call("relu", {y}));
    EXPECT_EQ(judge.judged(), 2);
    EXPECT_EQ(judge.not_judged(), 0);
    EXPECT_TRUE(judge.faults().empty());
}

TEST(LiveJudge, knows_the_form_that_a_chip_has_whatever_was_asked) {
    const Device device = Device::npu(chip("910B"));
    Executor executor(device);
    const LiveJudge judge(executor, device);
    const Tensor x = test::floats({2, 3}, {-2, -1, -0.5F, 0.5F, 1, 2});
    for (const char* form : {"none", "tanh"}) {
        static_cast<void>(
            executor.call_named("gelu", {{"self", x}, {"approximate", std::string(form)}}));
        static_cast<void>(
            executor.call_named("gelu_", {{"self", x}, {"approximate", std::string(form)}}));
        static_cast<void>(executor.call_named(
            "gelu_backward",
            {{"grad_output", x}, {"self", x}, {"approximate", std::string(form)}}));
    }
    EXPECT_EQ(judge.judged(), 6);
    EXPECT_TRUE(judge.faults().empty());
}

TEST(LiveJudge, names_an_op_that_does_not_keep_what_its_device_states) {
    const Device cut = Device::npu(chip("910B"), std::vector<std::string>{"matmul_hf32=on"});
    Executor executor(cut);
    // Told of another rounding than the chip's.
    const Device stated =
        Device::npu(chip("910B"), std::vector<std::string>{"matmul_hf32=on", "hf32_tie=trunc"});
    const LiveJudge judge(executor, stated);
    static_cast<void>(executor.call("mm", {kLeft, kRight}));
    ASSERT_EQ(judge.faults().size(), 1U);
    EXPECT_TRUE(judge.faults().front().starts_with("/mm/1: result: "));
    EXPECT_NE(judge.faults().front().find("HF32 inputs (truncated), fp32 sums"), std::string::npos);
}

TEST(LiveJudge, takes_overflow_of_finite_inputs_for_a_fault) {
    const Device device = Device::npu(chip("910A"));
    Executor executor(device);
    const LiveJudge judge(executor, device);
    static_cast<void>(
        executor.call("mm", {test::floats({1, 1}, {1e6F}), test::floats({1, 1}, {1})}));
    ASSERT_EQ(judge.faults().size(), 1U);
    EXPECT_EQ(judge.faults().front(), "/mm/1: overflows");
}

TEST(LiveJudge, judges_nothing_after_it_is_closed_and_keeps_what_it_found) {
    const Device device = Device::npu(chip("910A"));
    Executor executor(device);
    LiveJudge judge(executor, device);
    static_cast<void>(executor.call("relu", {kLeft}));
    judge.close();
    static_cast<void>(executor.call("relu", {kLeft}));
    EXPECT_EQ(judge.judged(), 1);
    EXPECT_EQ(executor.observer_error_count(), 0);
}

}  // namespace
}  // namespace npuscope::diagnose
