// Each option of a chip changes a result, by hand calculation: none is accepted without effect.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "npu_backend/executor.h"
#include "npu_backend/float_status_register.h"
#include "tests/support/values.h"

namespace npuscope {
namespace {

using Settings = std::vector<std::string>;
using Probe = double (*)(Executor& npu);

constexpr float kBig = 0x1p24f;
constexpr float kStep = 1 + 0x1p-12f;  // needs more than float16's and HF32's bits
constexpr float kMax = std::numeric_limits<float>::max();
using test::floats;
using test::half;
using test::kInf;

double called(Executor& npu, std::string_view op, std::vector<Value> arguments) {
    return npu.call(op, std::move(arguments)).tensor().at(0);
}

/// A dot product of `k` terms: `products` by their places, the others 0. 2^24 is 2^12 on both
/// sides, so that float16 holds every operand.
template <int kLength>
double dot(Executor& npu, const std::vector<std::pair<size_t, float>>& products) {
    std::vector<float> left(kLength, 0.0f);
    std::vector<float> right(kLength, 1.0f);
    for (const auto& [place, product] : products) {
        const bool large = product == kBig;
        left[place] = large ? 0x1p12f : product;
        right[place] = large ? 0x1p12f : 1.0f;
    }
    return called(npu, "mm", {floats({1, kLength}, left), floats({kLength, 1}, right)});
}

double product_of(Executor& npu, float a, float b) {
    return called(npu, "mm", {floats({1, 1}, {a}), floats({1, 1}, {b})});
}

double convolution_of(Executor& npu, const Tensor& x, const Tensor& filter, Value bias) {
    const IntList one = {1, 1};
    const IntList none = {0, 0};
    return called(
        npu, "convolution", {x, filter, std::move(bias), one, none, one, false, none, int64_t{1}});
}

/// Whether the register of a second program on the same card sees the first one's overflow.
double seen_by_another_program(Executor& npu) {
    DeviceFloatStatus card;
    FloatStatusRegister own(npu.device().options, &card);
    const FloatStatusRegister other(npu.device().options, &card);
    npu.attach(own);
    (void)npu.call("add_Tensor", {half(40000), half(40000)});
    npu.detach(own);
    EXPECT_TRUE(own.set());
    const bool seen = other.set();
    own.clear_v2();
    EXPECT_FALSE(other.set());
    return seen ? 1 : 0;
}

struct StatusOfLastOp : Observer {
    void op_end(const OpEnd& event) override { overflow = event.status.overflow(); }
    bool overflow = false;
};

/// Whether an op that only received infinity counts as one that overflowed.
double infinity_counts(Executor& npu) {
    StatusOfLastOp observer;
    npu.attach(observer);
    (void)npu.call("add_Tensor", {half(INFINITY), half(1)});
    npu.detach(observer);
    return observer.overflow ? 1 : 0;
}

struct Effect {
    const char* key;
    const char* value;
    const char* chip;
    Settings around;  ///< in both runs
    Probe probe;
    double before, after;
};

const std::vector<Effect> kEffects = {
    {"overflow_mode",
     "sat",
     "910B",
     {},
     [](Executor& npu) {
         return called(npu, "add_Tensor", {half(40000), half(40000)});
     },
     kInf,
     65504},
    {"cube_acc",
     "blk16_exact",
     "910A",
     {},
     [](Executor& npu) {
         return dot<16>(npu, {{0, kBig}, {1, 1}, {2, 1}});
     },
     0x1p24,
     0x1p24 + 2},
    // Two ones meet 2^24 together, or each in a block of its own.
    {"cube_k_block",
     "8",
     "910A",
     {"cube_acc=blk16_exact"},
     [](Executor& npu) {
         return dot<16>(npu, {{0, kBig}, {1, 1}, {8, 1}});
     },
     0x1p24 + 2,
     0x1p24},
    // The second half of k keeps its two ones.
    {"cube_split_k",
     "2",
     "910A",
     {},
     [](Executor& npu) {
         return dot<64>(npu, {{0, kBig}, {32, 1}, {48, 1}});
     },
     0x1p24,
     0x1p24 + 2},
    {"cube_split_order",
     "descending",
     "910A",
     {"cube_split_k=3"},
     [](Executor& npu) {
         return dot<48>(npu, {{0, kBig}, {16, 1}, {32, 1}});
     },
     0x1p24,
     0x1p24 + 2},
    {"cube_bias",
     "post_add",
     "910A",
     {},
     [](Executor& npu) {
         std::vector<float> x(32, 0.0f);
         x[0] = x[16] = 1;
         return convolution_of(npu,
                               floats({1, 32, 1, 1}, x),
                               floats({1, 32, 1, 1}, std::vector<float>(32, 1)),
                               floats({1}, {kBig}));
     },
     0x1p24,
     0x1p24 + 2},
    {"cube_c_half",
     "on",
     "910A",
     {},
     [](Executor& npu) {
         return dot<4>(npu, {{0, 2048}, {1, 1}, {2, 1}, {3, 1}});
     },
     2051,
     2048},
    {"conv_hf32",
     "off",
     "910B",
     {},
     [](Executor& npu) {
         return convolution_of(
             npu, floats({1, 1, 1, 1}, {kStep}), floats({1, 1, 1, 1}, {1}), Value{});
     },
     1,
     kStep},
    {"matmul_hf32",
     "on",
     "910B",
     {},
     [](Executor& npu) { return product_of(npu, kStep, 1); },
     kStep,
     1},
    {"hf32_tie",
     "away",
     "910B",
     {"matmul_hf32=on"},
     [](Executor& npu) { return product_of(npu, kStep, 1); },
     1,
     1 + 0x1p-11},
    {"hf32_mantissa",
     "10",
     "910B",
     {"matmul_hf32=on"},
     [](Executor& npu) { return product_of(npu, 1 + 0x1p-11f, 1); },
     1 + 0x1p-11,
     1},
    {"fp32_on_910A",
     "keep",
     "910A",
     {},
     [](Executor& npu) { return product_of(npu, kStep, 1); },
     1,
     kStep},
    {"fp32_on_910A_out",
     "float16",
     "910A",
     {},
     [](Executor& npu) { return product_of(npu, 300, 300); },
     90000,
     65504},
    {"fp32_sat_910A",
     "on",
     "910A",
     {},
     [](Executor& npu) {
         return called(npu, "add_Tensor", {floats({1}, {kMax}), floats({1}, {kMax})});
     },
     kInf,
     kMax},
    {"vec_ftz",
     "on",
     "910B",
     {},
     [](Executor& npu) {
         return called(npu, "div_Tensor", {floats({1}, {0x1p-130f}), floats({1}, {0.25f})});
     },
     0x1p-128,
     0},
    // 1.0009765625^2 = 1 + 2^-9 + 2^-20, of which float16 keeps 1 + 2^-9.
    {"vec_fma",
     "fma",
     "910B",
     {},
     [](Executor& npu) {
         return called(
             npu, "add_Tensor", {half(-1 - 0x1p-9f), half(1 + 0x1p-10f), Scalar{1.0 + 0x1p-10}});
     },
     0,
     0x1p-20},
    // One unit of the last place below or above 1/4.
    {"rec_ulp",
     "1",
     "910B",
     {},
     [](Executor& npu) { return std::fabs(called(npu, "reciprocal", {floats({1}, {4})}) - 0.25); },
     0,
     0x1p-25},
    {"exp_ulp",
     "1",
     "910B",
     {},
     [](Executor& npu) { return std::fabs(called(npu, "exp", {floats({1}, {0})}) - 1); },
     0,
     0x1p-23},
    // The rational function reaches 1 and is cut there.
    {"op_impl_mode",
     "high_performance_for_all",
     "910B",
     {},
     [](Executor& npu) { return called(npu, "tanh", {floats({1}, {8})}) == 1 ? 1.0 : 0.0; },
     0,
     1},
    {"op_impl_types",
     "Tanh",
     "910B",
     {"op_impl_mode=high_performance"},
     [](Executor& npu) { return called(npu, "tanh", {floats({1}, {8})}) == 1 ? 1.0 : 0.0; },
     0,
     1},
    {"reduce_order",
     "sequential",
     "910B",
     {},
     [](Executor& npu) {
         std::vector<float> values(256, 0.0f);
         values[0] = kBig;
         values[128] = values[192] = 1;
         return called(npu, "sum_dim_IntList", {floats({256}, values), IntList{0}});
     },
     0x1p24 + 2,
     0x1p24},
    {"status_scope", "process", "910A", {}, seen_by_another_program, 1, 0},
    {"status_inputs_nan", "on", "910A", {}, infinity_counts, 0, 1},
    {"precision_mode",
     "force_fp16",
     "910B",
     {},
     [](Executor& npu) {
         return called(npu, "add_Tensor", {floats({1}, {kStep}), floats({1}, {0})});
     },
     kStep,
     1},
    {"precision_white",
     "add_Tensor",
     "910B",
     {"precision_mode=allow_mix_precision"},
     [](Executor& npu) {
         return called(npu, "add_Tensor", {floats({1}, {kStep}), floats({1}, {0})});
     },
     kStep,
     1},
    {"precision_black",
     "MatMul",
     "910B",
     {"precision_mode=allow_mix_precision"},
     [](Executor& npu) { return product_of(npu, kStep, 1); },
     1,
     kStep},
    {"precision_grey",
     "mm",
     "910B",
     {"precision_mode=allow_mix_precision"},
     [](Executor& npu) { return product_of(npu, kStep, 1); },
     1,
     kStep},
};

TEST(OptionEffects, every_option_has_one) {
    for (const OptionRow& row : all_options())
        EXPECT_TRUE(std::ranges::any_of(kEffects, [&](const Effect& effect) {
            return effect.key == row.key;
        })) << row.key;
}

TEST(OptionEffects, are_those_calculated_by_hand) {
    for (const Effect& effect : kEffects) {
        SCOPED_TRACE(effect.key);
        Settings settings = effect.around;
        Executor plain(Device::npu(chip(effect.chip), settings));
        EXPECT_EQ(effect.probe(plain), effect.before);
        settings.push_back(std::string(effect.key) + "=" + effect.value);
        Executor set(Device::npu(chip(effect.chip), settings));
        EXPECT_EQ(effect.probe(set), effect.after);
    }
}

}  // namespace
}  // namespace npuscope
