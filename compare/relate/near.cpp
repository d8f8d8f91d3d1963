#include "compare/relate/near.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "compare/relate/moved.h"
#include "core/naming/aliases.h"

namespace npuscope::compare {

namespace {

/// How far apart partners may be, tried one after the other: float32, halves, eight bits and small
/// faults.
constexpr double kLevels[] = {1e-5, 4e-3, 0.04, 0.15};
/// Another candidate has to be so many times farther.
constexpr double kClearly = 3;
/// Of fewer elements than this only the first two levels tell something.
constexpr int64_t kSmall = 64;
/// Of fewer elements than this none does.
constexpr int64_t kTiny = 8;
/// Sketches measure distances up to this factor.
constexpr double kSlack = 1.5;

/// A random projection: partners at distance d differ in it by about d times their norm.
double key_of(const Sketch& sketch) {
    return std::accumulate(sketch.folded.begin(), sketch.folded.end(), 0.0);
}

struct Keyed {
    double key = 0;
    size_t tensor = 0;
};

/// The nearest of the other side, and how far the next one is.
struct Nearest {
    size_t tensor = kNoTensor;
    double distance = 9;
    double next = 9;

    void take(size_t other, double other_distance) {
        if (other_distance < distance) {
            next = distance;
            distance = other_distance;
            tensor = other;
        } else {
            next = std::min(next, other_distance);
        }
    }
    [[nodiscard]] bool is_clear() const {
        return tensor != kNoTensor && next > kClearly * distance && next > distance;
    }
};

class NearPairs {
  public:
    NearPairs(Matches& matches, const SourcePair& sources) : matches_(matches), sources_(sources) {}

    void pair() {
        for (const double level : kLevels) {
            std::map<int64_t, std::vector<size_t>> targets =
                by_numel(matches_.target.tensors, matches_.free_targets(), level);
            std::map<int64_t, std::vector<size_t>> goldens =
                by_numel(matches_.golden.tensors, matches_.free_goldens(), level);
            for (const auto& [numel, mine] : targets) {
                const auto theirs = goldens.find(numel);
                if (theirs == goldens.end()) continue;
                if (level == kLevels[0]) pair_equals(mine, theirs->second);
                pair_group(mine, theirs->second, level);
            }
            // A transposed weight is nearer to it than what one step makes of it.
            if (level == kLevels[0]) pair_same_elements(matches_, sources_);
        }
    }

  private:
    static std::map<int64_t, std::vector<size_t>> by_numel(const std::vector<ListedTensor>& tensors,
                                                           const std::vector<size_t>& free,
                                                           double level) {
        std::map<int64_t, std::vector<size_t>> groups;
        for (const size_t each : free) {
            const Sketch& sketch = tensors[each].sketch;
            const int64_t least = level > kLevels[1] ? kSmall : kTiny;
            if (sketch.told && sketch.l2 > 0 && sketch.numel >= least)
                groups[sketch.numel].push_back(each);
        }
        return groups;
    }

    /// Tensors that are equal to the bit, as often on both sides.
    void pair_equals(const std::vector<size_t>& targets, const std::vector<size_t>& goldens) {
        std::unordered_map<uint64_t, std::vector<size_t>> mine;
        std::unordered_map<uint64_t, std::vector<size_t>> theirs;
        for (const size_t each : targets)
            mine[matches_.target.tensors[each].sketch.sequence].push_back(each);
        for (const size_t each : goldens)
            theirs[matches_.golden.tensors[each].sketch.sequence].push_back(each);
        for (const auto& [hash, group] : mine) {
            const auto found = theirs.find(hash);
            if (found == theirs.end() || found->second.size() != group.size()) continue;
            for (size_t i = 0; i < group.size(); ++i)
                matches_.add(relation_in_order(matches_, group[i], found->second[i]));
        }
    }

    /// Of free tensors that hold the same the last one: ops may change nothing (a weight of ones),
    /// and what comes behind takes in the last. Where both sides have as many, they pair in order.
    [[nodiscard]] std::vector<size_t> last_twins(const std::vector<size_t>& group,
                                                 bool of_target) const {
        const auto& tensors = (of_target ? matches_.target : matches_.golden).tensors;
        std::unordered_map<size_t, size_t> last;
        for (const size_t each : group)
            if (of_target ? matches_.is_free_target(each) : matches_.is_free_golden(each))
                last[tensors[each].twin] = each;
        std::vector<size_t> found;
        for (const size_t each : group)
            if (const auto at = last.find(tensors[each].twin);
                at != last.end() && at->second == each)
                found.push_back(each);
        return found;
    }

    /// Free tensors that hold the same.
    struct Twins {
        std::vector<size_t> targets{};
        std::vector<size_t> goldens{};
    };

    [[nodiscard]] Twins twins_of(size_t target,
                                 size_t golden,
                                 const std::vector<size_t>& targets,
                                 const std::vector<size_t>& goldens) const {
        Twins twins;
        for (const size_t each : targets)
            if (matches_.is_free_target(each) &&
                matches_.target.tensors[each].twin == matches_.target.tensors[target].twin)
                twins.targets.push_back(each);
        for (const size_t each : goldens)
            if (matches_.is_free_golden(each) &&
                matches_.golden.tensors[each].twin == matches_.golden.tensors[golden].twin)
                twins.goldens.push_back(each);
        return twins;
    }

