#include "compare/align/loosen.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace npuscope::compare {

namespace {

/// So near to its place an op is taken whatever its elements are.
constexpr int64_t kNextTo = 8;

class Loosening {
  public:
    Loosening(const BothTraits& traits, PairEvidence& evidence, NextTo next_to, Pairing& pairing)
        : traits_(traits), evidence_(evidence), next_to_(next_to), pairing_(pairing) {}

    void run() {
        expected_ = expected_places(pairing_);
        if (!collect()) return;
        for (const size_t op : targets_)
            take_alike(op);
        join_taken();
        join_left();
    }

  private:
    [[nodiscard]] bool is_misfit(size_t op) const {
        if (pairing_.target[op] < 0) return false;
        const OpTraits& mine = traits_.target.ops[op];
        const OpTraits& theirs = traits_.golden.ops[static_cast<size_t>(pairing_.target[op])];
        return mine.name == theirs.name && !mine.is_alike(theirs);
    }

    /// Whether there is anything to take another partner.
    bool collect() {
        for (size_t op = 0; op < pairing_.target.size(); ++op) {
            const bool is_loose = is_misfit(op);
            if (is_loose) {
                const auto partner = static_cast<size_t>(pairing_.target[op]);
                goldens_.emplace(traits_.golden.ops[partner].key(), partner);
            }
            if (is_loose || pairing_.target[op] == kNoPartner) targets_.push_back(op);
        }
        for (size_t op = 0; op < pairing_.golden.size(); ++op)
            if (pairing_.golden[op] == kNoPartner)
                goldens_.emplace(traits_.golden.ops[op].key(), op);
        return !targets_.empty() && !goldens_.empty();
    }

    [[nodiscard]] bool is_near(size_t op, size_t golden) const {
        return std::abs(static_cast<int64_t>(golden) - expected_[op]) <= kNearby;
    }

    [[nodiscard]] bool is_only_one(const OpTraits::Key& key) const {
        return goldens_.count(key) == 1 && std::ranges::count_if(targets_, [&](size_t op) {
                                               return !taken_.contains(op) &&
                                                      traits_.target.ops[op].key() == key;
                                           }) == 1;
    }

    void take_alike(size_t op) {
        const OpTraits& mine = traits_.target.ops[op];
        const auto [first, last] = goldens_.equal_range(mine.key());
        auto found = last;
        std::pair<double, int64_t> best;
        for (auto each = first; each != last; ++each) {
            const size_t golden = each->second;
            if (!is_near(op, golden) || mine.is_elsewhere(traits_.golden.ops[golden])) continue;
            const std::pair rank(evidence_.agreement(op, golden),
                                 -std::abs(static_cast<int64_t>(golden) - expected_[op]));
            if (found != last && rank <= best) continue;
            best = rank;
            found = each;
        }
        if (found == last) return;
        // Of what is nothing but rounding no element agrees.
        const bool is_next = next_to_ == NextTo::kWhatever && -best.second <= kNextTo;
        if (best.first < 0 && !is_next && !is_misfit(op)) return;
        // One side may well copy more, unless there is no other.
        if (best.first <= 0 && mine.is_cast && !is_only_one(mine.key())) return;
        taken_.emplace(op, found->second);
        goldens_.erase(found);
    }

    void join_taken() {
        for (const auto& [op, golden] : taken_)
            if (const int32_t before = pairing_.target[op]; before >= 0) {
                pairing_.golden[static_cast<size_t>(before)] = kNoPartner;
                lost_.push_back(static_cast<size_t>(before));
            }
        for (const auto& [op, golden] : taken_)
            pairing_.join_across(op, golden);
    }

    /// A pair of which neither has found another stays; what both sides lost belongs together as
    /// much as before.
    void join_left() {
        std::ranges::sort(lost_);
        for (const size_t op : targets_) {
            const int32_t before = pairing_.target[op];
            if (before < 0 ||
                pairing_.golden[static_cast<size_t>(before)] == static_cast<int32_t>(op))
                continue;
            pairing_.target[op] = kNoPartner;
            const auto found = std::ranges::find_if(lost_, [&](size_t golden) {
                return pairing_.golden[golden] == kNoPartner && is_near(op, golden) &&
                       traits_.golden.ops[golden].name == traits_.target.ops[op].name;
            });
            if (found != lost_.end()) pairing_.join_across(op, *found);
        }
    }

    const BothTraits& traits_;
    PairEvidence& evidence_;
    NextTo next_to_;
    Pairing& pairing_;
    std::vector<int64_t> expected_;
    std::vector<size_t> targets_;                   ///< free, or in a misfit
    std::multimap<OpTraits::Key, size_t> goldens_;  ///< the same, by what they are
    std::map<size_t, size_t> taken_;                ///< by op of the target its new partner
    std::vector<size_t> lost_;  ///< ops of the golden whose partner took another
};

}  // namespace

void loosen_misfits(const BothTraits& traits,
                    PairEvidence& evidence,
                    NextTo next_to,
                    Pairing& pairing) {
    Loosening(traits, evidence, next_to, pairing).run();
}

}  // namespace npuscope::compare
