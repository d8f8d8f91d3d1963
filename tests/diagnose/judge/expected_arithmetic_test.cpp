#include "diagnose/judge/expected_arithmetic.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "npu_backend/chips/device.h"
#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::diagnose {
namespace {

using compare::HandMadeOp;
using compare::random_tensor;

constexpr unsigned kRuns = 12;

/// Some so small that float16 has subnormals only, which tells it from TF32.
Tensor operand(const Shape& shape, unsigned seed, DType dtype) {
    const float scale = seed % 3 == 0 ? 0x1p-20F : 1;
    return compare::changed(random_tensor(shape, seed), [&](float x) { return x * scale; })
        .cast(dtype);
}

/// Products, convolutions and other ops, `runs` of each, as the device makes them.
Source made_on(const Device& device, DType dtype, unsigned runs = kRuns) {
    Executor executor(device);
    std::vector<HandMadeOp> ops;
    for (unsigned run = 1; run <= runs; ++run) {
        const Tensor a = operand({5, 9}, run, dtype);
        const Tensor b = random_tensor({9, 4}, 100 + run).cast(dtype);
        ops.push_back({"mm",
                       {{"self", a}, {"mat2", b}},
                       {{"result", executor.call("mm", {a, b}).tensor(0)}}});
        const Tensor x = operand({1, 3, 6, 6}, 200 + run, dtype);
        const Tensor w = random_tensor({4, 3, 3, 3}, 300 + run).cast(dtype);
        const Results y = executor.call_named("conv2d", {{"input", x}, {"weight", w}});
        ops.push_back({"conv2d", {{"input", x}, {"weight", w}}, {{"result", y.tensor(0)}}});
        const Tensor c = operand({7, 8}, 400 + run, dtype);
        ops.push_back(
            {"sigmoid", {{"self", c}}, {{"result", executor.call("sigmoid", {c}).tensor(0)}}});
    }
    return compare::hand_made(ops);
}

struct JudgedSource {
    explicit JudgedSource(Source from)
        : source(std::move(from)), judge(ops_of(source), 0, SideJudge::kSample, true) {}
    static std::vector<SideOp> ops_of(const Source& source) {
        std::vector<SideOp> ops;
        for (const SourceOp& op : source.ops)
            ops.push_back({&op});
        return ops;
    }
    [[nodiscard]] std::string found(OpKind kind, DType dtype = DType::kFloat32) const {
        return std::string(judge.classes().at({kind, dtype}).name());
    }

    Source source;
    SideJudge judge;
};

std::vector<std::string> texts(const ExpectedArithmetic& expected, const SideJudge& judge) {
    std::vector<std::string> lines;
    for (const auto& [group, each] : expected.contradicted_by(judge))
        lines.push_back(each.ops + ": " + each.found + " for " + each.expected + " of " +
                        each.because);
    return lines;
}

TEST(ExpectedArithmetic, of_every_chip_is_what_the_emulation_makes) {
    for (const Chip& row : all_chips()) {
        const JudgedSource made(made_on(Device::npu(row), DType::kFloat32));
        EXPECT_EQ(made.found(OpKind::kProduct), row.matrix_products) << row.name;
        EXPECT_EQ(made.found(OpKind::kConvolution), row.convolutions) << row.name;
        EXPECT_EQ(texts(ExpectedArithmetic(&row, ""), made.judge), std::vector<std::string>{})
            << row.name;
    }
}

TEST(SideJudge, finds_the_same_classes_whether_it_tries_all_or_stops_early) {
    for (const Device& device : {Device::reference32(),
                                 Device::npu(chip("910A")),
                                 Device::npu(chip("910B")),
                                 Device::npu(chip("950"))})
        for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
            const JudgedSource made(made_on(device, dtype));
            const SideJudge early(JudgedSource::ops_of(made.source));
            EXPECT_EQ(early.sentences(), made.judge.sentences()) << device.description();
        }
}

TEST(SideJudge, gives_few_runs_that_are_more_precise_than_their_like_a_class_of_their_own) {
    Source source = made_on(Device::npu(chip("910B")), DType::kFloat32);
    // One product of fp32 beside twelve convolutions of HF32 inputs.
    int products = 0;
    std::erase_if(source.ops,
                  [&](const SourceOp& op) { return op.id.op == "mm" && ++products > 1; });
    const JudgedSource made(std::move(source));
    EXPECT_EQ(made.found(OpKind::kProduct), "fp32");
    EXPECT_EQ(made.found(OpKind::kConvolution), "HF32 inputs, fp32 sums");
}

TEST(ExpectedArithmetic, of_16_bits_is_what_the_emulation_makes) {
    for (const Chip& row : all_chips())
        for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
            if (dtype == DType::kBFloat16 && !row.cube_takes_bfloat16()) continue;
            const JudgedSource made(made_on(Device::npu(row), dtype));
            EXPECT_EQ(texts(ExpectedArithmetic(&row, ""), made.judge), std::vector<std::string>{})
                << row.name << " " << name_of(dtype);
        }
}

