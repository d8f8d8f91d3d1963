#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "npu_backend/executor.h"

namespace npuscope {
namespace {

/// Values between -2 and 2 without a pattern.
Tensor values(Shape shape, int64_t salt = 0) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    auto state = static_cast<uint32_t>(salt * 2654435761 + 12345);
    for (float& value : tensor.mutable_as<float>()) {
        state = state * 1664525 + 1013904223;
        value = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-30F;
    }
    return tensor;
}

Tensor positive(int64_t count) {
    Tensor tensor = values({count}, 9);
    for (float& value : tensor.mutable_as<float>())
        value = std::fabs(value) + 0.5F;
    return tensor;
}

struct Call {
    std::string op;
    std::vector<Value> arguments;
};

/// Tensors that are cut into several tiles, of sizes that no tile divides.
std::vector<Call> calls() {
    const Tensor images = values({3, 7, 101, 103});
    const Tensor rows = values({517, 333}, 1);
    const Tensor small = values({3, 7, 33, 35}, 2);
    const IntList two = {2, 2};
    return {
        {"add_Tensor", {images, values({3, 7, 101, 103}, 3)}},
        {"add_Tensor", {rows, values({333}, 3)}},
        {"mul_Tensor", {images, values({3, 7, 101, 103}, 3)}},
        {"relu", {images}},
        {"gelu", {images}},
        {"sigmoid", {images}},
        {"exp", {images}},
        {"pow_Tensor_Scalar", {images, int64_t{3}}},
        {"addcmul", {images, values({3, 7, 101, 103}, 4), values({103}, 5)}},
        {"mse_loss", {images, values({3, 7, 101, 103}, 4), int64_t{1}}},
        {"_softmax", {rows, int64_t{1}, false}},
        {"_softmax", {rows, int64_t{0}, false}},
        {"_log_softmax", {rows, int64_t{-1}, false}},
        {"_softmax_backward_data", {rows, values({517, 333}, 6), int64_t{1}}},
        {"native_layer_norm", {rows, IntList{333}, values({333}, 7), values({333}, 8), 1e-5}},
        {"native_layer_norm_backward",
         {rows,
          values({517, 333}, 6),
          IntList{333},
          values({517, 1}, 7),
          values({517, 1}, 8),
          values({333}, 9),
          Value(),
          BoolMask{{true, true, true}}}},
        {"native_batch_norm",
         {images, positive(7), values({7}, 8), values({7}, 3), positive(7), true, 0.1, 1e-5}},
        {"native_batch_norm",
         {images, positive(7), values({7}, 8), values({7}, 3), positive(7), false, 0.1, 1e-5}},
        {"native_batch_norm_backward",
         {images,
          values({3, 7, 101, 103}, 4),
          positive(7),
          values({7}, 3),
          positive(7),
          values({7}, 5),
          positive(7),
          true,
          1e-5,
          BoolMask{{true, true, true}}}},
        {"native_group_norm",
         {images,
          positive(7),
          values({7}, 8),
          int64_t{3},
          int64_t{7},
          int64_t{101 * 103},
          int64_t{1},
          1e-5}},
        {"sum_dim_IntList", {images, IntList{0, 3}}},
        {"mean_dim", {images, IntList{2, 3}}},
        {"var_correction", {images, IntList{1}}},
        {"linalg_vector_norm", {images}},
        {"max_pool2d_with_indices", {images, IntList{3, 3}, two, IntList{1, 1}}},
        {"avg_pool2d", {images, IntList{3, 3}, two, IntList{1, 1}}},
        {"_adaptive_avg_pool2d", {images, IntList{5, 7}}},
        {"_adaptive_avg_pool2d_backward", {values({3, 7, 5, 7}, 4), images}},
        {"upsample_bilinear2d", {small, IntList{65, 71}, false}},
        {"upsample_bilinear2d_backward",
         {values({3, 7, 65, 71}, 4), IntList{65, 71}, IntList{3, 7, 33, 35}, false}},
        {"convolution",
         {small,
          values({5, 7, 3, 3}, 4),
          values({5}, 5),
          IntList{1, 1},
          IntList{1, 1},
          IntList{1, 1},
          false,
          IntList{0, 0},
          int64_t{1}}},
        {"mm", {rows, values({333, 129}, 4)}},
    };
}

class Threads : public ::testing::TestWithParam<int> {};

TEST_P(Threads, change_no_bit_of_any_result) {
    std::vector<Device> devices = {Device::reference32(),
                                   Device::reference64(),
                                   Device::npu(chip("910A")),
                                   Device::npu(chip("910B"))};
    for (const Device& device : devices)
        for (const Call& call : calls()) {
            Executor one(device, {.threads = 1});
            Executor many(device, {.threads = GetParam()});
            const Results expected = one.call(call.op, call.arguments);
            const Results results = many.call(call.op, call.arguments);
            for (size_t i = 0; i < expected.size(); ++i)
                EXPECT_TRUE(identical(expected.tensor(i), results.tensor(i)))
                    << call.op << ", result " << i << ", " << device.description();
        }
}

INSTANTIATE_TEST_SUITE_P(counts, Threads, ::testing::Values(2, 3, 5), [](const auto& row) {
    return std::to_string(row.param);
});

}  // namespace
}  // namespace npuscope
