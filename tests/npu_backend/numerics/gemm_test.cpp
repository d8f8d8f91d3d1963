#include "npu_backend/numerics/gemm.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <hwy/highway.h>
#include <random>

#include <gtest/gtest.h>

#include "npu_backend/numerics/cube_chain.h"
#include "npu_backend/numerics/gemm_blocks.h"
#include "npu_backend/numerics/operand_range.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {
namespace {

/// Runs a test with each set of vector instructions that this machine has, then restores all.
template <class Body>
void with_each_target(Body&& body) {
#ifdef HWY_COMPILE_ONLY_STATIC
    body();
#else
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(target);
        SCOPED_TRACE(hwy::TargetName(target));
        body();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
#endif
}

std::vector<float> halves(size_t count, unsigned seed, float scale = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, scale);
    std::vector<float> values(count);
    for (float& value : values)
        value = to_float(npuscope::to_float16(normal(random)));
    return values;
}

struct Case {
    int64_t m, n, k;
};
const std::vector<Case> kCases = {
    {1, 1, 1}, {5, 3, 7}, {13, 33, 17}, {64, 70, 300}, {2, 600, 40}, {25, 1, 513}};

std::vector<float> product(const Case& size,
                           const std::vector<float>& a,
                           const std::vector<float>& b,
                           bool exact,
                           int threads = 1) {
    std::vector<float> c(static_cast<size_t>(size.m * size.n), 0.25f);
    const PackedLeft<float> left({a.data(), size.k, 1}, size.m, size.k, threads);
    gemm<float>({c.data(), size.n, size.m, size.n, size.k},
                left,
                stored<float>({b.data(), 1, size.n}, size.k),
                exact,
                threads);
    return c;
}

std::vector<float> by_chains(const CubeModel& model,
                             const Case& size,
                             const std::vector<float>& a,
                             const std::vector<float>& b) {
    std::vector<float> c;
    for (int64_t i = 0; i < size.m; ++i)
        for (int64_t j = 0; j < size.n; ++j)
            c.push_back(
                chain(model, {a.data() + i * size.k}, {b.data() + j, size.n}, size.k, 0.25f));
    return c;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Gemm, is_one_chain_over_k_on_every_instruction_set) {
    with_each_target([] {
        for (const Case& size : kCases) {
            const auto a = halves(static_cast<size_t>(size.m * size.k), 1);
            const auto b = halves(static_cast<size_t>(size.n * size.k), 2);
            const auto expected = by_chains({}, size, a, b);
            EXPECT_TRUE(same_bits(product(size, a, b, true), expected)) << size.m << " " << size.n;
            EXPECT_TRUE(same_bits(product(size, a, b, false), expected)) << size.m << " " << size.n;
        }
    });
}

TEST(Gemm, rounds_products_that_are_not_exact_alike_everywhere) {
    with_each_target([] {
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        const Case size{31, 45, 270};
        std::vector<float> a(static_cast<size_t>(size.m * size.k));
        std::vector<float> b(static_cast<size_t>(size.n * size.k));
        for (auto* values : {&a, &b})
            for (float& value : *values)
                value = normal(random);
        EXPECT_FALSE(products_are_exact<float>(range_of<float>(a, 1), range_of<float>(b, 1)));
        EXPECT_TRUE(same_bits(product(size, a, b, false), by_chains({}, size, a, b)));
    });
}

TEST(Gemm, does_not_depend_on_threads) {
    const Case size{100, 700, 300};
    const auto a = halves(static_cast<size_t>(size.m * size.k), 4);
    const auto b = halves(static_cast<size_t>(size.n * size.k), 5);
    EXPECT_TRUE(same_bits(product(size, a, b, true, 1), product(size, a, b, true, 3)));
}

TEST(Gemm, float64_is_a_chain_too) {
    with_each_target([] {
        std::mt19937_64 random(6);
        std::normal_distribution<double> normal;
        std::vector<double> a(20 * 50);
        std::vector<double> b(50 * 30);
        for (auto* values : {&a, &b})
            for (double& value : *values)
                value = normal(random);
        std::vector<double> c(20 * 30, 0.0);
        const PackedLeft<double> left({a.data(), 50, 1}, 20, 50, 1);
        gemm<double>(
            {c.data(), 30, 20, 30, 50}, left, stored<double>({b.data(), 1, 30}, 50), false, 1);
        for (size_t i = 0; i < 20; ++i)
            for (size_t j = 0; j < 30; ++j) {
                double sum = 0;
                for (size_t k = 0; k < 50; ++k)
                    sum += a[i * 50 + k] * b[k * 30 + j];
                ASSERT_EQ(c[i * 30 + j], sum);
            }
    });
}

TEST(GemmBlocks, rounds_each_block_once_on_every_instruction_set) {
    with_each_target([] {
        for (const int64_t block : {16, 8, 5})
            for (const Case& size : kCases) {
                const CubeModel model{.accumulation = CubeAccumulation::kBlockExact,
                                      .block = block};
                const auto a = halves(static_cast<size_t>(size.m * size.k), 7, 30);
                const auto b = halves(static_cast<size_t>(size.n * size.k), 8);
                std::vector<float> c(static_cast<size_t>(size.m * size.n), 0.25f);
                gemm_blocks({c.data(), size.n, size.m, size.n, size.k},
                            model,
                            {a.data(), size.k, 1},
                            stored<float>({b.data(), 1, size.n}, size.k),
                            2);
                EXPECT_TRUE(same_bits(c, by_chains(model, size, a, b))) << size.m << " " << block;
            }
    });
}

TEST(GemmBlocks, decides_ties_and_cancellation_exactly) {
    with_each_target([] {
        // Rows: a tie at 1 + 2^-24, one broken by 2^-48, 2^24 + 1 - 2^24, inf.
        const std::vector<float> a = {1,
                                      0x1p-12f,
                                      0,
                                      0,
                                      1,
                                      0x1p-12f,
                                      0x1p-24f,
                                      0,
                                      0x1p12f,
                                      1,
                                      -0x1p12f,
                                      0,
                                      INFINITY,
                                      1,
                                      1,
                                      1};
        const std::vector<float> b = {1, 0x1p-12f, 0x1p-24f, 0};
        std::vector<float> c(4, 0.0f);
        const CubeModel model{.accumulation = CubeAccumulation::kBlockExact, .block = 16};
        gemm_blocks(
            {c.data(), 1, 4, 1, 4}, model, {a.data(), 4, 1}, stored<float>({b.data(), 1, 1}, 4), 1);
        EXPECT_EQ(std::bit_cast<uint32_t>(c[0]), 0x3F800000u);
        EXPECT_EQ(std::bit_cast<uint32_t>(c[1]), 0x3F800001u);
        EXPECT_EQ(c[2], chain(model, {a.data() + 8}, {b.data()}, 4, 0));
        EXPECT_EQ(c[3], INFINITY);
    });
}

}  // namespace
}  // namespace npuscope::backend
