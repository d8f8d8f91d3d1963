// Small integers on the Cube: which chip takes which, exact sums, the ends of int32.
#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

template <class T>
Tensor whole(Shape shape, std::vector<T> values) {
    return Tensor::from<T>(std::move(shape), std::span<const T>(values));
}

NamedValues convolution(int64_t stride, int64_t pad, int64_t groups) {
    return {{"strides", IntList{1, 1, stride, stride}},
            {"pads", IntList{pad, pad, pad, pad}},
            {"dilations", IntList{1, 1, 1, 1}},
            {"groups", groups},
            {"output_padding", IntList{0, 0}},
            {"output_dtype", DType::kInt32}};
}
const NamedValues kPlain = {{"transpose_x1", false}, {"transpose_x2", false}};

NamedValues with_bits(NamedValues values, int64_t bits) {
    values.push_back({"operand_bits", bits});
    return values;
}

template <class Run>
std::string message_of(Run&& run) {
    try {
        run();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Conv2DOfIntegers, sums_the_window_under_the_filter_in_int32) {
    const Tensor x = whole<int8_t>({1, 1, 3, 3}, {1, -2, 3, 4, 5, 6, 127, -128, 9});
    const Tensor filter = whole<int8_t>({1, 1, 2, 2}, {127, 0, 1, -128});
    const KernelRun run =
        run_kernel("Conv2D", {x, filter, Tensor::scalar<int32_t>(1000)}, convolution(1, 0, 1));
    // By hand: 127 + 4 - 640, -254 + 5 - 768, 508 + 127 + 16384, 635 - 128 - 1152, plus 1000.
    EXPECT_TRUE(identical(run.outputs[0], whole<int32_t>({1, 1, 2, 2}, {491, -17, 18019, 355})));
    EXPECT_EQ(run.status.bits, 0u);
}

TEST(Conv2DOfIntegers, takes_groups_strides_and_padding) {
    const Tensor x = whole<int8_t>({1, 2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40});
    const Tensor filter = whole<int8_t>({2, 1, 1, 1}, {2, -3});
    const KernelRun run = run_kernel("Conv2D", {x, filter}, convolution(2, 1, 2));
    EXPECT_TRUE(
        identical(run.outputs[0], whole<int32_t>({1, 2, 2, 2}, {0, 0, 0, 8, 0, 0, 0, -120})));
}

TEST(Conv2DOfIntegers, transposed_spreads_each_pixel) {
    const KernelRun run =
        run_kernel("Conv2DTranspose",
                   {whole<int8_t>({1, 1, 1, 2}, {1, -2}), whole<int8_t>({1, 1, 1, 2}, {100, 1})},
                   convolution(2, 0, 1));
    EXPECT_TRUE(identical(run.outputs[0], whole<int32_t>({1, 1, 1, 4}, {100, 1, -200, -2})));
}

/// Who takes it, by Intrinsic_mmad of the chips' platform files.
struct Taken {
    const char* what;
    Tensor left, right;
    int64_t bits;
    std::vector<std::string_view> chips;
};

TEST(CubeIntegers, are_taken_by_the_chips_table) {
    const Tensor i8 = whole<int8_t>({1, 1, 1, 1}, {7});
    const Tensor u8 = whole<uint8_t>({1, 1, 1, 1}, {7});
    const std::vector<Taken> rows = {
        {"int8 with int8", i8, i8, 8, {"910A", "310P", "910B", "A3", "950"}},
        {"uint8 with int8", u8, i8, 8, {"910A", "310P"}},
        {"uint8 with uint8", u8, u8, 8, {"910A", "310P"}},
        {"int4", i8, i8, 4, {"310P", "910B", "A3"}},
    };
    for (const Taken& row : rows)
        for (const Chip& chip : all_chips()) {
            SCOPED_TRACE(std::string(chip.name) + " " + row.what);
            const auto convolve = [&] {
                return run_kernel("Conv2D",
                                  {row.left, row.right},
                                  with_bits(convolution(1, 0, 1), row.bits),
                                  Device::npu(chip));
            };
            const auto multiply = [&] {
                return run_kernel("MatMul",
                                  {row.left.reshaped({1, 1}), row.right.reshaped({1, 1})},
                                  with_bits(kPlain, row.bits),
                                  Device::npu(chip));
            };
            if (std::ranges::find(row.chips, chip.name) != row.chips.end()) {
                EXPECT_EQ(convolve().at(0), 49);
                EXPECT_EQ(multiply().at(0), 49);
                EXPECT_EQ(convolve().outputs[0].dtype(), DType::kInt32);
            } else {
                const std::string refusal =
                    "the Cube of chip " + std::string(chip.name) + " does not take " + row.what;
                EXPECT_NE(message_of(convolve).find(refusal), std::string::npos)
                    << message_of(convolve);
                EXPECT_NE(message_of(multiply).find(refusal), std::string::npos);
            }
        }
}

TEST(CubeIntegers, rejects_what_is_no_int4) {
    const Tensor eight = whole<int8_t>({1, 1}, {8});
    const std::string message = message_of([&] {
        (void)run_kernel("MatMul", {eight, eight}, with_bits(kPlain, 4), b());
    });
    EXPECT_NE(message.find("8 is no int4, which has -8 to 7"), std::string::npos) << message;
    const Tensor unsigned_ = whole<uint8_t>({1, 1}, {1});
    EXPECT_THROW((void)run_kernel("MatMul", {unsigned_, unsigned_}, with_bits(kPlain, 4), b()),
                 Error);
}

TEST(CubeIntegers, rejects_gradients_and_float_bias) {
    const Tensor x = whole<int8_t>({1, 1, 1, 1}, {1});
    NamedValues named = convolution(1, 0, 1);
    named.push_back({"input_size", IntList{1, 1, 1, 1}});
    EXPECT_THROW((void)run_kernel("Conv2DBackpropInput", {x, x}, named), Error);
    EXPECT_THROW((void)run_kernel("Conv2D", {x, x, floats({1}, {0.5f})}, convolution(1, 0, 1)),
                 Error);
}

TEST(CubeIntegers, beyond_int32_clamp_or_wrap_by_the_mode) {
    // 2^17 + 1 products of (-128)^2 = 2^14 are 2^31 + 2^14.
    const int64_t k = (1 << 17) + 1;
    const Tensor x(DType::kInt8, {1, k});
    Tensor low = x;
    for (int8_t& value : low.mutable_as<int8_t>())
        value = -128;
    const std::vector<Tensor> inputs = {low, low.reshaped({k, 1})};
    const KernelRun clamped = run_kernel("MatMul", inputs, kPlain, a());
    EXPECT_EQ(clamped.at(0), INT32_MAX);
    EXPECT_EQ(clamped.status.bits, FloatStatus::kCubeOverflow);
    const KernelRun wrapped = run_kernel("MatMul", inputs, kPlain, b());
    EXPECT_EQ(wrapped.at(0), static_cast<double>(INT32_MIN) + (1 << 14));
    EXPECT_EQ(wrapped.status.bits, FloatStatus::kCubeOverflow);
}

}  // namespace
}  // namespace npuscope::backend::test