    [[nodiscard]] bool are_of_one_kind(size_t target, size_t golden) const {
        const ListedTensor& mine = matches_.target.tensors[target];
        const ListedTensor& theirs = matches_.golden.tensors[golden];
        return mine.direction == theirs.direction &&
               canonical_name(sources_.target.ops[mine.op].op()) ==
                   canonical_name(sources_.golden.ops[theirs.op].op());
    }

    /// Where one side copies what both made, the copy is not what the other's op made: the last two
    /// of one kind of op, without any the last ones.
    [[nodiscard]] std::pair<size_t, size_t> last_of_one_kind(const Twins& twins) const {
        for (auto mine = twins.targets.rbegin(); mine != twins.targets.rend(); ++mine)
            for (auto theirs = twins.goldens.rbegin(); theirs != twins.goldens.rend(); ++theirs)
                if (are_of_one_kind(*mine, *theirs)) return {*mine, *theirs};
        return {twins.targets.back(), twins.goldens.back()};
    }

    /// A step too small for its format leaves what it writes over as it was.
    static bool is_left_as_it_was(const Listing& listing, size_t tensor) {
        const ListedTensor& made = listing.tensors[tensor];
        if (made.is_given()) return false;
        auto use = std::ranges::lower_bound(listing.uses, made.op, {}, &TensorUse::op);
        for (; use != listing.uses.end() && use->op == made.op; ++use)
            if (use->in_place && use->argument == made.argument && use->tensor != kNoTensor &&
                listing.tensors[use->tensor].twin == made.twin)
                return true;
        return false;
    }

    /// Without those at the end that one side more has of them: its partner is changed.
    static void drop_left(const Listing& listing, size_t others, std::vector<size_t>& twins) {
        while (twins.size() > others && is_left_as_it_was(listing, twins.back()))
            twins.pop_back();
    }

    /// Each with each where both sides have as many.
    void pair_twins(Twins twins, double distance) {
        drop_left(matches_.target, twins.goldens.size(), twins.targets);
        drop_left(matches_.golden, twins.targets.size(), twins.goldens);
        const auto pair = [&](size_t target, size_t golden) {
            TensorRelation relation = relation_in_order(matches_, target, golden);
            relation.distance = distance;
            matches_.add(std::move(relation));
        };
        if (twins.targets.size() != twins.goldens.size()) {
            const auto [target, golden] = last_of_one_kind(twins);
            pair(target, golden);
            return;
        }
        for (size_t i = 0; i < twins.targets.size(); ++i)
            pair(twins.targets[i], twins.goldens[i]);
    }

    void pair_group(const std::vector<size_t>& targets,
                    const std::vector<size_t>& goldens,
                    double level) {
        const std::vector<size_t> lasts = last_twins(targets, true);
        std::vector<Keyed> keyed;
        for (const size_t each : last_twins(goldens, false))
            if (matches_.is_free_golden(each))
                keyed.push_back({key_of(matches_.golden.tensors[each].sketch), each});
        std::ranges::sort(keyed, {}, &Keyed::key);
        std::unordered_map<size_t, Nearest> of_target;
        std::unordered_map<size_t, Nearest> of_golden;
        for (const size_t target : lasts) {
            if (!matches_.is_free_target(target)) continue;
            const Sketch& sketch = matches_.target.tensors[target].sketch;
            // Far enough to see what comes next after the nearest.
            const double reach = kSlack * kClearly * level;
            const double key = key_of(sketch);
            const double width = kClearly * reach * sketch.l2;
            auto at = std::ranges::lower_bound(keyed, key - width, {}, &Keyed::key);
            for (; at != keyed.end() && at->key <= key + width; ++at) {
                const double distance =
                    distance_of(sketch, matches_.golden.tensors[at->tensor].sketch, reach);
                if (distance > reach) continue;
                if (!are_readings(matches_.golden, of_target[target].tensor, at->tensor))
                    of_target[target].take(at->tensor, distance);
                // Readings of one tensor are one candidate.
                if (!are_readings(matches_.target, of_golden[at->tensor].tensor, target))
                    of_golden[at->tensor].take(target, distance);
            }
        }
        for (const size_t target : lasts) {
            const auto mine = of_target.find(target);
            if (mine == of_target.end() || !mine->second.is_clear()) continue;
            const Nearest& nearest = mine->second;
            const Nearest& back = of_golden[nearest.tensor];
            if (nearest.distance > kSlack * level || back.tensor != target || !back.is_clear())
                continue;
            if (level > kLevels[0] &&
                sources_.kin.are_unlike(matches_.target.tensors[target],
                                        matches_.golden.tensors[nearest.tensor]))
                continue;
            pair_twins(twins_of(target, nearest.tensor, targets, goldens), nearest.distance);
        }
    }

    Matches& matches_;
    const SourcePair& sources_;
};

}  // namespace

void pair_near(Matches& matches, const SourcePair& sources) {
    NearPairs(matches, sources).pair();
}

}  // namespace npuscope::compare
