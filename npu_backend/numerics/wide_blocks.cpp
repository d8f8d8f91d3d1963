#include "npu_backend/numerics/wide_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/parallel/parallel_for.h"
#include "npu_backend/numerics/gemm_kernels.h"

namespace npuscope::backend {

namespace {

constexpr int64_t kWidth = 8;  ///< chains at once, so that none waits for another's sum

using Lanes = std::array<double, kWidth>;

/// One block of kWidth chains: the sums of `a` [depth] with the columns of `b` [depth, kWidth], and
/// of their magnitudes.
void add_block(const double* a,
               const double* b,
               int64_t depth,
               Lanes& __restrict sums,
               Lanes& __restrict sizes) {
    for (int64_t k = 0; k < depth; ++k)
        for (size_t j = 0; j < kWidth; ++j) {
            const double product = a[k] * b[k * kWidth + static_cast<int64_t>(j)];
            sums[j] += product;
            sizes[j] += std::fabs(product);
        }
}

/// One row of a panel: the chains' values go from `c` to `c`.
class Row {
  public:
    Row(const CubeModel& model, int64_t depth) : model_(model), depth_(depth) {}

    void operator()(const double* a, const double* b, int64_t columns, float* c) {
        for (int64_t start = 0; start < depth_; start += model_.block) {
            const int64_t count = std::min(model_.block, depth_ - start);
            Lanes sums{};
            for (int64_t j = 0; j < columns; ++j)
                sums[static_cast<size_t>(j)] = c[j];
            Lanes sizes{};
            for (size_t j = 0; j < kWidth; ++j)
                sizes[j] = std::fabs(sums[j]);
            add_block(a + start, b + start * kWidth, count, sums, sizes);
            for (int64_t j = 0; j < columns; ++j) {
                const auto at = static_cast<size_t>(j);
                // The sum's error; twice what the additions can make.
                const double slack = sizes[at] * static_cast<double>(count + 2) * 0x1p-52;
                const auto low = static_cast<float>(sums[at] - slack);
                if (low == static_cast<float>(sums[at] + slack) && low != 0)
                    c[j] = low;
                else
                    c[j] = decided(a + start, b + start * kWidth + j, count, c[j]);
            }
        }
    }

  private:
    float decided(const double* a, const double* b, int64_t count, float c) {
        left_.resize(static_cast<size_t>(count));
        right_.resize(static_cast<size_t>(count));
        for (int64_t k = 0; k < count; ++k) {
            left_[static_cast<size_t>(k)] = static_cast<float>(a[k]);
            right_[static_cast<size_t>(k)] = static_cast<float>(b[k * kWidth]);
        }
        return chain(model_, {left_.data()}, {right_.data()}, count, c);
    }

    const CubeModel& model_;
    int64_t depth_;
    std::vector<float> left_, right_;
};

}  // namespace

void gemm_wide_blocks(const Chains<float>& chains,
                      const CubeModel& model,
                      const Lines<float>& left,
                      const PackPanel<float>& pack_right,
                      int threads) {
    const auto& [c, ldc, m, n, k] = chains;
    if (m == 0 || n == 0 || k == 0) return;
    const int used = m * n * k < kFewForThreads ? 1 : threads;
    std::vector<double> rows(static_cast<size_t>(m * k));
    for (int64_t i = 0; i < m; ++i)
        for (int64_t at = 0; at < k; ++at)
            rows[static_cast<size_t>(i * k + at)] =
                left.data[i * left.line_stride + at * left.k_stride];
    const int64_t panels = (n + kWidth - 1) / kWidth;
    parallel_for(panels, used, [&, c = c, ldc = ldc, m = m, n = n, k = k](int64_t panel) {
        const int64_t first = panel * kWidth;
        const int64_t columns = std::min(kWidth, n - first);
        std::vector<float> narrow(static_cast<size_t>(k * kWidth));
        pack_right(first, columns, kWidth, narrow.data());
        const std::vector<double> wide(narrow.begin(), narrow.end());
        Row row(model, k);
        for (int64_t i = 0; i < m; ++i)
            row(rows.data() + i * k, wide.data(), columns, c + i * ldc + first);
    });
}

}  // namespace npuscope::backend
