// A fault in one kernel is named as that kernel, and no neighbour of it.
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/dtype/float16.h"
#include "diagnose/kernels/map.h"
#include "dumper/dump_scope.h"
#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

using Kernel = std::function<void(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs)>;

struct Fault {
    std::string name;
    std::string op;
    std::vector<Value> arguments;
    std::string kernel;   ///< CANN type
    int occurrence = 0;   ///< of that type within the op
    size_t position = 0;  ///< of that launch within the op
    Kernel wrong;
};

/// Numbers between -1 and 1 that do not repeat, some with more bits than a float16.
Tensor numbers(Shape shape, double scale = 1, double shift = 0) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    uint32_t state = 12345;
    for (float& value : tensor.mutable_as<float>()) {
        state = state * 1664525u + 1013904223u;
        value =
            static_cast<float>(shift + scale * (static_cast<double>(state >> 8) / (1 << 23) - 1));
    }
    return tensor;
}

std::vector<Value> convolution(int64_t channels) {
    return {numbers({2, channels, 5, 5}),
            numbers({4, channels, 3, 3}),
            numbers({4}, 1, 2),
            IntList{1, 1},
            IntList{1, 1},
            IntList{1, 1},
            false,
            IntList{0, 0},
            int64_t{1}};
}

std::vector<Value> batch_norm() {
    return {numbers({2, 3, 4, 4}, 0.1, 0.05),
            numbers({3}, 1, 2),
            numbers({3}),
            numbers({3}),
            numbers({3}, 0.5, 1),
            true,
            0.1,
            1e-5};
}

/// Channels of [N, C, H, W] after the first `kept` become zero.
void lose_channels(std::vector<Tensor>& outputs, int64_t kept) {
    const Shape shape = outputs[0].shape();
    Tensor changed = outputs[0].cast(DType::kFloat32);
    const auto values = changed.mutable_as<float>();
    const int64_t plane = shape[2] * shape[3];
    for (size_t i = 0; i < values.size(); ++i)
        if (static_cast<int64_t>(i) / plane % shape[1] >= kept) values[i] = 0;
    outputs[0] = changed.cast(outputs[0].dtype());
}

/// float32 to float16 with the low bits cut off.
void cast_toward_zero(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
    const auto wide = inputs[0].as<float>();
    const auto narrow = outputs[0].mutable_as<Float16>();
    for (size_t i = 0; i < wide.size(); ++i)
        if (std::abs(to_float(narrow[i])) > std::abs(wide[i])) narrow[i].bits -= 1;
}

/// Of [M, K] x [K, N], only the first `used` products of each sum.
void multiply_some(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs, int64_t used) {
    const Tensor& a = inputs[0];
    const Tensor& b = inputs[1];
    const auto values = outputs[0].mutable_as<float>();
    for (int64_t row = 0; row < a.dim(0); ++row)
        for (int64_t column = 0; column < b.dim(1); ++column) {
            double sum = 0;
            for (int64_t k = 0; k < used; ++k)
                sum += a.at(row * a.dim(1) + k) * b.at(k * b.dim(1) + column);
            values[static_cast<size_t>(row * b.dim(1) + column)] = static_cast<float>(sum);
        }
}

/// y of a batch norm in training as if epsilon were another.
void normalise_with(double epsilon,
                    const std::vector<Tensor>& inputs,
                    std::vector<Tensor>& outputs) {
    const Tensor& x = inputs[0];
    const int64_t channels = x.dim(1);
    const int64_t plane = x.dim(2) * x.dim(3);
    const auto count = static_cast<double>(x.dim(0) * plane);
    const auto y = outputs[0].mutable_as<float>();
    for (int64_t i = 0; i < x.numel(); ++i) {
        const int64_t c = i / plane % channels;
        const double mean = inputs[1].at(c) / count;
        const double variance = inputs[2].at(c) / count - mean * mean;
        y[static_cast<size_t>(i)] = static_cast<float>(
            (x.at(i) - mean) / std::sqrt(variance + epsilon) * inputs[3].at(c) + inputs[4].at(c));
    }
}

void square_sum_in_half(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
    const Tensor& x = inputs[0];
    const int64_t plane = x.dim(2) * x.dim(3);
    std::vector<float> sums(static_cast<size_t>(x.dim(1)));
    for (int64_t i = 0; i < x.numel(); ++i) {
        float& sum = sums[static_cast<size_t>(i / plane % x.dim(1))];
        sum = to_float(to_float16(sum + x.at(i) * x.at(i)));
    }
    outputs[1] = Tensor::from<float>(outputs[1].shape(), std::span<const float>(sums));
}

void scale_row(std::vector<Tensor>& outputs, size_t output, double factor) {
    for (float& value : outputs[output].mutable_as<float>())
        value = static_cast<float>(value * factor);
}

