#include "compare/dataflow/one_element.h"

#include <algorithm>

#include "compare/dataflow/trace.h"
#include "core/base/error.h"
#include "core/tensor/piece.h"

namespace npuscope::compare {

namespace {

constexpr int64_t kReadAtOnce = 16384;

bool both_at_one_place(const ElementSource& target,
                       const ElementSource& golden,
                       double mine,
                       double theirs) {
    if (target.numel() != golden.numel()) return false;
    for (int64_t first = 0; first < target.numel(); first += kReadAtOnce) {
        const int64_t count = std::min(kReadAtOnce, target.numel() - first);
        const Tensor one = piece_of(target, first, count);
        const Tensor other = piece_of(golden, first, count);
        for (int64_t i = 0; i < count; ++i)
            if (one.at(i) == mine && other.at(i) == theirs) return true;
    }
    return false;
}

}  // namespace

bool is_one_element(const PairedFlows& flows, const InputPair& input) try {
    const Side& target = flows.target();
    const Side& golden = flows.golden();
    const TracedTensor& own = golden.tensor(input.golden);
    if (!own.content || own.content->numel != 1) return false;
    const auto open = [](const Side& side, size_t index) {
        return open_traced(side.source, side.flow, index);
    };
    const double mine = open(target, input.target)->whole().at(0);
    const double theirs = open(golden, input.golden)->whole().at(0);
    for (size_t i = 0; i < golden.flow.tensors.size(); ++i) {
        const TracedTensor& made = golden.tensor(i);
        if (made.op >= own.op) break;
        if (made.direction != dumpfile::Direction::kOutput || !made.content) continue;
        const auto partner = flows.partner_of(i);
        if (partner && both_at_one_place(*open(target, *partner), *open(golden, i), mine, theirs))
            return true;
    }
    return false;
} catch (const Error&) {
    return false;
}

}  // namespace npuscope::compare
