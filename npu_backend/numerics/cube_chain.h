// One dot product as a Cube may add it: the models of the option cube_acc, term by term.
#pragma once

#include <cstdint>

#include "npu_backend/chips/options.h"

namespace npuscope::backend {

/// A model with all that it needs to know.
struct CubeModel {
    CubeAccumulation accumulation = CubeAccumulation::kSequential;
    int64_t block = 16;
    int64_t split = 1;
    SplitOrder split_order = SplitOrder::kAscending;
    bool half_accumulator = false;
    bool saturates = false;  ///< of the float16 accumulator

    /// True for what gemm() computes.
    [[nodiscard]] bool plain() const {
        return accumulation == CubeAccumulation::kSequential && split == 1 && !half_accumulator;
    }
};

/// Every `stride`-th element of an array, from `data` on.
struct ChainOperand {
    const float* data = nullptr;
    int64_t stride = 1;
};

/// c0 + the sum of `k` products a[i] b[i]. inf and nan follow IEEE 754 in every model. float64
/// chains are sequential.
[[nodiscard]] float chain(
    const CubeModel& model, ChainOperand a, ChainOperand b, int64_t k, float c0);

/// A sum of float32 products, exact, in fixed point over the whole range of such products.
class ExactSum {
  public:
    void add(float value) { add_scaled(value, 1.0f); }
    void add_scaled(float a, float b);  ///< a * b
    /// Rounded once to float32, ties to even. Finite terms only.
    [[nodiscard]] float rounded() const;

  private:
    // Digits of 32 bits, the lowest worth 2^-320; each may hold carries until it is read.
    static constexpr int kDigits = 20;
    static constexpr int kLowest = -320;
    int64_t digits_[kDigits] = {};
};

}  // namespace npuscope::backend
