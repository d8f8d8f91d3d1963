#include "compare/align/pairing.h"

namespace npuscope::compare {

std::vector<int64_t> expected_places(const Pairing& pairing) {
    std::vector<int64_t> places;
    int64_t next = 0;
    for (size_t i = 0; i < pairing.target.size(); ++i) {
        places.push_back(next);
        if (pairing.target[i] >= 0 && !pairing.out_of_order[i]) next = pairing.target[i] + 1;
    }
    return places;
}

std::vector<Gap> gaps_of(const Pairing& pairing) {
    std::vector<Gap> gaps;
    size_t target = 0;
    size_t golden = 0;
    const auto close = [&](size_t last_target, size_t last_golden) {
        if (target < last_target || golden < last_golden)
            gaps.push_back({target, last_target, golden, last_golden});
    };
    for (size_t i = 0; i < pairing.target.size(); ++i) {
        if (pairing.target[i] < 0 || pairing.out_of_order[i]) continue;
        const auto partner = static_cast<size_t>(pairing.target[i]);
        close(i, partner);
        target = i + 1;
        golden = partner + 1;
    }
    close(pairing.target.size(), pairing.golden.size());
    return gaps;
}

}  // namespace npuscope::compare
