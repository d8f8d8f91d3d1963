#include "compare/align/across.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace npuscope::compare {

namespace {

constexpr double kSamePlace = 2;
constexpr double kElsewhere = -1;
constexpr double kElementsFavour = 2;
constexpr double kSameLine = 0.2;
/// At least so much must speak for a pair, or nothing against the only one.
constexpr double kEnough = 1;

/// How far away the only candidate may have run, beside the difference of the sides' lengths.
constexpr int64_t kNearby = 256;
/// Candidates that are looked at for one op.
constexpr size_t kMostCandidates = 64;

using Key = std::tuple<int32_t, uint64_t, uint64_t>;

Key key_of_traits(const OpTraits& op) {
    return {op.name, op.inputs, op.output};
}

struct Leftovers {
    std::vector<size_t> target;
    std::vector<size_t> golden;
};

class Across {
  public:
    Across(const BothTraits& traits, ElementEvidence& evidence, Pairing& pairing)
        : traits_(traits), evidence_(evidence), pairing_(pairing) {}

    void pair() {
        std::map<Key, Leftovers> leftovers;
        for (size_t i = 0; i < pairing_.target.size(); ++i)
            if (pairing_.target[i] == kNoPartner && !traits_.target.ops[i].is_cast)
                leftovers[key_of_traits(traits_.target.ops[i])].target.push_back(i);
        for (size_t i = 0; i < pairing_.golden.size(); ++i)
            if (pairing_.golden[i] == kNoPartner && !traits_.golden.ops[i].is_cast)
                leftovers[key_of_traits(traits_.golden.ops[i])].golden.push_back(i);
        for (auto& [key, left] : leftovers)
            for (const size_t op : left.target)
                pair_op(op, left);
    }

  private:
    void pair_op(size_t op, Leftovers& left) {
        double best = 0;
        auto found = left.golden.end();
        const size_t candidates = std::min(left.golden.size(), kMostCandidates);
        for (size_t i = 0; i < candidates; ++i) {
            const double favour = favour_of(op, left.golden[i]);
            if (found != left.golden.end() && favour <= best) continue;
            best = favour;
            found = left.golden.begin() + static_cast<std::ptrdiff_t>(i);
        }
        if (found == left.golden.end()) return;
        const bool is_only =
            left.target.size() == 1 && left.golden.size() == 1 && are_near(op, *found);
        if (best < (is_only ? 0 : kEnough)) return;
        pairing_.join(op, *found);
        pairing_.out_of_order[op] = true;
        left.golden.erase(found);
    }

    [[nodiscard]] double favour_of(size_t target, size_t golden) {
        const OpTraits& mine = traits_.target.ops[target];
        const OpTraits& theirs = traits_.golden.ops[golden];
        double favour = kElementsFavour * evidence_.agreement(target, golden);
        if (mine.is_elsewhere(theirs)) {
            favour += kElsewhere;
        } else if (mine.place >= 0 && theirs.place >= 0) {
            favour += kSamePlace;
        }
        return favour + (mine.line >= 0 && mine.line == theirs.line ? kSameLine : 0);
    }

    [[nodiscard]] bool are_near(size_t target, size_t golden) const {
        const auto targets = static_cast<int64_t>(pairing_.target.size());
        const auto goldens = static_cast<int64_t>(pairing_.golden.size());
        const int64_t distance = static_cast<int64_t>(target) - static_cast<int64_t>(golden);
        return std::abs(distance) <= kNearby + std::abs(targets - goldens);
    }

    const BothTraits& traits_;
    ElementEvidence& evidence_;
    Pairing& pairing_;
};

}  // namespace

void pair_across(const BothTraits& traits, ElementEvidence& evidence, Pairing& pairing) {
    Across(traits, evidence, pairing).pair();
}

}  // namespace npuscope::compare
