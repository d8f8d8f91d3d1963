#include "npu_backend/numerics/gemm_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel/parallel_for.h"
#include "npu_backend/numerics/gemm_kernels.h"

namespace npuscope::backend {

namespace {

constexpr int64_t kDepth = 256;

/// For exponents of products of float32.
double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

/// Of a positive normal number.
int exponent_of(double value) {
    return static_cast<int>(std::bit_cast<uint64_t>(value) >> 52) - 1023;
}

/// The exponent of a float's last significant bit; large for 0.
int last_bit(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t fraction = bits & 0x7fffffu;
    const int exponent = static_cast<int>((bits >> 23) & 0xffu);
    if ((bits << 1) == 0) return 10000;
    const uint32_t whole = exponent == 0 ? fraction : fraction | 0x800000u;
    return std::max(exponent, 1) - 150 + std::countr_zero(whole);
}

/// Panels [k, width] of one operand in float64, with the largest magnitude and the last bit of each
/// block of k.
struct Panels {
    int64_t width, k, block;
    std::vector<double> values;
    std::vector<double> largest;
    std::vector<int> last;

    Panels(int64_t count, int64_t panel_width, int64_t depth, int64_t k_block)
        : width(panel_width),
          k(depth),
          block(k_block),
          values(static_cast<size_t>(count * panel_width * depth)),
          largest(static_cast<size_t>(count * ceil_div(depth, k_block))),
          last(largest.size()) {}

    [[nodiscard]] const double* panel(int64_t index) const {
        return values.data() + index * width * k;
    }
    [[nodiscard]] double bound(int64_t index, int64_t at) const {
        return largest[static_cast<size_t>(index * ceil_div(k, block) + at)];
    }
    [[nodiscard]] int last_of(int64_t index, int64_t at) const {
        return last[static_cast<size_t>(index * ceil_div(k, block) + at)];
    }

    void fill(int64_t index,
              const PackPanel<float>& pack,
              int64_t first,
              int64_t count,
              std::vector<float>& narrow) {
        narrow.resize(static_cast<size_t>(width * k));
        pack(first, count, width, narrow.data());
        double* to = values.data() + index * width * k;
        auto at = static_cast<size_t>(index * ceil_div(k, block));
        for (int64_t start = 0; start < k; start += block, ++at) {
            float most = 0;
            int lowest = 10000;
            for (int64_t i = start * width; i < std::min(k, start + block) * width; ++i) {
                const float value = narrow[static_cast<size_t>(i)];
                to[i] = value;
                most = std::max(most, std::fabs(value));
                lowest = std::min(lowest, last_bit(value));
            }
            largest[at] = most;
            last[at] = lowest;
        }
    }
};

/// One tile of c over all of k.
class Tile {
  public:
    Tile(const Chains<float>& chains, const CubeModel& model, const BlockTileKernels& kernel)
        : chains_(chains),
          model_(model),
          kernel_(kernel),
          sums_(static_cast<size_t>(kernel.rows * kernel.columns)),
          doubtful_(sums_.size()) {
        depth_ = std::max<int64_t>(1, kDepth / model.block) * model.block;
    }

    void operator()(
        const Panels& left, int64_t row_panel, const Panels& right, int64_t panel, int64_t column) {
        const int64_t row = row_panel * kernel_.rows;
        const int64_t rows = std::min(kernel_.rows, chains_.m - row);
        const int64_t columns = std::min(kernel_.columns, chains_.n - column);
        float* c = chains_.c + row * chains_.ldc + column;
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j)
                sums_[static_cast<size_t>(i * kernel_.columns + j)] = c[i * chains_.ldc + j];
        int64_t depth = 0;
        for (int64_t start = 0; start < chains_.k; start += depth) {
            depth = std::min(depth_, chains_.k - start);
            const double* a = left.panel(row_panel) + start * kernel_.rows;
            const double* b = right.panel(panel) + start * kernel_.columns;
            const double limit = set_lows(left, row_panel, right, panel, start, depth);
            if (limit > 0 && run_plain(a, b, depth, limit)) continue;
            run_doubting(a, b, depth, limit, rows, columns);
        }
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j)
                c[i * chains_.ldc + j] =
                    static_cast<float>(sums_[static_cast<size_t>(i * kernel_.columns + j)]);
    }

  private:
    bool run_plain(const double* a, const double* b, int64_t depth, double limit) {
        constexpr double kLeast = std::numeric_limits<float>::denorm_min();
        constexpr double kMost = std::numeric_limits<float>::max();
        const double least = 1 / *std::min_element(inverse_lows_.begin(), inverse_lows_.end());
        if (least > kMost) return false;
        // The limit itself is too much; half of it is a float32 whatever it is.
        return kernel_.plain(
            {depth,
             model_.block,
             a,
             b,
             std::bit_cast<uint32_t>(static_cast<float>(std::max(least, kLeast))),
             std::bit_cast<uint32_t>(static_cast<float>(std::min(limit / 2, kMost))),
             sums_.data(),
             kernel_.columns});
    }

