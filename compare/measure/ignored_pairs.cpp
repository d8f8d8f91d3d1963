#include "compare/measure/ignored_pairs.h"

#include "compare/align/span_tensors.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

BothTensors tensors_or_none(const OpPair& pair) {
    try {
        if (pair.target != nullptr && pair.golden != nullptr) return tensors_of(pair);
        return {pair.target != nullptr ? pair.target->load() : std::vector<SourceTensor>(),
                pair.golden != nullptr ? pair.golden->load() : std::vector<SourceTensor>()};
    } catch (const Error&) {
        // What cannot be read is told where it is compared.
        return {};
    }
}

}  // namespace

Source IgnoredPairs::marked(const Source& plain, const std::shared_ptr<ByPath>& found) {
    Source source = plain;
    ignore_in(source, [found](const SourceTensor& tensor) {
        const auto at = found->find(tensor.path);
        return at == found->end() ? nullptr : at->second;
    });
    return source;
}

void IgnoredPairs::take(const TensorPair& pair) {
    const SourceTensor* target = pair.target;
    const SourceTensor* golden = pair.golden;
    const auto ignored = tally_.of(pair.known(), golden != nullptr ? golden->path : std::string());
    if (!ignored) return;
    if (target != nullptr) (*target_)[target->path] = ignored;
    if (golden != nullptr) (*golden_)[golden->path] = ignored;
}

void IgnoredPairs::find(const Plan& plan, bool both_dumps) {
    for (const OpPair& pair : plan.ops) {
        const BothTensors both = tensors_or_none(pair);
        for (const TensorPair& tensors : pair_tensors(pair, both.target, both.golden, both_dumps))
            take(tensors);
        for (const SourceOp* op : pair.also_target)
            for (const SourceTensor& tensor : tensors_or_none({.target = op}).target)
                if (!target_->contains(tensor.path)) take({&tensor, nullptr});
        for (const SourceOp* op : pair.also_golden)
            for (const SourceTensor& tensor : tensors_or_none({.golden = op}).golden)
                if (!golden_->contains(tensor.path)) take({nullptr, &tensor});
    }
}

}  // namespace npuscope::compare
