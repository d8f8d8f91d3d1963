#include "npu_backend/numerics/wide_blocks.h"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::backend {
namespace {

struct BlockedProduct {
    int64_t m, n, k, block;
};

/// A block's exact sum, rounded once: the slow formula. What left float32 stays infinite.
float slow_chain(
    const float* a, const float* b, int64_t b_stride, const BlockedProduct& size, float c) {
    for (int64_t start = 0; start < size.k && std::isfinite(c); start += size.block) {
        ExactSum sum;
        sum.add(c);
        for (int64_t i = start; i < std::min(size.k, start + size.block); ++i)
            sum.add_scaled(a[i], b[i * b_stride]);
        c = sum.rounded();
    }
    return c;
}

void expect_slow_chains(const BlockedProduct& size,
                        const std::vector<float>& a,
                        const std::vector<float>& b,
                        float first,
                        int threads) {
    std::vector<float> c(static_cast<size_t>(size.m * size.n), first);
    gemm_wide_blocks({c.data(), size.n, size.m, size.n, size.k},
                     {.accumulation = CubeAccumulation::kBlockExact, .block = size.block},
                     {a.data(), size.k, 1},
                     stored<float>({b.data(), 1, size.n}, size.k),
                     threads);
    for (int64_t i = 0; i < size.m; ++i)
        for (int64_t j = 0; j < size.n; ++j)
            ASSERT_EQ(std::bit_cast<uint32_t>(c[static_cast<size_t>(i * size.n + j)]),
                      std::bit_cast<uint32_t>(
                          slow_chain(a.data() + i * size.k, b.data() + j, size.n, size, first)))
                << i << " " << j;
}

TEST(WideBlocks, rounds_each_block_of_float32_once) {
    std::mt19937 random(21);
    std::normal_distribution<float> normal;
    for (const BlockedProduct& size : std::vector<BlockedProduct>{
             {1, 1, 1, 8}, {5, 9, 23, 8}, {16, 24, 64, 8}, {3, 17, 100, 16}, {40, 33, 70, 5}})
        for (const int threads : {1, 2}) {
            std::vector<float> a(static_cast<size_t>(size.m * size.k));
            std::vector<float> b(static_cast<size_t>(size.n * size.k));
            for (auto* values : {&a, &b})
                for (float& value : *values)
                    value = normal(random);
            expect_slow_chains(size, a, b, 0.25f, threads);
        }
}

TEST(WideBlocks, decides_ties_cancellation_and_zero_exactly) {
    // Columns of ones; rows: a tie at 1 + 2^-24, one broken by 2^-60, 2^24 + 1 - 2^24, nothing at
    // all, and a sum that leaves float32.
    const float big = 0x1p24f;
    const float huge = 0x1.fffffep127f;
    const std::vector<float> a = {1,    0x1p-24f, 0, 0,  1, 0x1p-24f, 0x1p-60f, 0,    big,   1,
                                  -big, 0,        1, -1, 0, 0,        huge,     huge, -huge, 0};
    const std::vector<float> b(4 * 3, 1.0f);
    expect_slow_chains({5, 3, 4, 4}, a, b, 0, 1);
    expect_slow_chains({5, 3, 4, 2}, a, b, 0, 1);
}

}  // namespace
}  // namespace npuscope::backend
