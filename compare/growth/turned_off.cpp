#include "compare/growth/turned_off.h"

#include <cmath>

#include "compare/align/span_tensors.h"

namespace npuscope::compare {

TurnedOff turned_off(const OpPair& pair, const TensorResult& result) {
    const BothTensors both = tensors_of(pair);
    for (const TensorPair& tensors : pair_tensors(pair, both.target, both.golden, true)) {
        const bool is_it = tensors.target != nullptr && tensors.golden != nullptr &&
                           tensors.target->path == result.target &&
                           tensors.golden->path == result.golden;
        if (!is_it || !tensors.target->open || !tensors.golden->open) continue;
        const Tensor target = tensors.target->open()->whole().cast(DType::kFloat64);
        const Tensor golden = tensors.golden->open()->whole().cast(DType::kFloat64);
        const auto mine = target.as<double>();
        const auto theirs = golden.as<double>();
        if (mine.size() != theirs.size() || mine.empty()) return {};
        double off = 0;
        double size = 0;
        size_t alone = 0;
        for (size_t i = 0; i < mine.size(); ++i) {
            size += theirs[i] * theirs[i];
            if ((mine[i] == 0) != (theirs[i] == 0))
                ++alone;
            else
                off += (mine[i] - theirs[i]) * (mine[i] - theirs[i]);
        }
        return {static_cast<double>(alone) / static_cast<double>(mine.size()),
                size > 0 ? std::sqrt(off / size) : 0};
    }
    return {};
}

}  // namespace npuscope::compare