std::vector<Fault> faults() {
    const auto addmm = [] {
        return std::vector<Value>{numbers({4}), numbers({4, 20}), numbers({20, 4})};
    };
    return {
        {"TransDataOfOddChannels",
         "convolution",
         convolution(3),
         "TransData",
         0,
         2,
         [](const auto&, auto& y) { lose_channels(y, 2); }},
        {"TransDataOfTheResult",
         "convolution",
         convolution(3),
         "TransData",
         2,
         5,
         [](const auto&, auto& y) { lose_channels(y, 3); }},
        {"CastThatCutsBits", "convolution", convolution(3), "Cast", 1, 1, cast_toward_zero},
        {"Conv2DWithoutBias",
         "convolution",
         convolution(3),
         "Conv2D",
         0,
         4,
         [](const auto& x, auto& y) {
             const auto values = y[0].template mutable_as<float>();
             for (size_t i = 0; i < values.size(); ++i)
                 values[i] -= static_cast<float>(x[2].at(static_cast<int64_t>(i / 25 % 4)));
         }},
        {"BNTrainingUpdateEpsilon",
         "native_batch_norm",
         batch_norm(),
         "BNTrainingUpdate",
         0,
         2,
         [](const auto& x, auto& y) { normalise_with(1e-3, x, y); }},
        {"BNTrainingReduceInHalf",
         "native_batch_norm",
         batch_norm(),
         "BNTrainingReduce",
         0,
         1,
         square_sum_in_half},
        {"MatMulWithoutTheTailOfK",
         "addmm",
         addmm(),
         "MatMul",
         0,
         5,
         [](const auto& x, auto& y) { multiply_some(x, y, 16); }},
        {"MulsByAnotherConstant",
         "addmm",
         addmm(),
         "Muls",
         0,
         0,
         [](const auto&, auto& y) { scale_row(y, 0, 1 + 1e-4); }},
        {"AddAlongTheOtherAxis",
         "addmm",
         addmm(),
         "Add",
         0,
         7,
         [](const auto& x, auto& y) {
             const auto values = y[0].template mutable_as<float>();
             for (size_t i = 0; i < values.size(); ++i)
                 values[i] = static_cast<float>(x[0].at(static_cast<int64_t>(i)) +
                                                x[1].at(static_cast<int64_t>(i / 4)));
         }},
        {"LayerNormWithNMinusOne",
         "native_layer_norm",
         {numbers({3, 16}), IntList{16}, numbers({16}), numbers({16}), 1e-5},
         "LayerNorm",
         0,
         0,
         [](const auto&, auto& y) { scale_row(y, 2, 16.0 / 15); }},
    };
}

class PlantedFault : public ::testing::TestWithParam<size_t> {};

std::filesystem::path golden_of(const Fault& fault, const test::TempDir& folder) {
    const auto path = folder / "golden.h5";
    Executor executor(Device::reference64());
    dumper::DumpScope scope(executor, {.use_dump = true, .dump_path = path});
    executor.call(fault.op, fault.arguments);
    static_cast<void>(scope.close());
    return path;
}

void plant(Executor& executor, const Fault& fault) {
    const auto seen = std::make_shared<int>(0);
    executor.add_hook(HookPoint::kAfterKernel, fault.kernel, [fault, seen](HookCall& call) {
        if ((*seen)++ == fault.occurrence) fault.wrong(*call.kernel_inputs, *call.kernel_outputs);
    });
}

TEST_P(PlantedFault, is_named_and_not_its_neighbours) {
    const Fault fault = faults()[GetParam()];
    const test::TempDir folder;
    MapOptions options;
    options.ops = golden_of(fault, folder);
    options.device = Device::npu(chip("910A"));

    const Mapping clean = map_ops(options);
    ASSERT_EQ(clean.ops.size(), 1u);
    EXPECT_EQ(clean.ops[0].skipped, "");
    EXPECT_FALSE(clean.ops[0].first_culprit);

    options.prepare = [&](Executor& executor) { plant(executor, fault); };
    const Mapping mapping = map_ops(options);
    const MappedOp& op = mapping.ops.at(0);
    ASSERT_TRUE(op.first_culprit) << to_text(mapping, false, true);
    EXPECT_EQ(*op.first_culprit, fault.position) << to_text(mapping, false, true);
    EXPECT_EQ(op.kernels[*op.first_culprit].type, fault.kernel);
    for (size_t i = 0; i < op.kernels.size(); ++i)
        EXPECT_EQ(op.kernels[i].verdict_name() == "pass", i != fault.position)
            << to_text(mapping, false, true);
    EXPECT_TRUE(mapping.finding());
}

INSTANTIATE_TEST_SUITE_P(kernels,
                         PlantedFault,
                         ::testing::Range<size_t>(0, 10),
                         [](const auto& row) { return faults()[row.param].name; });

/// Gradients of 1e-7: float16's smallest number is 6e-8, so that a correct Cast loses them.
TEST(PlantedFaults, a_cast_that_underflows_is_named_too) {
    const Fault fault{.name = "",
                      .op = "mm",
                      .arguments = {numbers({4, 8}, 1e-7), numbers({8, 4})},
                      .kernel = "",
                      .wrong = {}};
    const test::TempDir folder;
    MapOptions options;
    options.ops = golden_of(fault, folder);
    options.device = Device::npu(chip("910A"));
    const Mapping mapping = map_ops(options);
    const MappedOp& op = mapping.ops.at(0);
    ASSERT_TRUE(op.first_culprit) << to_text(mapping, false, true);
    EXPECT_EQ(*op.first_culprit, 0u);
    EXPECT_EQ(op.kernels[0].type, "Cast");
    EXPECT_EQ(op.kernels[0].rule().substr(0, 20), "rounding underflows:");
    EXPECT_GT(op.kernels[0].judged->introduced, 0.1);
    EXPECT_EQ(op.kernels[1].verdict_name(), "pass");
}

TEST(PlantedFaults, are_ten) {
    EXPECT_EQ(faults().size(), 10u);
}

}  // namespace
}  // namespace npuscope::diagnose
