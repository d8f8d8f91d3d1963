#include "diagnose/judge/rounded_operands.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "diagnose/judge/part_of_run.h"
#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

/// Bits of all kinds: subnormal numbers, ties, the largest, infinities, NaN.
std::vector<float> floats() {
    std::vector<float> values;
    std::mt19937 bits(1);
    for (int i = 0; i < 20000; ++i)
        values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits())));
    for (const uint32_t exponent : {0U, 1U, 102U, 103U, 112U, 113U, 127U, 142U, 143U, 254U, 255U})
        for (const uint32_t fraction :
             {0U, 0x1000U, 0x0fffU, 0x1001U, 0x3000U, 0x8000U, 0x18000U, 0x0800U, 0x7fffffU})
            for (const uint32_t sign : {0U, 1U})
                values.push_back(std::bit_cast<float>(sign << 31U | exponent << 23U | fraction));
    return values;
}

/// Held against the rounding of one number, by the definition of a format.
TEST(RoundedOperands, are_what_a_format_makes_of_each_element) {
    const std::vector<float> values = floats();
    const auto count = static_cast<int64_t>(values.size());
    const OpRun run = test::recorded_run("mm",
                                         {{"self", Tensor::from<float>({1, count}, values)},
                                          {"mat2", Tensor::from<float>({count, 1}, values)}},
                                         Tensor::zeros(DType::kFloat32, {1, 1}));
    int tried = 0;
    for (const ProductClass& by : product_classes()) {
        if (by.rounding != OperandRounding::kNearest) continue;
        ++tried;
        const NamedValues rounded = rounded_operands(run, by, Rounded::kOperands);
        const auto elements = tensor_named(rounded, "mat2")->as<double>();
        for (size_t i = 0; i < values.size(); ++i) {
            const double expected = by.operands.rounded(values[i]);
            if (std::isnan(expected)) {
                EXPECT_TRUE(std::isnan(elements[i]));
                continue;
            }
            ASSERT_EQ(elements[i], expected) << by.name << " of " << values[i];
        }
    }
    EXPECT_GE(tried, 3);
}

const ProductClass& quantized() {
    return *std::ranges::find(
        product_classes(), OperandRounding::kQuantized, &ProductClass::rounding);
}

// The largest is 127 steps of 2: 3 is a step and a half, which goes to the even two.
TEST(RoundedOperands, are_steps_of_the_largest_in_8_bits) {
    const Tensor a = Tensor::from<float>({2, 2}, {254, 3, -0.9F, -5.1F});
    const OpRun run = test::recorded_run(
        "mm", {{"self", a}, {"mat2", Tensor::zeros(DType::kFloat32, {2, 2})}}, a);
    const NamedValues rounded = rounded_operands(run, quantized(), Rounded::kOperands);
    const auto elements = tensor_named(rounded, "self")->as<double>();
    EXPECT_EQ(std::vector(elements.begin(), elements.end()), (std::vector<double>{254, 4, 0, -6}));
    EXPECT_EQ(tensor_named(rounded, "mat2")->as<double>()[0], 0);
}

// The row that is kept does not have the largest.
TEST(RoundedOperands, of_a_part_are_steps_of_the_whole) {
    std::vector<float> values(32, 3);
    values.back() = 254;
    const Tensor a = Tensor::from<float>({16, 2}, values);
    const Tensor unit = Tensor::from<float>({2, 2}, {1, 0, 0, 1});
    const OpRun whole = test::recorded_run("mm", {{"self", a}, {"mat2", unit}}, a);
    const OpRun part = leading_rows(whole, 2);
    ASSERT_EQ(part.results.front().elements.dim(0), 1);
    EXPECT_EQ(largest_of(part, "self"), 254);
    const NamedValues rounded = rounded_operands(part, quantized(), Rounded::kOperands);
    EXPECT_EQ(tensor_named(rounded, "self")->as<double>()[0], 4);
}

TEST(RoundedOperands, leave_a_bias_as_it_is_unless_it_is_asked_for) {
    const Tensor third = Tensor::from<float>({1, 1}, {1.0F / 3});
    const OpRun run =
        test::recorded_run("addmm", {{"self", third}, {"mat1", third}, {"mat2", third}}, third);
    const ProductClass by{
        .name = "fp16", .rounding = OperandRounding::kNearest, .operands = kFloat16};
    const auto bias = [&](Rounded which) {
        return tensor_named(rounded_operands(run, by, which), "self")->as<double>()[0];
    };
    const double exact = 1.0F / 3;
    EXPECT_EQ(bias(Rounded::kOperands), exact);
    EXPECT_EQ(bias(Rounded::kNothing), exact);
    EXPECT_EQ(bias(Rounded::kBiasToo), kFloat16.rounded(exact));
}

}  // namespace
}  // namespace npuscope::diagnose