    void run_doubting(const double* a,
                      const double* b,
                      int64_t depth,
                      double limit,
                      int64_t rows,
                      int64_t columns) {
        before_ = sums_;
        const bool zero =
            std::all_of(sums_.begin(), sums_.end(), [](double sum) { return sum == 0.0; });
        kernel_.doubting({depth,
                          model_.block,
                          a,
                          b,
                          inverse_lows_.data(),
                          zero,
                          limit,
                          sums_.data(),
                          kernel_.columns,
                          doubtful_.data()});
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j)
                if (const auto at = static_cast<size_t>(i * kernel_.columns + j);
                    doubtful_[at] != 0 || !std::isfinite(sums_[at]))
                    sums_[at] = decide(a + i, b + j, depth, static_cast<float>(before_[at]));
    }

    /// In a block whose products are multiples of 2^last, a float32 of at least 2^(last + 23) is
    /// one too, and sums below 2^(last + 53) are exact; for smaller ones see least_exponent. Gives
    /// what no sum that enters may reach.
    /// Cuts `depth` before a block whose products range too widely for that; such a block comes
    /// alone, with a limit that nothing meets.
    double set_lows(const Panels& left,
                    int64_t row_panel,
                    const Panels& right,
                    int64_t panel,
                    int64_t start,
                    int64_t& depth) {
        constexpr double kRoom = 2;  // for sums beyond those of the block itself
        inverse_lows_.clear();
        double limit = INFINITY;
        const int64_t first = start / model_.block;
        for (int64_t block = first; block < ceil_div(start + depth, model_.block); ++block) {
            const int last = left.last_of(row_panel, block) + right.last_of(panel, block);
            // All zero on one side: the block adds nothing.
            const bool nothing = last >= 5000;
            const double most = left.bound(row_panel, block) * right.bound(panel, block) *
                                static_cast<double>(model_.block);
            if (!nothing && !(most * kRoom < power_of_two(last + 53))) {
                depth = std::min(depth, std::max(int64_t{1}, block - first) * model_.block);
                if (block > first) break;
                inverse_lows_.push_back(0.0);
                return -1.0;
            }
            inverse_lows_.push_back(nothing ? 0x1p200 : power_of_two(-least_exponent(last, most)));
            if (!nothing) limit = std::min(limit, power_of_two(last + 53) - most);
        }
        return limit;
    }

    /// The exponent from which on no c that enters a block has bits that its sum loses. A c below
    /// 2^(last + 23) has finer bits than the products, but then the sum is below 2 most as well.
    static int least_exponent(int last, double most) {
        const int grid = last + 23;
        const int sum = exponent_of(std::max(most, power_of_two(grid))) + 2;
        return std::min(grid, sum - 53 + 23);
    }

    double decide(const double* a, const double* b, int64_t depth, float c0) {
        left_.resize(static_cast<size_t>(depth));
        right_.resize(static_cast<size_t>(depth));
        for (int64_t k = 0; k < depth; ++k) {
            left_[static_cast<size_t>(k)] = static_cast<float>(a[k * kernel_.rows]);
            right_[static_cast<size_t>(k)] = static_cast<float>(b[k * kernel_.columns]);
        }
        return chain(model_, {left_.data()}, {right_.data()}, depth, c0);
    }

    const Chains<float>& chains_;
    const CubeModel& model_;
    const BlockTileKernels& kernel_;
    int64_t depth_;
    std::vector<double> sums_, before_, inverse_lows_;
    std::vector<uint8_t> doubtful_;
    std::vector<float> left_, right_;
};

}  // namespace

void gemm_blocks(const Chains<float>& chains,
                 const CubeModel& model,
                 const Lines<float>& left,
                 const PackPanel<float>& pack_right,
                 int threads) {
    const int64_t m = chains.m;
    const int64_t n = chains.n;
    const int64_t k = chains.k;
    if (m == 0 || n == 0 || k == 0) return;
    const BlockTileKernels kernel = block_tile_kernels();
    const int used = m * n * k < kFewForThreads ? 1 : threads;
    const int64_t row_panels = ceil_div(m, kernel.rows);
    Panels packed(row_panels, kernel.rows, k, model.block);
    const PackPanel<float> pack_left = stored(left, k);
    parallel_for(row_panels, used, [&](int64_t panel) {
        std::vector<float> narrow;
        const int64_t first = panel * kernel.rows;
        packed.fill(panel, pack_left, first, std::min(kernel.rows, m - first), narrow);
    });
    const int64_t block_panels = ceil_div(128, kernel.columns);
    const int64_t column_panels = ceil_div(n, kernel.columns);
    parallel_for(ceil_div(column_panels, block_panels), used, [&](int64_t task) {
        const int64_t first = task * block_panels;
        const int64_t count = std::min(block_panels, column_panels - first);
        Panels right(count, kernel.columns, k, model.block);
        std::vector<float> narrow;
        for (int64_t p = 0; p < count; ++p) {
            const int64_t column = (first + p) * kernel.columns;
            right.fill(p, pack_right, column, std::min(kernel.columns, n - column), narrow);
        }
        Tile tile(chains, model, kernel);
        for (int64_t row = 0; row < row_panels; ++row)
            for (int64_t p = 0; p < count; ++p)
                tile(packed, row, right, p, (first + p) * kernel.columns);
    });
}

}  // namespace npuscope::backend
