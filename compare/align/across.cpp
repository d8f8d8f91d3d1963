#include "compare/align/across.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

namespace npuscope::compare {

namespace {

constexpr double kSamePlace = 2;
constexpr double kElsewhere = -1;
constexpr double kSameLine = 0.2;
/// At least so much must speak for a pair; the place alone suffices, against the elements even.
constexpr double kEnough = 1;

/// What the elements must say more for a pair than for another.
constexpr double kBetter = 0.5;

constexpr int64_t kBeside = 4;
/// Branches whose gradients are added up may be so long.
constexpr int64_t kOfOneSum = 128;
/// Candidates that are looked at for one op.
constexpr size_t kMostCandidates = 64;

using Key = OpTraits::Key;

struct Leftovers {
    std::vector<size_t> target;
    std::vector<size_t> golden;
};

class Across {
  public:
    Across(const BothTraits& traits, PairEvidence& evidence, Pairing& pairing)
        : traits_(traits),
          evidence_(evidence),
          pairing_(pairing),
          expected_(expected_places(pairing)) {}

    void pair() {
        take_back();
        pair_equal([](const OpTraits& op) { return op.key(); });
        pair_equal([](const OpTraits& op) { return Key(op.name, 0, op.output); });
    }

  private:
    /// Pairs that the order forced upon alike ops of two places, by their key: target ops.
    [[nodiscard]] std::multimap<Key, size_t> pairs_elsewhere() const {
        std::multimap<Key, size_t> elsewhere;
        for (size_t i = 0; i < pairing_.target.size(); ++i) {
            if (pairing_.target[i] < 0) continue;
            const OpTraits& mine = traits_.target.ops[i];
            const OpTraits& theirs = traits_.golden.ops[static_cast<size_t>(pairing_.target[i])];
            if (mine.is_elsewhere(theirs) && mine.is_alike(theirs))
                elsewhere.emplace(mine.key(), i);
        }
        return elsewhere;
    }

    /// A leftover takes a partner of its own place whose elements agree better with it; an op that
    /// has a partner elsewhere changes partners with another such.
    void take_back() {
        std::multimap<Key, size_t> elsewhere = pairs_elsewhere();
        if (elsewhere.empty()) return;
        for (size_t op = 0; op < pairing_.target.size(); ++op) {
            const OpTraits& mine = traits_.target.ops[op];
            if (pairing_.target[op] == kPartOfSpan || mine.place < 0 || is_at_home(op)) continue;
            const auto [first, last] = elsewhere.equal_range(mine.key());
            for (auto each = first; each != last; ++each) {
                if (!may_take(op, each->second)) continue;
                exchange(op, each->second);
                if (pairing_.target[each->second] < 0) elsewhere.erase(each);
                break;
            }
        }
    }

    [[nodiscard]] bool is_at_home(size_t op) const {
        const int32_t partner = pairing_.target[op];
        return partner >= 0 && !traits_.target.ops[op].is_elsewhere(
                                   traits_.golden.ops[static_cast<size_t>(partner)]);
    }

    [[nodiscard]] bool may_take(size_t op, size_t other) {
        const auto golden = static_cast<size_t>(pairing_.target[other]);
        const int32_t place = traits_.target.ops[op].place;
        if (op == other || is_at_home(other) || traits_.golden.ops[golden].place != place ||
            std::abs(static_cast<int64_t>(op) - static_cast<int64_t>(other)) > kNearby)
            return false;
        double gain = evidence_.agreement(op, golden) - evidence_.agreement(other, golden);
        if (pairing_.target[op] < 0) return gain >= kBetter;
        const auto given = static_cast<size_t>(pairing_.target[op]);
        if (traits_.golden.ops[given].name != traits_.target.ops[other].name) return false;
        gain += evidence_.agreement(other, given) - evidence_.agreement(op, given);
        // Both come home, and nothing speaks against it.
        if (traits_.golden.ops[given].place == traits_.target.ops[other].place) return gain >= 0;
        return gain >= kBetter;
    }

