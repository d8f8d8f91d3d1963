// The published vectors of the sum inside the Cube and of HF32, through whole kernels on every
// chip.
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

constexpr float kTiny = 0x1p-24f;
constexpr float kBig = 0x1p24f;

using Runs = std::vector<std::pair<float, int>>;

/// Products with the bits that seq_rne, blk16_exact, tree16_rne, align_trunc0 and align_trunc3
/// give.
struct Vector {
    const char* name;
    Runs products;
    uint32_t sums[5];
};
constexpr const char* kModels[] = {
    "seq_rne", "blk16_exact", "tree16_rne", "align_trunc0", "align_trunc3"};

const std::vector<Vector> kVectors = {
    {"C1", {{1, 1}, {kTiny, 15}}, {0x3F800000, 0x3F800008, 0x3F800007, 0x3F800000, 0x3F800007}},
    {"C2", {{kTiny, 15}, {1, 1}}, {0x3F800008, 0x3F800008, 0x3F800007, 0x3F800000, 0x3F800007}},
    {"C3",
     {{1, 1}, {0, 15}, {kTiny, 16}},
     {0x3F800000, 0x3F800008, 0x3F800008, 0x3F800000, 0x3F800008}},
    {"C5",
     {{kBig, 1}, {1, 1}, {-kBig, 1}, {0, 13}},
     {0x00000000, 0x3F800000, 0x00000000, 0x00000000, 0x3F800000}},
    {"C6",
     {{kBig, 1}, {0, 15}, {1, 1}, {-kBig, 1}, {0, 14}},
     {0x00000000, 0x3F800000, 0x3F800000, 0x00000000, 0x3F800000}},
    {"C7", {{kBig, 1}, {1, 15}}, {0x4B800000, 0x4B800008, 0x4B800007, 0x4B800000, 0x4B800007}},
    {"C8", {{1, 1}, {kTiny, 31}}, {0x3F800000, 0x3F800010, 0x3F80000F, 0x3F800000, 0x3F80000F}},
};

/// Both sides in float16: 2^-24 = 0C00 * 0C00, 2^24 = 6C00 * 6C00, else a factor of 1.
struct Operands {
    std::vector<uint16_t> left, right;

    explicit Operands(const Runs& products) {
        for (const auto& [product, count] : products) {
            const float size = std::fabs(product);
            const uint16_t root = size == kTiny ? 0x0C00 : size == kBig ? 0x6C00 : 0x3C00;
            const uint16_t other = root == 0x3C00 ? npuscope::to_float16(size).bits : root;
            const auto sign = static_cast<uint16_t>(product < 0 ? 0x8000 : 0);
            left.insert(left.end(), static_cast<size_t>(count), other | sign);
            right.insert(right.end(), static_cast<size_t>(count), root);
        }
    }
    [[nodiscard]] int64_t k() const { return static_cast<int64_t>(left.size()); }
};

uint32_t bits_of(const KernelRun& run) {
    return std::bit_cast<uint32_t>(run.outputs.at(0).as<float>()[0]);
}

Device with(const Chip& chip, const std::string& setting) {
    return Device::npu(chip, std::vector<std::string>{setting});
}

const NamedValues kProduct = {
    {"transpose_x1", false}, {"transpose_x2", false}, {"output_dtype", DType::kFloat32}};
const NamedValues kConvolution = {{"strides", IntList{1, 1, 1, 1}},
                                  {"pads", IntList{0, 0, 0, 0}},
                                  {"dilations", IntList{1, 1, 1, 1}},
                                  {"groups", int64_t{1}},
                                  {"output_dtype", DType::kFloat32}};

TEST(CubeVectors, come_out_of_matrix_products_and_convolutions_on_every_chip) {
    for (const Chip& chip : all_chips())
        for (const Vector& vector : kVectors)
            for (size_t model = 0; model < std::size(kModels); ++model) {
                SCOPED_TRACE(std::string(chip.name) + " " + vector.name + " " + kModels[model]);
                const Device device = with(chip, std::string("cube_acc=") + kModels[model]);
                const Operands operands(vector.products);
                const Tensor left = half_bits(operands.left);
                const Tensor right = half_bits(operands.right);
                const KernelRun product = run_kernel(
                    "MatMul",
                    {left.reshaped({1, operands.k()}), right.reshaped({operands.k(), 1})},
                    kProduct,
                    device);
                EXPECT_EQ(bits_of(product), vector.sums[model]);
                const KernelRun convolution = run_kernel("Conv2D",
                                                         {left.reshaped({1, operands.k(), 1, 1}),
                                                          right.reshaped({1, operands.k(), 1, 1})},
                                                         kConvolution,
                                                         device);
                EXPECT_EQ(bits_of(convolution), vector.sums[model]);
            }
}

TEST(CubeVectors, the_default_adds_one_product_after_the_other) {
    for (const Chip& chip : all_chips()) {
        const Operands operands(kVectors[0].products);
        const KernelRun run = run_kernel("MatMul",
                                         {half_bits(operands.left).reshaped({1, operands.k()}),
                                          half_bits(operands.right).reshaped({operands.k(), 1})},
                                         kProduct,
                                         Device::npu(chip));
        EXPECT_EQ(bits_of(run), kVectors[0].sums[0]) << chip.name;
    }
}

TEST(CubeVectors, a_half_accumulator_stays_at_2048) {
    // C9.
    const Operands operands({{2048, 1}, {1, 15}});
    const std::vector<Tensor> inputs = {half_bits(operands.left).reshaped({1, 16}),
                                        half_bits(operands.right).reshaped({16, 1})};
    for (const Chip& chip : all_chips()) {
        EXPECT_EQ(run_kernel("MatMul", inputs, kProduct, Device::npu(chip)).at(0), 2063);
        if (!chip.cube_half_accumulator) continue;
        EXPECT_EQ(run_kernel("MatMul", inputs, kProduct, with(chip, "cube_c_half=on")).at(0), 2048);
    }
}

TEST(CubeVectors, hf32_rounds_both_factors) {
    const Tensor x = floats({1, 1}, {1 + 0x1p-12f});
    for (const char* name : {"910B", "A3", "950"}) {
        const Chip& row = chip(name);
        EXPECT_EQ(bits_of(run_kernel("MatMul", {x, x}, kProduct, with(row, "matmul_hf32=on"))),
                  0x3F800000u);
        EXPECT_EQ(bits_of(run_kernel("MatMul", {x, x}, kProduct, Device::npu(row))), 0x3F801000u);
    }
    // 3F801000 needs 11 bits.
    const Tensor eleven = floats({1, 1}, {1 + 0x1p-11f});
    const Tensor one = floats({1, 1}, {1});
    const auto product = [&](const char* name) {
        return bits_of(
            run_kernel("MatMul", {eleven, one}, kProduct, with(chip(name), "matmul_hf32=on")));
    };
    EXPECT_EQ(product("910B"), 0x3F801000u);
    EXPECT_EQ(product("950"), 0x3F800000u);
}

}  // namespace
}  // namespace npuscope::backend::test
