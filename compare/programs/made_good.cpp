#include "compare/programs/made_good.h"

#include <algorithm>

#include "compare/agreement.h"
#include "compare/dataflow/nearness.h"
#include "compare/dataflow/traced_numbers.h"
#include "compare/relate/kinship.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

/// Of the norm: what a scaling changes at least, far beyond what arithmetic leaves.
constexpr double kMuch = 0.1;

bool scales_much(const Side& side, const SourceOp& op) {
    if (step_of(op.op()) != OpStep::kScaling) return false;
    const TracedTensor* made = only_result(side, op);
    return made != nullptr && std::ranges::all_of(side.of_op(op), [&](const TracedTensor& taken) {
               const bool is_alike = taken.direction == dumpfile::Direction::kInput &&
                                     taken.content && taken.content->numel == made->content->numel;
               return !is_alike ||
                      distance_of(traced_numbers(side, *made), traced_numbers(side, taken)) > kMuch;
           });
}

}  // namespace

std::unordered_set<const SourceOp*> felt_later(
    const PairedFlows& flows,
    const std::unordered_map<const SourceOp*, size_t>& places,
    const Result& result) {
    const Side& side = flows.target();
    std::unordered_set<const SourceOp*> felt;
    for (size_t place = 0; place < result.ops.size(); ++place) {
        const OpPair& pair = flows.plan().ops[place];
        if (pair.target == nullptr || pair.golden == nullptr) continue;
        for (const TracedTensor& taken : side.of_op(*pair.target)) {
            if (taken.direction != dumpfile::Direction::kInput || !taken.producer) continue;
            const SourceOp* maker = &side.source.ops[side.tensor(*taken.producer).op];
            const auto made = places.find(maker);
            if (made == places.end() || flows.plan().ops[made->second].golden != nullptr) continue;
            for (const TensorResult& tensor : result.ops[place].tensors)
                if (tensor.target == taken.path && norm_of(tensor).value_or(0) > kMadeGood)
                    felt.insert(maker);
        }
    }
    return felt;
}

bool are_scalings_made_good(const PairedFlows& flows,
                            const std::vector<const SourceOp*>& extra,
                            const std::unordered_map<const SourceOp*, size_t>& places,
                            const std::function<bool(const SourceOp&)>& is_made_good) {
    const Side& side = flows.target();
    std::unordered_set<const SourceOp*> seen(extra.begin(), extra.end());
    if (extra.empty() ||
        !std::ranges::all_of(extra, [&](const SourceOp* op) { return scales_much(side, *op); }))
        return false;
    bool is_any = false;
    // What takes a result in stands behind what made it.
    for (const TracedTensor& tensor : side.flow.tensors) {
        if (tensor.direction != dumpfile::Direction::kInput || !tensor.producer) continue;
        const SourceOp* taker = &side.source.ops[tensor.op];
        if (!seen.contains(&side.source.ops[side.tensor(*tensor.producer).op]) ||
            seen.contains(taker))
            continue;
        if (is_cast(taker->id.op)) {
            seen.insert(taker);
            continue;
        }
        const auto place = places.find(taker);
        const SourceOp* golden =
            place == places.end() ? nullptr : flows.plan().ops[place->second].golden;
        if (golden == nullptr || !is_made_good(*golden)) return false;
        is_any = true;
    }
    return is_any;
}

}  // namespace npuscope::compare