TEST(ExpectedArithmetic, is_contradicted_once_a_kind_by_a_less_precise_class) {
    const JudgedSource made(made_on(Device::npu(chip("910A")), DType::kFloat32));
    EXPECT_EQ(texts(ExpectedArithmetic(&chip("910B"), ""), made.judge),
              (std::vector<std::string>{
                  "matrix products (float32): fp16 inputs, fp32 sums for fp32 of 910B",
                  "convolutions (float32): fp16 inputs, fp32 sums for HF32 inputs, fp32 sums of "
                  "910B"}));
    const auto found = ExpectedArithmetic(nullptr, "fp32").contradicted_by(made.judge);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].second.because, "");
    EXPECT_EQ(found[0].second.sampled, kRuns);
    EXPECT_EQ(found[0].second.found_explains, kRuns);
    EXPECT_EQ(found[0].second.expected_explains, 0);
}

TEST(ExpectedArithmetic, is_not_contradicted_by_what_is_more_precise) {
    const JudgedSource made(made_on(Device::reference32(), DType::kFloat32));
    for (const ExpectedArithmetic& expected : {ExpectedArithmetic(&chip("910A"), ""),
                                               ExpectedArithmetic(&chip("910B"), ""),
                                               ExpectedArithmetic(nullptr, "bf16 throughout")})
        EXPECT_EQ(texts(expected, made.judge), std::vector<std::string>{});
}

TEST(ExpectedArithmetic, is_not_contradicted_by_fewer_than_ten_runs) {
    const JudgedSource made(made_on(Device::npu(chip("910A")), DType::kFloat32, 9));
    EXPECT_EQ(texts(ExpectedArithmetic(nullptr, "fp32"), made.judge), std::vector<std::string>{});
}

TEST(ExpectedArithmetic, is_not_contradicted_by_numbers_that_tell_nothing) {
    std::vector<HandMadeOp> ops;
    for (unsigned run = 0; run < kRuns; ++run) {
        // By hand: every class is exact on small whole numbers.
        const Tensor a = Tensor::from<float>({1, 2}, {1, static_cast<float>(run)});
        const Tensor b = Tensor::from<float>({2, 1}, {2, 3});
        const Tensor y = Tensor::from<float>({1, 1}, {2 + 3 * static_cast<float>(run)});
        ops.push_back({"mm", {{"self", a}, {"mat2", b}}, {{"result", y}}});
    }
    const JudgedSource made(compare::hand_made(ops));
    EXPECT_EQ(texts(ExpectedArithmetic(nullptr, "fp64"), made.judge), std::vector<std::string>{});
}

TEST(ExpectedArithmetic, is_what_the_recording_says_unless_an_option_is_another) {
    Source source = made_on(Device::npu(chip("910A")), DType::kFloat32);
    EXPECT_FALSE(ExpectedArithmetic::recorded_in(source).is_anything());
    source.device_name = "npu 910B";
    source.device_options = to_string(default_options(chip("910B"))) + " record_views=off";
    const JudgedSource made(source);
    const ExpectedArithmetic expected = ExpectedArithmetic::recorded_in(source);
    ASSERT_EQ(texts(expected, made.judge).size(), 2u);
    EXPECT_NE(texts(expected, made.judge)[0].find("910B, which the file names"), std::string::npos);
    source.device_options = "matmul_hf32=on";
    EXPECT_FALSE(ExpectedArithmetic::recorded_in(source).is_anything());
    source.device_name = "cpu fp32";
    EXPECT_FALSE(ExpectedArithmetic::recorded_in(source).is_anything());
}

TEST(ExpectedArithmetic, rejects_a_class_that_does_not_exist_with_the_list) {
    try {
        (void)ExpectedArithmetic(nullptr, "fp17");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage);
        for (const std::string_view name : class_names())
            EXPECT_NE(std::string(error.what()).find("'" + std::string(name) + "'"),
                      std::string::npos);
    }
}

TEST(ClassesOfArithmetic, are_compared_by_the_bits_that_they_keep) {
    const auto product = [](std::string_view name) {
        return *std::ranges::find(product_classes(), name, &ProductClass::name);
    };
    EXPECT_TRUE(is_as_precise(product("fp32"), product("bf16 inputs, fp32 sums")));
    EXPECT_FALSE(is_as_precise(product("bf16 inputs, fp32 sums"), product("fp32")));
    EXPECT_TRUE(is_as_precise(product("fp16 inputs without subnormals, fp32 sums"),
                              product("fp16 inputs, fp32 sums")));
    EXPECT_TRUE(is_as_precise(product("fp32 by Winograd or FFT"), product("fp32")));
    EXPECT_FALSE(is_as_precise(product("int8 inputs with a scale a tensor"),
                               product("bf16 inputs, fp32 sums")));
    EXPECT_FALSE(is_as_precise(product("fp16 throughout"), product("fp16 inputs, fp32 sums")));
    EXPECT_TRUE(is_as_precise(vector_classes()[1], vector_classes()[3]));
    EXPECT_FALSE(is_as_precise(vector_classes()[3], vector_classes()[2]));
}

}  // namespace
}  // namespace npuscope::diagnose
