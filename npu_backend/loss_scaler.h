// Loss scaling of mixed precision training, as apex has it.
#pragma once

#include <vector>

#include "npu_backend/float_status_register.h"

namespace npuscope {

struct LossScaleOptions {
    double scale = 1.0;           ///< static loss scale
    bool dynamic = false;         ///< grows and shrinks the scale by the float status
    bool check_overflow = false;  ///< someone else watches the float status of each op
    bool by_values = false;       ///< overflow is inf or nan in a gradient's sum, not the status
};

/// What a step found.
struct LossScaleStep {
    int64_t step = 0;
    bool overflow = false;  ///< the float status was set between begin_step() and unscale(), or a
                            ///< gradient is not finite
    bool skipped = false;   ///< dynamic only: the step must not be applied
    double scale = 1.0;     ///< that the step used
};

/// Scales a loss and unscales its gradients. Chips in saturation mode tell overflow by the float
/// status; with inf and nan torch_npu looks at the float32 sum of each gradient. Dynamic mode
/// halves the scale after an overflow and doubles it after 2000 steps without. Any op between
/// begin_step() and unscale() counts, forward ones too, as on the device. Static mode reports
/// overflow and applies the step all the same.
class LossScaler {
  public:
    /// Errors: Error(kUsage) for a scale that is not positive, and for a dynamic scale while
    /// overflow is checked: both read and clear the one float status, so that each hides the
    /// other's findings and the shrinking scale changes the very overflow that is looked for.
    LossScaler(FloatStatusRegister& status, const LossScaleOptions& options);

    void begin_step();  ///< clears the status
    [[nodiscard]] Tensor scale(const Tensor& loss) const;
    /// Divides float gradients by the scale, in float32.
    LossScaleStep unscale(std::vector<Tensor>& gradients);
    [[nodiscard]] double current() const { return scale_; }

  private:
    FloatStatusRegister& status_;
    LossScaleOptions options_;
    double scale_;
    int64_t step_ = 0;
    int64_t clean_steps_ = 0;
};

}  // namespace npuscope
