#include "compare/growth/elements_of_pair.h"

#include "compare/align/span_tensors.h"
#include "compare/relate/loss_multiple.h"

namespace npuscope::compare {

std::optional<ElementsOfPair> elements_of(const OpPair& pair, const TensorResult& result) {
    const BothTensors both = tensors_of(pair);
    for (const TensorPair& tensors : pair_tensors(pair, both.target, both.golden, true)) {
        const bool is_it = tensors.target != nullptr && tensors.golden != nullptr &&
                           tensors.target->path == result.target &&
                           tensors.golden->path == result.golden;
        if (!is_it || !tensors.target->open || !tensors.golden->open) continue;
        ElementsOfPair found{tensors.target->open()->whole().cast(DType::kFloat64),
                             tensors.golden->open()->whole().cast(DType::kFloat64)};
        const auto mine = found.target.as<double>();
        if (mine.empty() || mine.size() != found.golden.as<double>().size()) return std::nullopt;
        return found;
    }
    return std::nullopt;
}

std::optional<ElementsOfPair> unscaled_elements_of(const OpPair& pair, const TensorResult& result) {
    auto found = elements_of(pair, result);
    if (!found) return found;
    if (const double scale = loss_multiple(found->target, found->golden); scale != 1)
        for (double& each : found->target.mutable_as<double>())
            each /= scale;
    return found;
}

}  // namespace npuscope::compare
