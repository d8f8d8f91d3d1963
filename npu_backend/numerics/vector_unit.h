// The instructions inside a recipe whose last bits are not public: exp, ln, division, square root,
// reciprocal.
#pragma once

#include <cmath>

#include "npu_backend/numerics/numerics.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

/// W is what the recipe computes in: float on a chip, also for most half tensors; Float16 where a
/// recipe keeps it; or double. Correctly rounded but for the options rec_ulp, exp_ulp, vec_ftz and
/// fp32_sat_910A, which float64 and references do not have. Threads: const.
template <class W>
class VectorUnit {
  public:
    explicit VectorUnit(const Numerics& numerics) {
        if (numerics.reference() || std::is_same_v<W, double>) return;
        const ChipOptions& options = numerics.device.options;
        rec_ulp_ = options.rec_ulp;
        exp_ulp_ = options.exp_ulp;
        flushes_ = options.vec_ftz;
        saturates_ = saturates<W>(numerics.overflow_mode());
        plain_ = rec_ulp_ == 0 && exp_ulp_ == 0 && !flushes_ && !saturates_;
    }

    [[nodiscard]] W exp(W x) const {
        if (plain_) return round_nearest<W>(std::exp(wide(x)));
        const double in = taken(x);
        return given(std::exp(in), in, exp_ulp_);
    }
    [[nodiscard]] W ln(W x) const {
        if (plain_) return round_nearest<W>(std::log(wide(x)));
        const double in = taken(x);
        return given(std::log(in), in, exp_ulp_);
    }
    [[nodiscard]] W divide(W x, W y) const {
        if constexpr (!kIsHalf<W>)
            if (plain_) return x / y;
        return given(taken(x) / taken(y), 0.0, 0);
    }
    [[nodiscard]] W square_root(W x) const {
        if constexpr (!kIsHalf<W>)
            if (plain_) return std::sqrt(x);
        return given(std::sqrt(taken(x)), 0.0, 0);
    }
    [[nodiscard]] W reciprocal(W x) const {
        if constexpr (!kIsHalf<W>)
            if (plain_) return W{1} / x;
        const double in = taken(x);
        return given(1.0 / in, in, rec_ulp_);
    }

  private:
    static double wide(W x) { return widen<double>(x); }
    [[nodiscard]] double taken(W x) const { return flushes_ ? flushed<W>(wide(x)) : wide(x); }
    [[nodiscard]] W given(double exact, double input, int ulps) const {
        double result = ulps == 0 ? exact : moved_by_ulps<W>(exact, input, ulps);
        if (flushes_) result = flushed<W>(result);
        const W rounded = round_nearest<W>(result);
        return saturates_ && !is_finite(rounded) ? saturated(rounded) : rounded;
    }

    int rec_ulp_ = 0;
    int exp_ulp_ = 0;
    bool flushes_ = false;
    bool saturates_ = false;
    bool plain_ = true;
};

}  // namespace npuscope::backend