    /// `op` takes the partner of `other`, which gets that of `op`, if any.
    void exchange(size_t op, size_t other) {
        const int32_t given = pairing_.target[op];
        pairing_.join_across(op, static_cast<size_t>(pairing_.target[other]));
        pairing_.target[other] = given;
        pairing_.out_of_order[other] = given >= 0;
        if (given >= 0) pairing_.join(other, static_cast<size_t>(given));
    }

    /// Gradients of one tensor are added up in the order in which they come.
    [[nodiscard]] bool is_accumulation(size_t op) const {
        const OpTraits& traits = traits_.target.ops[op];
        return traits.place < 0 && (traits.name == traits_.name_id("add_Tensor") ||
                                    traits.name == traits_.name_id("add__Tensor"));
    }

    void pair_equal(const std::function<Key(const OpTraits&)>& key) {
        std::map<Key, Leftovers> leftovers;
        for (size_t i = 0; i < pairing_.target.size(); ++i)
            if (pairing_.target[i] == kNoPartner && !traits_.target.ops[i].is_cast)
                leftovers[key(traits_.target.ops[i])].target.push_back(i);
        for (size_t i = 0; i < pairing_.golden.size(); ++i)
            if (pairing_.golden[i] == kNoPartner && !traits_.golden.ops[i].is_cast)
                leftovers[key(traits_.golden.ops[i])].golden.push_back(i);
        for (auto& [each, left] : leftovers)
            for (const size_t op : left.target)
                pair_op(op, left.golden, left.target.size() == 1 && left.golden.size() == 1);
    }

    void pair_op(size_t op, std::vector<size_t>& left, bool is_only) {
        double best = 0;
        int64_t nearest = 0;
        auto found = left.end();
        // Both are sorted: the first that may be near.
        const auto first = std::ranges::lower_bound(
            left,
            expected_[op] - kNearby * static_cast<int64_t>(kMostCandidates),
            {},
            [](size_t at) { return static_cast<int64_t>(at); });
        const auto last = left.end() - first > static_cast<std::ptrdiff_t>(kMostCandidates)
                              ? first + static_cast<std::ptrdiff_t>(kMostCandidates)
                              : left.end();
        for (auto each = first; each != last; ++each) {
            const double favour = favour_of(op, *each);
            const int64_t distance = std::abs(static_cast<int64_t>(*each) - expected_[op]);
            if (found != left.end() && std::pair(favour, -distance) <= std::pair(best, -nearest))
                continue;
            best = favour;
            nearest = distance;
            found = each;
        }
        if (found == left.end()) return;
        // No element tells of a scalar or a check, nor of what is nothing but rounding.
        const bool may_be = is_only || (best == 0 && nearest <= kBeside);
        const bool is_likely = nearest <= kNearby && (best > 0 || may_be);
        const bool adds_up = nearest <= kOfOneSum && is_accumulation(op);
        if (best < kEnough && !is_likely && !adds_up) return;
        pairing_.join_across(op, *found);
        left.erase(found);
    }

    [[nodiscard]] double favour_of(size_t target, size_t golden) {
        const OpTraits& mine = traits_.target.ops[target];
        const OpTraits& theirs = traits_.golden.ops[golden];
        double favour = evidence_.agreement(target, golden);
        if (mine.is_elsewhere(theirs)) {
            favour += kElsewhere;
        } else if (mine.place >= 0 && theirs.place >= 0) {
            favour += kSamePlace;
        }
        return favour + (mine.line >= 0 && mine.line == theirs.line ? kSameLine : 0);
    }

    const BothTraits& traits_;
    PairEvidence& evidence_;
    Pairing& pairing_;
    std::vector<int64_t> expected_;
};

}  // namespace

void pair_across(const BothTraits& traits, PairEvidence& evidence, Pairing& pairing) {
    Across(traits, evidence, pairing).pair();
}

}  // namespace npuscope::compare
