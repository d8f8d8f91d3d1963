#include "npu_backend/numerics/cast.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::backend {
namespace {

const Numerics kA{Device::npu(chip("910A")), 1};
const Numerics kB{Device::npu(chip("910B")), 1};
const Numerics kReference{Device::reference64(), 1};

Tensor single(uint32_t bits) {
    return Tensor::scalar<float>(std::bit_cast<float>(bits));
}

// Published vectors of float32 to float16, inf/nan mode and saturation mode.
TEST(Cast, float32_to_float16_follows_the_published_vectors) {
    struct Row {
        uint32_t input;
        uint16_t infnan, saturate;
    };
    constexpr Row kRows[] = {{0x3F801000, 0x3C00, 0x3C00},
                             {0x3F803000, 0x3C02, 0x3C02},
                             {0x3F801001, 0x3C01, 0x3C01},
                             {0x477FE000, 0x7BFF, 0x7BFF},
                             {0x477FEFFF, 0x7BFF, 0x7BFF},
                             {0x477FF000, 0x7C00, 0x7BFF},
                             {0x47800000, 0x7C00, 0x7BFF},
                             {0x7F800000, 0x7C00, 0x7BFF},
                             {0xFF800000, 0xFC00, 0xFBFF},
                             {0x33000000, 0x0000, 0x0000},
                             {0x33000001, 0x0001, 0x0001},
                             {0x33C00000, 0x0002, 0x0002},
                             {0x387FE000, 0x0400, 0x0400},
                             {0xB3000000, 0x8000, 0x8000},
                             {0x80000000, 0x8000, 0x8000}};
    for (const Row& row : kRows) {
        FloatStatus ignored;
        EXPECT_EQ(
            cast_tensor(single(row.input), DType::kFloat16, kB, ignored).as<Float16>()[0].bits,
            row.infnan)
            << std::hex << row.input;
        EXPECT_EQ(
            cast_tensor(single(row.input), DType::kFloat16, kA, ignored).as<Float16>()[0].bits,
            row.saturate)
            << std::hex << row.input;
    }
    FloatStatus status;
    EXPECT_EQ(cast_tensor(single(0x7FC00000), DType::kFloat16, kA, status).as<Float16>()[0].bits,
              0x0000);
    EXPECT_TRUE(std::isnan(cast_tensor(single(0x7FC00000), DType::kFloat16, kB, status).at(0)));
}

TEST(Cast, float32_to_bfloat16_follows_the_published_vectors) {
    struct Row {
        uint32_t input;
        uint16_t infnan, saturate;
    };
    constexpr Row kRows[] = {{0x3F808000, 0x3F80, 0x3F80},
                             {0x3F818000, 0x3F82, 0x3F82},
                             {0x3F808001, 0x3F81, 0x3F81},
                             {0x7F7FFFFF, 0x7F80, 0x7F7F},
                             {0x7F7F7FFF, 0x7F7F, 0x7F7F}};
    for (const Row& row : kRows) {
        FloatStatus ignored;
        EXPECT_EQ(
            cast_tensor(single(row.input), DType::kBFloat16, kB, ignored).as<BFloat16>()[0].bits,
            row.infnan);
        EXPECT_EQ(
            cast_tensor(single(row.input), DType::kBFloat16, kA, ignored).as<BFloat16>()[0].bits,
            row.saturate);
    }
}

TEST(Cast, status_tells_overflow_from_infinite_inputs) {
    const auto status_of = [](float value, const Numerics& numerics) {
        FloatStatus status;
        (void)cast_tensor(Tensor::scalar<float>(value), DType::kFloat16, numerics, status);
        return status.bits;
    };
    for (const Numerics* numerics : {&kA, &kB}) {
        EXPECT_EQ(status_of(65504.0f, *numerics), 0u);
        EXPECT_EQ(status_of(65520.0f, *numerics), FloatStatus::kOverflow);
        EXPECT_EQ(status_of(INFINITY, *numerics), FloatStatus::kVectorInputNonFinite);
        EXPECT_EQ(status_of(NAN, *numerics), FloatStatus::kVectorInputNonFinite);
    }
    FloatStatus status;
    (void)cast_tensor(Tensor::scalar<float>(-1), DType::kUInt8, kA, status);
    EXPECT_EQ(status.bits, FloatStatus::kNegativeToUnsigned);
    FloatStatus clean;
    (void)cast_tensor(Tensor::scalar<float>(-1), DType::kInt8, kA, clean);
    (void)cast_tensor(Tensor::scalar<float>(1), DType::kUInt8, kA, clean);
    EXPECT_EQ(clean.bits, 0u);
}

template <class To>
To converted(double value, const Numerics& numerics) {
    FloatStatus status;
    return cast_tensor(
               Tensor::scalar<float>(static_cast<float>(value)), kDTypeOf<To>, numerics, status)
        .template as<To>()[0];
}

// Cast boundary table of Ascend C: infinities clamp, nan becomes 0, in both modes.
TEST(Cast, floats_clamp_to_integers_on_chips) {
    for (const Numerics* numerics : {&kA, &kB}) {
        EXPECT_EQ(converted<int32_t>(INFINITY, *numerics), INT32_MAX);
        EXPECT_EQ(converted<int32_t>(-INFINITY, *numerics), INT32_MIN);
        EXPECT_EQ(converted<int32_t>(NAN, *numerics), 0);
        EXPECT_EQ(converted<int16_t>(1e6, *numerics), 32767);
        EXPECT_EQ(converted<int64_t>(-1e30, *numerics), INT64_MIN);
        EXPECT_EQ(converted<int32_t>(-2.9, *numerics), -2);
    }
}

// Further rows of that table: half and bfloat16 to int32, both ends of int16 and int64.
TEST(Cast, special_values_of_narrow_floats_follow_the_table) {
    const Tensor specials = Tensor::from<float>({5}, {INFINITY, -INFINITY, NAN, 2.5f, -2.5f});
    for (const Numerics* numerics : {&kA, &kB})
        for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
            FloatStatus status;
            const Tensor whole =
                cast_tensor(specials.cast(dtype), DType::kInt32, *numerics, status);
            EXPECT_EQ(whole.at(0), INT32_MAX);
            EXPECT_EQ(whole.at(1), INT32_MIN);
            EXPECT_EQ(whole.at(2), 0);
            // The operator truncates, as TensorFlow does.
            EXPECT_EQ(whole.at(3), 2);
            EXPECT_EQ(whole.at(4), -2);
        }
    EXPECT_EQ(converted<int16_t>(-1e6, kA), -32768);
    EXPECT_EQ(converted<int16_t>(NAN, kB), 0);
    EXPECT_EQ(converted<int64_t>(1e30, kA), INT64_MAX);
    EXPECT_EQ(converted<int64_t>(INFINITY, kB), INT64_MAX);
}

