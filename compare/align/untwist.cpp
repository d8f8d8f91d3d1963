#include "compare/align/untwist.h"

#include <algorithm>

namespace npuscope::compare {

namespace {

/// How many ops further the neighbour may be: the branches of a backward pass have a few each.
constexpr size_t kReach = 12;
/// A pair whose elements say so much is left alone.
constexpr double kSurely = 0.3;
/// What the elements must say more for the exchange.
constexpr double kGain = 1;

bool tells_places(const SideTraits& side) {
    return std::ranges::any_of(side.ops, [](const OpTraits& op) { return op.place >= 0; });
}

class Untwisting {
  public:
    Untwisting(const BothTraits& traits, ElementEvidence& evidence, Pairing& pairing)
        : traits_(traits), evidence_(evidence), pairing_(pairing) {}

    void run() {
        for (size_t op = 0; op < pairing_.target.size(); ++op)
            if (is_paired(op)) try_neighbours(op);
    }

  private:
    [[nodiscard]] bool is_paired(size_t op) const {
        return pairing_.target[op] >= 0 &&
               traits_.target.ops[op].is_alike(traits_.golden.ops[partner(op)]);
    }
    [[nodiscard]] size_t partner(size_t op) const {
        return static_cast<size_t>(pairing_.target[op]);
    }

    void try_neighbours(size_t op) {
        const size_t last = std::min(op + kReach + 1, pairing_.target.size());
        for (size_t other = op + 1; other < last; ++other) {
            if (!is_paired(other) || !traits_.target.ops[op].is_alike(traits_.target.ops[other]))
                continue;
            const double now = evidence_.agreement(op, partner(op));
            if (now >= kSurely) return;
            const double beside = evidence_.agreement(other, partner(other));
            if (beside >= kSurely) continue;
            const double exchanged =
                evidence_.agreement(op, partner(other)) + evidence_.agreement(other, partner(op));
            if (exchanged < now + beside + kGain) continue;
            const size_t mine = partner(op);
            pairing_.join(op, partner(other));
            pairing_.join(other, mine);
            pairing_.out_of_order[op] = pairing_.out_of_order[other] = true;
        }
    }

    const BothTraits& traits_;
    ElementEvidence& evidence_;
    Pairing& pairing_;
};

}  // namespace

void untwist(const BothTraits& traits, ElementEvidence& evidence, Pairing& pairing) {
    if (tells_places(traits.target) || tells_places(traits.golden)) return;
    Untwisting(traits, evidence, pairing).run();
}

}  // namespace npuscope::compare
