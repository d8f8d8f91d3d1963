#include "compare/align/pair_evidence.h"

#include <algorithm>
#include <unordered_map>

namespace npuscope::compare {

PairEvidence::Makers PairEvidence::makers_of(bool of_target, size_t ops) {
    Makers makers(ops);
    std::unordered_map<uint64_t, int32_t> last;
    for (size_t op = 0; op < ops; ++op) {
        const auto prints = elements_.fingerprints(of_target, op);
        for (const auto& print : prints) {
            if (print.is_output) continue;
            const auto found = print.hash == 0 ? last.end() : last.find(print.hash);
            makers[op].push_back(found == last.end() ? -1 : found->second);
        }
        for (const auto& print : prints)
            if (print.is_output && print.hash != 0) last[print.hash] = static_cast<int32_t>(op);
    }
    return makers;
}

double PairEvidence::flow(size_t target, size_t golden) {
    if (!target_) {
        target_ = makers_of(true, pairing_.target.size());
        golden_ = makers_of(false, pairing_.golden.size());
    }
    const std::vector<int32_t>& mine = (*target_)[target];
    const std::vector<int32_t>& theirs = (*golden_)[golden];
    double sum = 0;
    for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
        if (mine[i] < 0 || theirs[i] < 0) continue;
        const int32_t expected = pairing_.target[static_cast<size_t>(mine[i])];
        if (expected < 0) continue;
        // Of what is equal the elements tell, and as much as other inputs'.
        const auto made = static_cast<size_t>(mine[i]);
        if (elements_.agreement(made, static_cast<size_t>(expected)) > 0) continue;
        sum += expected == theirs[i] ? 1 : -1;
    }
    return std::clamp(sum, -kMostFlow, kMostFlow);
}

double PairEvidence::agreement(size_t target, size_t golden) {
    return elements_.agreement(target, golden) + flow(target, golden);
}

bool PairEvidence::differs(size_t target, size_t golden) {
    return elements_.differs(target, golden) || flow(target, golden) < 0;
}

}  // namespace npuscope::compare
