#include "compare/align/band.h"

#include <algorithm>
#include <limits>

#include "compare/align/sequence.h"

namespace npuscope::compare {

namespace {

/// What a run of ops without partner costs, and each op of it.
constexpr int32_t kOpenPrice = 3;
constexpr int32_t kOpPrice = 1;

constexpr int32_t kNever = std::numeric_limits<int32_t>::min() / 2;

/// Which step a cell's best path took last, and whether a run goes on in either direction.
constexpr uint8_t kPaired = 0;
constexpr uint8_t kTargetAlone = 1;
constexpr uint8_t kGoldenAlone = 2;
constexpr uint8_t kStep = 3;
constexpr uint8_t kTargetRunGoesOn = 4;
constexpr uint8_t kGoldenRunGoesOn = 8;

class Band {
  public:
    Band(std::span<const OpTraits> target, std::span<const OpTraits> golden, int64_t half_width)
        : target_(target),
          golden_(golden),
          rows_(static_cast<int64_t>(target.size())),
          columns_(static_cast<int64_t>(golden.size())),
          half_width_(half_width),
          stride_(std::min(columns_, 2 * half_width) + 1),
          steps_(static_cast<size_t>((rows_ + 1) * stride_)),
          best_(static_cast<size_t>(columns_ + 1), kNever),
          target_run_(static_cast<size_t>(columns_ + 1), kNever) {}

    BandAlignment align() {
        first_row();
        for (int64_t row = 1; row <= rows_; ++row)
            fill(row);
        return follow();
    }

  private:
    [[nodiscard]] int64_t diagonal(int64_t row) const {
        return rows_ == 0 ? 0 : row * columns_ / rows_;
    }
    [[nodiscard]] int64_t first_column(int64_t row) const {
        return std::max<int64_t>(0, std::min(diagonal(row) - half_width_, columns_ + 1 - stride_));
    }
    [[nodiscard]] int64_t last_column(int64_t row) const {
        return std::min(columns_, first_column(row) + stride_ - 1);
    }
    [[nodiscard]] uint8_t& step(int64_t row, int64_t column) {
        return steps_[static_cast<size_t>(row * stride_ + column - first_column(row))];
    }

    void first_row() {
        best_[0] = 0;
        for (int64_t column = 1; column <= last_column(0); ++column) {
            best_[static_cast<size_t>(column)] =
                -kOpenPrice - static_cast<int32_t>(column) * kOpPrice;
            step(0, column) = kGoldenAlone | kGoldenRunGoesOn;
        }
    }

    void fill(int64_t row) {
        const int64_t first = first_column(row);
        const int64_t last = last_column(row);
        const OpTraits& mine = target_[static_cast<size_t>(row - 1)];
        uint8_t* steps = &step(row, first);
        // best_ holds the row above; what it held in the column to the left is needed once more.
        int32_t corner = first == 0 ? kNever : best_[static_cast<size_t>(first - 1)];
        int32_t left = kNever;
        int32_t golden_run = kNever;
        for (int64_t column = first; column <= last; ++column) {
            const auto at = static_cast<size_t>(column);
            const int32_t above = best_[at];
            uint8_t taken = kPaired;
            const int32_t opened = above - kOpenPrice;
            if (target_run_[at] > opened) {
                taken |= kTargetRunGoesOn;
            } else {
                target_run_[at] = opened;
            }
            target_run_[at] -= kOpPrice;
            if (golden_run > left - kOpenPrice) {
                taken |= kGoldenRunGoesOn;
            } else {
                golden_run = left - kOpenPrice;
            }
            golden_run -= kOpPrice;
            int32_t best = kNever;
            if (column > 0 && mine.name == golden_[at - 1].name)
                best = corner + likeness(mine, golden_[at - 1]);
            if (target_run_[at] > best) {
                best = target_run_[at];
                taken = static_cast<uint8_t>((taken & ~kStep) | kTargetAlone);
            }
            if (golden_run > best) {
                best = golden_run;
                taken = static_cast<uint8_t>((taken & ~kStep) | kGoldenAlone);
            }
            corner = above;
            best_[at] = left = best;
            steps[column - first] = taken;
        }
        if (first > 0) best_[static_cast<size_t>(first - 1)] = kNever;
    }

    BandAlignment follow() {
        BandAlignment found;
        found.partners.assign(static_cast<size_t>(rows_), -1);
        int64_t row = rows_;
        int64_t column = columns_;
        uint8_t run = kPaired;  // kTargetAlone or kGoldenAlone within such a run
        while (row > 0 || column > 0) {
            found.farthest = std::max(found.farthest, std::abs(column - diagonal(row)));
            const uint8_t taken = step(row, column);
            const uint8_t now = run != kPaired ? run : static_cast<uint8_t>(taken & kStep);
            if (now == kPaired) {
                found.partners[static_cast<size_t>(--row)] = static_cast<int32_t>(--column);
            } else if (now == kTargetAlone) {
                run = (taken & kTargetRunGoesOn) != 0 ? kTargetAlone : kPaired;
                --row;
            } else {
                run = (taken & kGoldenRunGoesOn) != 0 ? kGoldenAlone : kPaired;
                --column;
            }
        }
        return found;
    }

    std::span<const OpTraits> target_;
    std::span<const OpTraits> golden_;
    int64_t rows_;
    int64_t columns_;
    int64_t half_width_;
    int64_t stride_;
    std::vector<uint8_t> steps_;
    std::vector<int32_t> best_;
    std::vector<int32_t> target_run_;  ///< the best that ends with a target op alone
};

}  // namespace

int64_t cells_of_band(int64_t target, int64_t golden, int64_t half_width) {
    return (target + 1) * (std::min(golden, 2 * half_width) + 1);
}

BandAlignment align_in_band(std::span<const OpTraits> target,
                            std::span<const OpTraits> golden,
                            int64_t half_width) {
    return Band(target, golden, half_width).align();
}

}  // namespace npuscope::compare
