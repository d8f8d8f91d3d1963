#include "compare/origins/gradient_scale.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/growth/module_names.h"

namespace npuscope::compare {

namespace {

/// Cosine, squared, of a tensor and a multiple of it; and how near the multiple is.
constexpr double kMultiple = 0.9;
/// So many gradients, and so many of all, tell a scale.
constexpr size_t kFewestGradients = 3;
constexpr double kMostGradients = 0.7;

/// By how much the target's norm is the golden's; empty where nothing was measured, or one is 0.
std::optional<double> ratio_of(const TensorResult& tensor) {
    const Sums& sums = tensor.sums;
    if (tensor.metrics.empty() || !(sums.tt > 0) || !(sums.gg > 0)) return std::nullopt;
    return std::sqrt(sums.tt / sums.gg);
}

}  // namespace

bool is_loss_scale(const Result& result, double ratio) {
    return result.loss_scale != 1 && std::abs(ratio / result.loss_scale - 1) < 1 - kMultiple;
}

bool has_loss_scale(const Result& result, const TensorResult& tensor) {
    const auto ratio = ratio_of(tensor);
    return ratio && is_loss_scale(result, *ratio) && cosine_squared(tensor.sums) > kMultiple;
}

bool is_nearer_by_loss_scale(const Result& result, const TensorResult& tensor) {
    const auto ratio = ratio_of(tensor);
    if (result.loss_scale == 1 || !ratio) return false;
    return std::abs(std::log2(*ratio / result.loss_scale)) < std::abs(std::log2(*ratio));
}

Sums without_loss_scale(const Result& result, const TensorResult& tensor) {
    Sums sums = tensor.sums;
    if (!is_nearer_by_loss_scale(result, tensor)) return sums;
    sums.tt /= result.loss_scale * result.loss_scale;
    sums.tg /= result.loss_scale;
    // Differences of nearly equal sums.
    sums.dd = std::max(0.0, sums.tt - 2 * sums.tg + sums.gg);
    sums.max_d = std::min(sums.max_d, std::sqrt(sums.dd));
    sums.max_abs_t /= result.loss_scale;
    return sums;
}

void take_scale_of_gradients(Result& result) {
    std::vector<const TensorResult*> gradients;
    size_t of_parameters = 0;
    for (const OpResult& op : result.ops)
        for (const TensorResult& tensor : op.tensors)
            if (tensor.direction == dumpfile::Direction::kOutput && names_gradient(op.id.op) &&
                norm_of(tensor) && tensor.sums.tt > 0) {
                gradients.push_back(&tensor);
                of_parameters += names_parameter_gradient(op.id.op) ? 1 : 0;
            }
    // Those of parameters may be recorded when the scale is divided out again.
    const size_t through = gradients.size() - of_parameters;
    const size_t fewest = through >= kFewestGradients ? through : gradients.size();
    if (gradients.size() < kFewestGradients) return;
    const Sums& first = gradients.front()->sums;
    const double ratio = std::sqrt(first.tt / first.gg);
    const double scale = std::ldexp(1.0, static_cast<int>(std::lround(std::log2(ratio))));
    if (std::max(scale, 1 / scale) < kLeastLossScale) return;
    result.loss_scale = scale;
    const auto scaled = std::ranges::count_if(
        gradients, [&](const TensorResult* tensor) { return has_loss_scale(result, *tensor); });
    if (!has_loss_scale(result, *gradients.front()) ||
        static_cast<double>(scaled) < kMostGradients * static_cast<double>(fewest)) {
        result.loss_scale = 1;
        return;
    }
    result.notes.push_back(fmt::format(
        "{} of {} gradients are {:g} times the {}'s, as the scale of a loss makes them: "
        "they are compared without it",
        scaled,
        gradients.size(),
        std::max(scale, 1 / scale),
        scale > 1 ? "golden" : "target"));
}

}  // namespace npuscope::compare
