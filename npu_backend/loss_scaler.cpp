#include "npu_backend/loss_scaler.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace npuscope {

namespace {

constexpr int64_t kGrowthInterval = 2000;
constexpr double kLargestScale = 0x1p24;

Tensor multiplied(const Tensor& tensor, double factor) {
    Tensor wide = tensor.cast(DType::kFloat32);
    for (float& value : wide.mutable_as<float>())
        value *= static_cast<float>(factor);
    return wide;
}

/// Whether the float32 sum of a gradient is inf or nan. Source: torch_npu npu_check_overflow.
bool sum_is_finite(const Tensor& gradient) {
    if (!is_float(gradient.dtype())) return true;
    float sum = 0;
    const Tensor wide = gradient.cast(DType::kFloat32);
    for (const float value : wide.as<float>())
        sum += value;
    return std::isfinite(sum);
}

}  // namespace

LossScaler::LossScaler(FloatStatusRegister& status, const LossScaleOptions& options)
    : status_(status), options_(options), scale_(options.scale) {
    if (!(options.scale > 0) || !std::isfinite(options.scale))
        throw Error(ErrorKind::kUsage, "a loss scale must be positive and finite");
    if (options.dynamic && options.check_overflow)
        throw Error(ErrorKind::kUsage,
                    "a dynamic loss scale cannot be used while overflow is checked: both rely on "
                    "the device's one float status; set a static loss scale for the check");
}

void LossScaler::begin_step() {
    status_.clear_v2();
}

Tensor LossScaler::scale(const Tensor& loss) const {
    return multiplied(loss, scale_);
}

LossScaleStep LossScaler::unscale(std::vector<Tensor>& gradients) {
    const bool overflow =
        options_.by_values ? !std::ranges::all_of(gradients, sum_is_finite) : status_.set();
    LossScaleStep result{.step = ++step_, .overflow = overflow, .scale = scale_};
    result.skipped = options_.dynamic && result.overflow;
    if (!result.skipped)
        for (Tensor& gradient : gradients)
            if (is_float(gradient.dtype())) gradient = multiplied(gradient, 1.0 / scale_);
    if (!options_.dynamic) return result;
    clean_steps_ = result.overflow ? 0 : clean_steps_ + 1;
    if (result.overflow) {
        scale_ = std::max(1.0, scale_ / 2);
    } else if (clean_steps_ == kGrowthInterval) {
        clean_steps_ = 0;
        scale_ = std::min(kLargestScale, scale_ * 2);
    }
    return result;
}

}  // namespace npuscope
