#include "npu_backend/executor.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/values.h"

namespace npuscope {
namespace {

using test::floats;
using test::halves;

/// Writes down what it sees.
struct Recorder : Observer {
    void op_begin(const OpBegin& event) override {
        log.push_back("begin " + std::string(event.name) + " " + std::to_string(event.seqid));
    }
    void op_end(const OpEnd& event) override {
        log.push_back("end " + std::string(event.name));
        status = event.status;
        compute_type = event.compute_type;
        kernels.assign(event.kernels.begin(), event.kernels.end());
        recorded = event.recorded;
        inputs = event.inputs;
        outputs = event.outputs;
    }
    void kernel_begin(const KernelEvent& event) override {
        log.push_back("kernel " + std::string(event.type) + " " + std::to_string(event.task_id));
    }
    void kernel_end(const KernelEvent& event) override {
        if (event.status.overflow()) overflowed.emplace_back(event.type);
    }
    std::vector<std::string> log;
    std::vector<std::string> kernels;
    std::vector<std::string> overflowed;
    FloatStatus status;
    ComputeType compute_type = ComputeType::kNone;
    bool recorded = false;
    NamedValues inputs;
    NamedValues outputs;
};

TEST(Executor, computes_addmm_with_three_kernels_on_a_chip) {
    Executor npu(chip("910B"));
    Recorder recorder;
    npu.attach(recorder);
    // [1 2; 3 4] [1 0; 1 1] + [10 20], by hand.
    const Tensor y = npu.call(
        "addmm",
        {floats({2}, {10, 20}), floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {1, 0, 1, 1})});
    EXPECT_TRUE(identical(y, floats({2, 2}, {13, 22, 17, 24})));
    EXPECT_EQ(recorder.kernels, (std::vector<std::string>{"Muls", "MatMul", "Add"}));
    EXPECT_EQ(
        recorder.log,
        (std::vector<std::string>{
            "begin addmm 1", "kernel Muls 1", "kernel MatMul 2", "kernel Add 3", "end addmm"}));
    EXPECT_EQ(recorder.compute_type, ComputeType::kFloat32);
    EXPECT_EQ(recorder.inputs.size(), 5u);
    EXPECT_EQ(recorder.inputs[3].name, "beta");
    EXPECT_EQ(recorder.outputs[0].name, "result");
    EXPECT_EQ(npu.device_code(), 10);
}

TEST(Executor, demotes_float32_cube_inputs_on_910A) {
    Executor npu(chip("910A"));
    Recorder recorder;
    npu.attach(recorder);
    // 1 + 2^-12 becomes 1 in float16, 2049 becomes 2048.
    const Tensor y =
        npu.call("mm", {floats({1, 2}, {1.0f + 0x1p-12f, 2049}), floats({2, 1}, {1, 1})});
    EXPECT_EQ(y.dtype(), DType::kFloat32);
    EXPECT_EQ(y.at(0), 2049.0);
    EXPECT_EQ(recorder.compute_type, ComputeType::kFloat16);
    EXPECT_EQ(recorder.kernels,
              (std::vector<std::string>{
                  "Cast", "Cast", "TransData", "TransData", "MatMul", "TransData"}));
    EXPECT_FALSE(recorder.status.overflow());
}

TEST(Executor, raises_overflow_when_the_demotion_saturates) {
    Executor npu(chip("910A"));
    Recorder recorder;
    npu.attach(recorder);
    const Tensor y = npu.call("mm", {floats({1, 1}, {1e5f}), floats({1, 1}, {2})});
    EXPECT_EQ(y.at(0), 2 * 65504.0);
    EXPECT_TRUE(recorder.status.overflow());
    EXPECT_EQ(recorder.overflowed, std::vector<std::string>{"Cast"});
}

TEST(Executor, an_infinite_input_is_no_overflow) {
    Executor npu(chip("910A"));
    Recorder recorder;
    npu.attach(recorder);
    const Tensor y = npu.call(
        "add_Tensor", {halves({1}, {std::numeric_limits<float>::infinity()}), halves({1}, {1})});
    EXPECT_EQ(y.at(0), 65504.0);  // saturation mode writes no inf
    EXPECT_FALSE(recorder.status.overflow());
    EXPECT_TRUE(recorder.status.input_non_finite());
}

TEST(Executor, an_exact_65504_is_no_overflow) {
    Executor npu(chip("910A"));
    Recorder recorder;
    npu.attach(recorder);
    const Tensor y = npu.call("add_Tensor", {halves({1}, {65504}), halves({1}, {0})});
    EXPECT_EQ(y.at(0), 65504.0);
    EXPECT_EQ(recorder.status.bits, 0u);
}

TEST(Executor, float32_overflows_to_infinity_on_every_device) {
    for (const Device& device : {Device::npu(chip("910A")),
                                 Device::npu(chip("910B")),
                                 Device::reference64(),
                                 Device::reference32()}) {
        Executor executor(device);
        Recorder recorder;
        executor.attach(recorder);
        const float large = std::numeric_limits<float>::max();
        const Tensor y = executor.call("add_Tensor", {floats({1}, {large}), floats({1}, {large})});
        EXPECT_EQ(y.at(0), std::numeric_limits<double>::infinity()) << device.description();
        EXPECT_TRUE(recorder.status.overflow()) << device.description();
    }
}

TEST(Executor, half_addition_follows_the_overflow_mode_of_the_chip) {
    const auto sum = [](const char* name) {
        Executor npu(chip(name));
        return npu.call("add_Tensor", {halves({1}, {40000}), halves({1}, {40000})}).tensor().at(0);
    };
    EXPECT_EQ(sum("910A"), 65504.0);
    EXPECT_EQ(sum("910B"), std::numeric_limits<double>::infinity());
}

TEST(Executor, convolution_uses_hf32_on_910B) {
    Executor npu(chip("910B"));
    Recorder recorder;
    npu.attach(recorder);
    const float almost_one = 1.0f + 0x1p-12f;  // HF32 drops the bit: the square is 1
    const Tensor y = npu.call("convolution",
                              {floats({1, 1, 1, 1}, {almost_one}),
                               floats({1, 1, 1, 1}, {almost_one}),
                               {},
                               IntList{1, 1},
                               IntList{0, 0},
                               IntList{1, 1},
                               false,
                               IntList{0, 0},
                               int64_t{1}});
    EXPECT_EQ(y.at(0), 1.0);
    EXPECT_EQ(recorder.compute_type, ComputeType::kHFloat32);
    EXPECT_EQ(recorder.kernels,
              (std::vector<std::string>{"TransData", "TransData", "Conv2D", "TransData"}));
}

TEST(Executor, the_reference_rounds_once_to_the_declared_dtype) {
    Executor cpu(Device::reference64());
    Recorder recorder;
    cpu.attach(recorder);
    // 2048 + 1 + 1: float16 steps would lose both ones; here the op adds and rounds once each.
    const Tensor y = cpu.call("sum_dim_IntList", {halves({3}, {2048, 1, 1}), {}});
    EXPECT_EQ(y.dtype(), DType::kFloat16);
    EXPECT_EQ(y.at(0), 2050.0);
    EXPECT_EQ(recorder.compute_type, ComputeType::kFloat64);
    EXPECT_EQ(cpu.device_code(), 0);
}

TEST(Executor, views_are_not_recorded_unless_asked) {
    Executor npu(chip("910A"));
    Recorder recorder;
    npu.attach(recorder);
    npu.call("view", {floats({4}, {1, 2, 3, 4}), IntList{2, -1}});
    EXPECT_FALSE(recorder.recorded);
    EXPECT_EQ(npu.last_seqid(), 0);
    npu.call("relu", {floats({1}, {1})});
    EXPECT_EQ(npu.last_seqid(), 1);
    Executor all(Device::npu(chip("910A")), {.record_views = true});
    all.call("view", {floats({4}, {1, 2, 3, 4}), IntList{2, -1}});
    EXPECT_EQ(all.last_seqid(), 1);
}

struct Loader : InputProvider {
    void provide(std::string_view name, NamedValues& inputs, const ComputedHere&) override {
        asked.emplace_back(name);
        inputs[0].value = floats({1}, {-5});
    }
    std::vector<std::string> asked;
};

TEST(Executor, an_input_provider_replaces_the_inputs_of_recorded_ops) {
    Executor npu(chip("910A"));
    Loader loader;
    npu.set_input_provider(loader);
    EXPECT_EQ(npu.call("neg", {floats({1}, {1})}).tensor().at(0), 5.0);
    npu.call("view", {floats({1}, {1}), IntList{1}});
    EXPECT_EQ(loader.asked, std::vector<std::string>{"neg"});
}

TEST(ExecutorHooks, replacing_one_kernel_changes_result_and_status) {
    Executor npu(chip("910B"));
    Recorder recorder;
    npu.attach(recorder);
    const int id = npu.add_hook(HookPoint::kBeforeKernel, "Mat*", [](HookCall& call) {
        call.skip = true;
        *call.kernel_outputs = {floats({1, 1}, {100})};
        call.status->raise(FloatStatus::kCubeOverflow);
    });
    const std::vector<Value> arguments = {
        floats({1}, {1}), floats({1, 1}, {2}), floats({1, 1}, {3})};
    EXPECT_EQ(npu.call("addmm", arguments).tensor().at(0), 101.0);
    EXPECT_TRUE(recorder.status.overflow());
    npu.remove_hook(id);
    EXPECT_EQ(npu.call("addmm", arguments).tensor().at(0), 7.0);
    EXPECT_FALSE(recorder.status.overflow());
}

TEST(ExecutorHooks, see_and_change_an_op_before_and_after) {
    Executor npu(chip("910A"));
    npu.add_hook(HookPoint::kBeforeOp, "re?u", [](HookCall& call) {
        (*call.inputs)[0].value = floats({1}, {3});
    });
    npu.add_hook(HookPoint::kAfterOp, "relu", [](HookCall& call) {
        (*call.outputs)[0].value =
            floats({1}, {static_cast<float>(std::get<Tensor>((*call.outputs)[0].value).at(0)) + 1});
    });
    EXPECT_EQ(npu.call("relu", {floats({1}, {-1})}).tensor().at(0), 4.0);
}

TEST(ExecutorHooks, rejects_a_skipped_kernel_without_outputs) {
    Executor npu(chip("910A"));
    npu.add_hook(HookPoint::kBeforeKernel, "Relu", [](HookCall& call) { call.skip = true; });
    EXPECT_THROW(npu.call("relu", {floats({1}, {1})}), Error);
}

TEST(Executor, results_do_not_depend_on_the_number_of_threads) {
    std::vector<float> values(64 * 600);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = std::sin(static_cast<float>(i)) * 3;
    const Tensor a = floats({600, 64}, values);
    const Tensor b = floats({64, 600}, values);
    const auto product = [&](int threads) {
        Executor npu(Device::npu(chip("910B")), {.threads = threads});
        const Tensor y = npu.call("mm", {a, b});
        return npu.call("sum_dim_IntList", {npu.call("exp", {y}).tensor(), IntList{1}}).tensor();
    };
    EXPECT_TRUE(identical(product(1), product(2)));
}

TEST(Executor, rejects_an_unknown_op_with_the_nearest_name) {
    Executor npu(chip("910A"));
    try {
        npu.call("adddmm", {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
        EXPECT_NE(std::string(error.what()).find("'addmm'"), std::string::npos);
    }
}

TEST(Executor, rejects_wrong_arguments_by_name) {
    Executor npu(chip("910A"));
    const auto message = [&](const std::function<void()>& call) {
        try {
            call();
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(message([&] {
                  npu.call("relu", {int64_t{1}, int64_t{2}});
              }).find("1 argument"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  npu.call("mm", {floats({1, 1}, {1})});
              }).find("'mat2'"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  npu.call_named("relu", {{"x", floats({1}, {1})}});
              }).find("'x'"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  npu.call("mm", {floats({1, 2}, {1, 2}), floats({1, 2}, {1, 2})});
              }).find("[1,2]"),
              std::string::npos);
}

TEST(Executor, tells_the_facts_of_a_run) {
    const auto facts = Executor(chip("910A")).run_facts();
    EXPECT_EQ(facts[0], (std::pair<std::string, std::string>{"device", "npu 910A"}));
    EXPECT_EQ(facts[1], (std::pair<std::string, std::string>{"chip", "910A"}));
    const auto reference = Executor(Device::reference32()).run_facts();
    EXPECT_EQ(reference[1], (std::pair<std::string, std::string>{"reference", "fp32"}));
}

}  // namespace
}  // namespace npuscope
