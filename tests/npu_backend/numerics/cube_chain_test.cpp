#include "npu_backend/numerics/cube_chain.h"

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/values.h"

namespace npuscope::backend {
namespace {

using Acc = CubeAccumulation;

using test::bits;

float sum_of(const CubeModel& model, const std::vector<float>& products, float c0 = 0) {
    // Each product is a float16 times a float16: 2^-24 = 2^-12 2^-12, 2^24 = 2^12 2^12.
    std::vector<float> a;
    std::vector<float> b;
    for (const float p : products) {
        const bool power = p != 0 && (std::fabs(p) < 0x1p-14f || std::fabs(p) > 65504);
        const float root = power ? std::ldexp(1.0f, std::ilogb(p) / 2) : 1.0f;
        a.push_back(p / root);
        b.push_back(root);
    }
    return chain(model, {a.data()}, {b.data()}, static_cast<int64_t>(a.size()), c0);
}

std::vector<float> terms(std::initializer_list<std::pair<float, int>> runs) {
    std::vector<float> all;
    for (const auto& [value, count] : runs)
        all.insert(all.end(), static_cast<size_t>(count), value);
    return all;
}

struct Row {
    const char* name;
    std::vector<float> products;
    uint32_t sequential, exact, tree, trunc0, trunc3;
};

const float kTiny = 0x1p-24f;
const float kBig = 0x1p24f;

const std::vector<Row> kRows = {
    {"C1",
     terms({{1, 1}, {kTiny, 15}}),
     0x3F800000,
     0x3F800008,
     0x3F800007,
     0x3F800000,
     0x3F800007},
    {"C2",
     terms({{kTiny, 15}, {1, 1}}),
     0x3F800008,
     0x3F800008,
     0x3F800007,
     0x3F800000,
     0x3F800007},
    {"C3",
     terms({{1, 1}, {0, 15}, {kTiny, 16}}),
     0x3F800000,
     0x3F800008,
     0x3F800008,
     0x3F800000,
     0x3F800008},
    {"C5", terms({{kBig, 1}, {1, 1}, {-kBig, 1}, {0, 13}}), 0, 0x3F800000, 0, 0, 0x3F800000},
    {"C6",
     terms({{kBig, 1}, {0, 15}, {1, 1}, {-kBig, 1}, {0, 14}}),
     0,
     0x3F800000,
     0x3F800000,
     0,
     0x3F800000},
    {"C7", terms({{kBig, 1}, {1, 15}}), 0x4B800000, 0x4B800008, 0x4B800007, 0x4B800000, 0x4B800007},
    {"C8",
     terms({{1, 1}, {kTiny, 31}}),
     0x3F800000,
     0x3F800010,
     0x3F80000F,
     0x3F800000,
     0x3F80000F},
};

TEST(CubeChain, gives_the_published_bits_of_every_model) {
    for (const Row& row : kRows) {
        EXPECT_EQ(bits(sum_of({.accumulation = Acc::kSequential}, row.products)), row.sequential)
            << row.name;
        EXPECT_EQ(bits(sum_of({.accumulation = Acc::kBlockExact}, row.products)), row.exact)
            << row.name;
        EXPECT_EQ(bits(sum_of({.accumulation = Acc::kBlockTree}, row.products)), row.tree)
            << row.name;
        EXPECT_EQ(bits(sum_of({.accumulation = Acc::kAlignTrunc0}, row.products)), row.trunc0)
            << row.name;
        EXPECT_EQ(bits(sum_of({.accumulation = Acc::kAlignTrunc3}, row.products)), row.trunc3)
            << row.name;
    }
}

TEST(CubeChain, a_half_accumulator_stays_at_2048) {
    // C9.
    const std::vector<float> products = terms({{2048, 1}, {1, 15}});
    EXPECT_EQ(sum_of({.half_accumulator = true}, products), 2048);
    EXPECT_EQ(sum_of({}, products), 2063);
    EXPECT_EQ(sum_of({.half_accumulator = true, .saturates = true}, {65504, 65504, -1000}), 64512);
}

TEST(CubeChain, exact_k_rounds_once_over_blocks) {
    // By blocks 1 + 2^24 rounds to 2^24 and the 1 is lost; only 2^-24 remains. Exactly: 1 + 2^-24,
    // a tie that goes to 1.
    const std::vector<float> products =
        terms({{1, 1}, {0, 15}, {kBig, 1}, {0, 15}, {-kBig, 1}, {0, 15}, {kTiny, 1}});
    EXPECT_EQ(bits(sum_of({.accumulation = Acc::kExact}, products)), 0x3F800000u);
    EXPECT_EQ(bits(sum_of({.accumulation = Acc::kBlockExact}, products)), 0x33800000u);
}

TEST(CubeChain, parts_of_k_have_accumulators_of_their_own) {
    // 2^24 first, 32 ones: one chain loses every one, a part of its own keeps its sixteen.
    const std::vector<float> products = terms({{kBig, 1}, {1, 31}});
    EXPECT_EQ(sum_of({.accumulation = Acc::kSequential}, products), kBig);
    EXPECT_EQ(sum_of({.accumulation = Acc::kSequential, .split = 2}, products), kBig + 16);
    const std::vector<float> three = terms({{kBig, 16}, {-kBig, 16}, {1, 16}});
    EXPECT_EQ(sum_of({.split = 3}, three), 16);
    EXPECT_EQ(sum_of({.split = 3, .split_order = SplitOrder::kDescending}, three), 16);
    const std::vector<float> ordered =
        terms({{kBig, 1}, {0, 15}, {1, 1}, {0, 15}, {1, 1}, {0, 15}});
    EXPECT_EQ(sum_of({.split = 3}, ordered), kBig);
    EXPECT_EQ(sum_of({.split = 3, .split_order = SplitOrder::kDescending}, ordered), kBig + 2);
}

TEST(CubeChain, an_exact_block_of_float32_is_the_exact_sum_rounded) {
    std::mt19937 random(11);
    std::uniform_int_distribution<uint32_t> fraction(0, 0x7fffff);
    std::uniform_int_distribution<uint32_t> exponent(110, 140);
    const auto draw = [&](int round) {
        // Every third round few bits, so that sums meet ties; every fifth a wide range.
        const uint32_t bits_of = round % 3 == 0 ? fraction(random) & 0x700000u : fraction(random);
        const uint32_t power = round % 5 == 0 ? exponent(random) : 127;
        return std::bit_cast<float>(static_cast<uint32_t>(random() & 1u) << 31 | power << 23 |
                                    bits_of);
    };
    for (int round = 0; round < 30000; ++round) {
        float a[8];
        float b[8];
        const float first = std::ldexp(draw(round), round % 7 == 0 ? 24 : 0);
        ExactSum sum;
        sum.add(first);
        for (size_t i = 0; i < 8; ++i) {
            a[i] = draw(round);
            b[i] = draw(round);
            sum.add_scaled(a[i], b[i]);
        }
        ASSERT_EQ(bits(chain({.accumulation = Acc::kBlockExact, .block = 8}, {a}, {b}, 8, first)),
                  bits(sum.rounded()))
            << round;
    }
}

TEST(CubeChain, the_accumulators_first_value_takes_part) {
    EXPECT_EQ(bits(sum_of({.accumulation = Acc::kBlockExact}, terms({{kTiny, 16}}), 1)),
              0x3F800008u);
    EXPECT_EQ(bits(sum_of({.accumulation = Acc::kSequential}, terms({{kTiny, 16}}), 1)),
              0x3F800000u);
}

TEST(CubeChain, follows_ieee_754_for_inf_and_nan) {
    const float inf = INFINITY;
    for (const Acc acc :
         {Acc::kSequential, Acc::kBlockExact, Acc::kBlockTree, Acc::kAlignTrunc3, Acc::kExact}) {
        const CubeModel model{.accumulation = acc};
        const float a[] = {inf, 1};
        const float zero[] = {0, 1};
        const float two[] = {2, 1};
        EXPECT_TRUE(std::isnan(chain(model, {a}, {zero}, 2, 0)));
        EXPECT_EQ(chain(model, {a}, {two}, 2, 0), inf);
        EXPECT_TRUE(std::isnan(chain(model, {a}, {two}, 2, -inf)));
        EXPECT_TRUE(std::isnan(chain(model, {two}, {two}, 2, NAN)));
        // Finite terms beyond float32: signed infinity.
        const float large[] = {3e38f, 3e38f};
        EXPECT_EQ(chain(model, {large}, {two}, 1, 0), inf);
    }
}

TEST(ExactSum, agrees_with_a_long_double_where_that_is_exact) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> whole(-2047, 2047);
    std::uniform_int_distribution<int> power(-8, 8);
    for (int round = 0; round < 2000; ++round) {
        ExactSum sum;
        long double expected = 0;
        for (int i = 0; i < 16; ++i) {
            const float a = std::ldexp(static_cast<float>(whole(random)), power(random));
            const float b = std::ldexp(static_cast<float>(whole(random)), power(random));
            sum.add_scaled(a, b);
            expected += static_cast<long double>(a) * b;
        }
        EXPECT_EQ(bits(sum.rounded()), bits(static_cast<float>(expected) + 0.0f));
    }
}

// The chain takes a short cut through doubles; the digits of ExactSum know no short cut. Few bits
// and far exponents make ties, near ties and cancellation common.
TEST(Chain, exact_block_is_the_exact_sum_whatever_the_range) {
    std::mt19937 random(11);
    for (const int reach : {2, 8, 30, 60}) {
        std::uniform_int_distribution<int> whole(-7, 7);
        std::uniform_int_distribution<int> power(-reach, reach);
        for (int round = 0; round < 5000; ++round) {
            const auto draw = [&] {
                return std::ldexp(static_cast<float>(whole(random)), power(random));
            };
            std::vector<float> a(16);
            std::vector<float> b(16);
            const float c = draw();
            ExactSum sum;
            sum.add(c);
            for (size_t i = 0; i < a.size(); ++i) {
                a[i] = draw();
                b[i] = draw();
                sum.add_scaled(a[i], b[i]);
            }
            const float got =
                chain({.accumulation = Acc::kBlockExact}, {a.data()}, {b.data()}, 16, c);
            ASSERT_EQ(bits(got), bits(sum.rounded())) << "reach " << reach << " round " << round;
        }
    }
}

TEST(ExactSum, keeps_the_ends_of_the_range) {
    ExactSum tiny;
    tiny.add_scaled(0x1p-149f, 0x1p-149f);
    EXPECT_EQ(tiny.rounded(), 0.0f);
    tiny.add(0x1p-149f);
    EXPECT_EQ(tiny.rounded(), 0x1p-149f);
    ExactSum half;
    half.add_scaled(0x1p-149f, 0.5f);
    EXPECT_EQ(half.rounded(), 0.0f);  // a tie
    half.add_scaled(0x1p-149f, 0x1p-149f);
    EXPECT_EQ(half.rounded(), 0x1p-149f);
    ExactSum large;
    large.add_scaled(0x1.fffffep127f, 0x1.fffffep127f);
    EXPECT_EQ(large.rounded(), INFINITY);
    large.add_scaled(-0x1.fffffep127f, 0x1.fffffep127f);
    large.add(-1);
    EXPECT_EQ(large.rounded(), -1.0f);
}

}  // namespace
}  // namespace npuscope::backend
