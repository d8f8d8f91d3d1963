#include "compare/growth/checkpoint.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/growth/allowance.h"
#include "compare/growth/made_in_order.h"

namespace npuscope::compare {

namespace {

/// Of a checkpoint's parameters; and of the norm, what no format of float32's makes.
constexpr double kMostParameters = 0.5;
constexpr double kStoredOtherwise = 1e-6;
constexpr double kFactorOfTraining = 0.5;

}  // namespace

void doubt_checkpoint(Result& result) {
    size_t all = 0;
    std::vector<std::pair<OpResult*, TensorResult*>> others;
    for (OpResult& op : result.ops)
        for (TensorResult& tensor : op.tensors) {
            if (!is_float_result(tensor)) continue;
            ++all;
            if (distance_of(tensor).norm > kStoredOtherwise) others.emplace_back(&op, &tensor);
        }
    if (static_cast<double>(others.size()) < kMostParameters * static_cast<double>(all)) return;
    bool any = false;
    for (const auto& [op, tensor] : others) {
        const Distance off = distance_of(*tensor);
        const bool is_gross = off.norm > kNothingAlike && tensor->shape.size() > 1;
        if (!is_beyond_its_tolerance(*tensor) || is_gross ||
            is_mostly_factor(off, tensor->sums.pairs, kFactorOfTraining))
            continue;
        tensor->judgement.verdict = Verdict::kNotProvable;
        tensor->judgement.rule =
            fmt::format("off by {:.2g} of the norm, as other parameters are", off.norm);
        any = true;
    }
    if (any)
        result.notes.push_back(
            fmt::format("{} of {} parameters differ and nothing else was recorded: rounding "
                        "in training makes that as well as a fault does; record results of "
                        "modules or gradients of one step",
                        others.size(),
                        all));
}

}  // namespace npuscope::compare