TEST(Cast, wider_floats_keep_inf_and_nan_in_both_modes) {
    const Tensor specials = Tensor::from<float>({3}, {INFINITY, -INFINITY, NAN});
    for (const Numerics* numerics : {&kA, &kB}) {
        FloatStatus status;
        const Tensor wide =
            cast_tensor(specials.cast(DType::kFloat16), DType::kFloat32, *numerics, status);
        EXPECT_EQ(wide.at(0), INFINITY);
        EXPECT_EQ(wide.at(1), -INFINITY);
        EXPECT_TRUE(std::isnan(wide.at(2)));
        EXPECT_FALSE(status.overflow());
    }
}

TEST(Cast, float32_specials_become_bfloat16_by_the_mode) {
    const Tensor specials = Tensor::from<float>({3}, {INFINITY, -INFINITY, NAN});
    FloatStatus status;
    const Tensor saturated = cast_tensor(specials, DType::kBFloat16, kA, status);
    EXPECT_EQ(saturated.as<BFloat16>()[0].bits, 0x7F7F);
    EXPECT_EQ(saturated.as<BFloat16>()[1].bits, 0xFF7F);
    EXPECT_EQ(saturated.as<BFloat16>()[2].bits, 0x0000);
    const Tensor kept = cast_tensor(specials, DType::kBFloat16, kB, status);
    EXPECT_EQ(kept.as<BFloat16>()[0].bits, 0x7F80);
    EXPECT_EQ(kept.as<BFloat16>()[1].bits, 0xFF80);
    EXPECT_TRUE(std::isnan(kept.at(2)));
}

TEST(Cast, the_largest_int16_is_32768_in_float16) {
    FloatStatus status;
    const Tensor largest = Tensor::scalar<int16_t>(INT16_MAX);
    EXPECT_EQ(cast_tensor(largest, DType::kFloat16, kA, status).at(0), 32768);
    EXPECT_FALSE(status.overflow());
}

TEST(Cast, float32_saturates_where_the_option_says_so) {
    const std::vector<std::string> settings = {"fp32_sat_910A=on"};
    const Numerics numerics{Device::npu(chip("910A"), settings), 1};
    FloatStatus status;
    const Tensor wide = Tensor::from<double>({3}, {1e300, -1e300, NAN});
    const Tensor narrow = cast_tensor(wide, DType::kFloat32, numerics, status);
    EXPECT_EQ(narrow.at(0), std::numeric_limits<float>::max());
    EXPECT_EQ(narrow.at(1), std::numeric_limits<float>::lowest());
    EXPECT_EQ(narrow.at(2), 0);
    EXPECT_EQ(cast_tensor(wide, DType::kFloat32, kA, status).at(0), INFINITY);
}

// The operator Cast masks with 255 where the instruction would clamp.
TEST(Cast, eight_bit_integers_wrap_on_chips) {
    EXPECT_EQ(converted<int8_t>(200.7, kA), -56);
    EXPECT_EQ(converted<uint8_t>(-1, kA), 255);
    EXPECT_EQ(converted<uint8_t>(300, kB), 44);
}

TEST(Cast, wide_integers_clamp_to_narrow_ones_on_chips) {
    FloatStatus status;
    const Tensor wide = Tensor::from<int64_t>({2}, {int64_t{1} << 40, -(int64_t{1} << 40)});
    const Tensor narrow = cast_tensor(wide, DType::kInt32, kA, status);
    EXPECT_EQ(narrow.at(0), INT32_MAX);
    EXPECT_EQ(narrow.at(1), INT32_MIN);
    EXPECT_TRUE(status.overflow());
}

TEST(Cast, an_integer_beyond_float16_overflows) {
    FloatStatus status;
    const Tensor whole = Tensor::scalar<int32_t>(100000);
    EXPECT_EQ(cast_tensor(whole, DType::kFloat16, kA, status).at(0), 65504);
    EXPECT_TRUE(status.overflow());
    EXPECT_TRUE(std::isinf(cast_tensor(whole, DType::kFloat16, kB, status).at(0)));
}

TEST(Cast, a_reference_converts_as_numpy) {
    EXPECT_EQ(converted<int32_t>(-2.9, kReference), -2);
    EXPECT_EQ(converted<int64_t>(12345, kReference), 12345);
}

}  // namespace
}  // namespace npuscope::backend
