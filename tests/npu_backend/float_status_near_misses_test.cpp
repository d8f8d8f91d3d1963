// What looks like overflow and is none, and what is overflow though it looks harmless, on every
// chip: the status comes from the arithmetic, not from the values.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "npu_backend/executor.h"
#include "npu_backend/float_status_register.h"
#include "tests/support/values.h"

namespace npuscope {
namespace {

using test::floats;
using test::halves;
using test::kInf;
using test::kNan;

struct OpCall {
    const char* what;
    const char* op;
    std::vector<Value> arguments;
};

bool overflows(const Chip& chip, const OpCall& call) {
    const Device device = Device::npu(chip);
    Executor npu(device);
    FloatStatusRegister status(device.options);
    npu.attach(status);
    (void)npu.call(call.op, call.arguments);
    npu.detach(status);
    return status.set();
}

std::vector<OpCall> near_misses() {
    return {
        {"65504 + 0", "add_Tensor", {halves({1}, {65504}), halves({1}, {0})}},
        {"32752 + 32752 is 65504", "add_Tensor", {halves({1}, {32752}), halves({1}, {32752})}},
        {"65504 + 15.99 rounds to 65504",
         "add_Tensor",
         {halves({1}, {65504}), halves({1}, {15.9921875f})}},
        {"-65504 * 1", "mul_Tensor", {halves({1}, {-65504}), halves({1}, {1})}},
        {"a product of exactly 65504",
         "mm",
         {halves({1, 2}, {181, 1}), halves({2, 1}, {361, 163})}},
        {"a sum of exactly 65504",
         "sum_dim_IntList",
         {halves({4}, {16376, 16376, 16376, 16376}), IntList{0}}},
        {"a sum whose middle is beyond float16",
         "sum_dim_IntList",
         {halves({4}, {65504, 65504, -65504, -65504}), IntList{0}}},
        {"65519 rounds to 65504", "_to_copy", {floats({1}, {65519}), Value{DType::kFloat16}}},
        {"inf from outside", "add_Tensor", {halves({1}, {kInf}), halves({1}, {1})}},
        {"inf through the Cube", "mm", {halves({1, 1}, {kInf}), halves({1, 1}, {2})}},
        {"nan from outside", "mul_Tensor", {halves({1}, {kNan}), halves({1}, {2})}},
        {"inf - inf", "sub_Tensor", {halves({1}, {kInf}), halves({1}, {kInf})}},
        {"inf to float16", "_to_copy", {floats({1}, {kInf}), Value{DType::kFloat16}}},
        {"a masked softmax", "_softmax", {halves({1, 2}, {1, -kInf}), int64_t{1}, false}},
        {"an underflow", "mul_Tensor", {halves({1}, {0x1p-24f}), halves({1}, {0.5f})}},
    };
}

std::vector<OpCall> overflowing() {
    return {
        {"40000 + 40000", "add_Tensor", {halves({1}, {40000}), halves({1}, {40000})}},
        {"65504 + 16", "add_Tensor", {halves({1}, {65504}), halves({1}, {16})}},
        {"a product of 65520", "mm", {halves({1, 1}, {1820}), halves({1, 1}, {36})}},
        {"65520 to float16", "_to_copy", {floats({1}, {65520}), Value{DType::kFloat16}}},
        {"beside an inf from outside",
         "add_Tensor",
         {halves({2}, {kInf, 40000}), halves({2}, {1, 40000})}},
        {"float32", "add_Tensor", {floats({1}, {3e38f}), floats({1}, {3e38f})}},
        {"1 / 0", "reciprocal", {halves({1}, {0})}},
    };
}

TEST(FloatStatus, near_misses_set_it_on_no_chip) {
    for (const Chip& chip : all_chips())
        for (const OpCall& call : near_misses())
            EXPECT_FALSE(overflows(chip, call)) << chip.name << ": " << call.what;
}

TEST(FloatStatus, overflow_sets_it_on_every_chip) {
    for (const Chip& chip : all_chips())
        for (const OpCall& call : overflowing())
            EXPECT_TRUE(overflows(chip, call)) << chip.name << ": " << call.what;
}

TEST(FloatStatus, an_op_that_overflows_inside_sets_it_though_its_result_is_finite) {
    // 2 * 40000 is rounded before it is added: in saturation mode the result is ordinary.
    const OpCall call{
        "alpha", "add_Tensor", {halves({1}, {-30016}), halves({1}, {40000}), Scalar{2.0}}};
    EXPECT_TRUE(overflows(chip("910A"), call));
    Executor npu(chip("910A"));
    EXPECT_EQ(npu.call(call.op, call.arguments).tensor().at(0), 35488);
}

}  // namespace
}  // namespace npuscope
