#include "compare/align/untwist.h"

#include <algorithm>
#include <optional>

namespace npuscope::compare {

namespace {

/// How many ops further the neighbour may be: the branches of a backward pass have a few each.
constexpr size_t kReach = 24;
/// What must speak more for the exchange: of elements, and of a pair of equal shapes.
constexpr double kGain = 1;
constexpr double kEqualShapes = 1;
constexpr int kMostHandedOn = 64;

class Untwisting {
  public:
    Untwisting(const BothTraits& traits, PairEvidence& evidence, Pairing& pairing)
        : traits_(traits), evidence_(evidence), pairing_(pairing) {}

    void run() {
        for (size_t op = 0; op < pairing_.target.size(); ++op)
            if (is_doubtful(op) && !take_free(op)) try_neighbours(op);
        for (size_t op = 0; op < pairing_.target.size(); ++op)
            if (is_free(op)) hand_on(op);
    }

  private:
    [[nodiscard]] size_t partner(size_t op) const {
        return static_cast<size_t>(pairing_.target[op]);
    }
    [[nodiscard]] bool is_paired(size_t op) const {
        return pairing_.target[op] >= 0 &&
               traits_.target.ops[op].name == traits_.golden.ops[partner(op)].name;
    }
    [[nodiscard]] bool is_doubtful(size_t op) {
        return is_paired(op) && (!are_alike(op, partner(op)) || evidence_.differs(op, partner(op)));
    }
    [[nodiscard]] bool are_alike(size_t mine, size_t theirs) const {
        return traits_.target.ops[mine].is_alike(traits_.golden.ops[theirs]);
    }
    [[nodiscard]] double fit(size_t mine, size_t theirs) {
        return are_alike(mine, theirs) ? kEqualShapes + evidence_.agreement(mine, theirs) : 0;
    }

    [[nodiscard]] bool is_free(size_t op) const { return pairing_.target[op] == kNoPartner; }

    /// Where one op more shifted those behind it, each takes the next one's partner.
    void hand_on(size_t op) {
        std::optional<size_t> free = op;
        for (int i = 0; free && i < kMostHandedOn; ++i)
            free = take_from_neighbour(*free);
    }

    /// The op that is without partner now, if `op` could take one.
    std::optional<size_t> take_from_neighbour(size_t op) {
        double best = kGain;
        std::optional<size_t> from;
        const size_t first = op < kReach ? 0 : op - kReach;
        const size_t last = std::min(op + kReach + 1, pairing_.target.size());
        for (size_t other = first; other < last; ++other) {
            if (!is_paired(other) || !are_alike(op, partner(other)) || !may_be(op, partner(other)))
                continue;
            const double gain = evidence_.agreement(op, partner(other)) -
                                evidence_.agreement(other, partner(other));
            if (gain < best) continue;
            best = gain;
            from = other;
        }
        if (!from) return std::nullopt;
        pairing_.join_across(op, partner(*from));
        pairing_.target[*from] = kNoPartner;
        pairing_.out_of_order[*from] = false;
        return from;
    }

    /// Where both places are told they are to be equal, or the pair is not in question.
    [[nodiscard]] bool may_be(size_t mine, size_t theirs) const {
        return !traits_.target.ops[mine].is_elsewhere(traits_.golden.ops[theirs]);
    }

    /// Whether `op` leaves its partner for one that has none and fits it better.
    bool take_free(size_t op) {
        const size_t now = partner(op);
        const double least = fit(op, now) + kGain;
        const size_t first = now < kReach ? 0 : now - kReach;
        const size_t last = std::min(now + kReach + 1, pairing_.golden.size());
        for (size_t other = first; other < last; ++other) {
            if (pairing_.golden[other] != kNoPartner || !are_alike(op, other) ||
                !may_be(op, other) || fit(op, other) < least)
                continue;
            pairing_.golden[now] = kNoPartner;
            pairing_.join_across(op, other);
            return true;
        }
        return false;
    }

    void try_neighbours(size_t op) {
        const size_t last = std::min(op + kReach + 1, pairing_.target.size());
        for (size_t other = op + 1; other < last; ++other) {
            if (!is_paired(other) ||
                traits_.target.ops[op].name != traits_.target.ops[other].name ||
                !may_gain(op, other))
                continue;
            const double now = fit(op, partner(op)) + fit(other, partner(other));
            const double exchanged = fit(op, partner(other)) + fit(other, partner(op));
            if (exchanged < now + kGain) continue;
            const size_t mine = partner(op);
            pairing_.join_across(op, partner(other));
            pairing_.join_across(other, mine);
            if (!is_doubtful(op)) return;
        }
    }

    [[nodiscard]] bool may_gain(size_t op, size_t other) {
        return may_be(op, partner(other)) && may_be(other, partner(op)) && is_doubtful(other) &&
               (are_alike(op, partner(other)) || are_alike(other, partner(op)));
    }

    const BothTraits& traits_;
    PairEvidence& evidence_;
    Pairing& pairing_;
};

}  // namespace

void untwist(const BothTraits& traits, PairEvidence& evidence, Pairing& pairing) {
    Untwisting(traits, evidence, pairing).run();
}

}  // namespace npuscope::compare
