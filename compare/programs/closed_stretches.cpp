#include "compare/programs/closed_stretches.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compare/dataflow/tells_inputs.h"
#include "compare/dataflow/traced_numbers.h"
#include "compare/programs/views_of_others.h"
#include "compare/relate/dot_products.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of the norm: results that are no farther apart are the same in other arithmetic, or so many
/// times as far as what was made before them.
constexpr double kSameEnd = 0.01;
constexpr double kGrowthOfEnd = 8;
/// A pair inside a stretch is so many times farther apart than its end.
constexpr double kFartherInside = 8;
/// The square of the cosine between a result and a multiple of it.
constexpr double kMultiple = 0.99;
/// Pairs in a stretch.
constexpr size_t kMostPairs = 8;

class Stretches {
  public:
    Stretches(const PairedFlows& flows, Plan& plan)
        : flows_(flows), plan_(plan), places_(places_of(plan)) {}

    [[nodiscard]] bool close() {
        for (size_t parting = 0; parting < plan_.partings.size(); ++parting)
            close_forms(parting);
        for (size_t first = 0; first + 1 < plan_.partings.size(); ++first)
            for (size_t second = first + 1;
                 second < std::min(first + 1 + kMostPairs, plan_.partings.size());
                 ++second)
                if (!ended_.contains(first) && !ended_.contains(second) && close(first, second))
                    break;
        for (size_t parting = 0; parting < plan_.partings.size(); ++parting)
            if (!ended_.contains(parting)) close_later_end(parting);
        std::vector<Stretch> crossed;
        for (size_t place = 0; place < plan_.ops.size(); ++place)
            add_crossed(place, crossed);
        // Of two ops that stand across, each stands across the other: the longer way is the whole.
        std::ranges::stable_sort(
            crossed, std::greater<>(), [](const Stretch& stretch) { return stretch.pairs.size(); });
        for (const Stretch& stretch : crossed)
            (void)close(stretch);
        if (!any_) return false;
        size_t parting = 0;
        std::erase_if(plan_.partings, [&](const Parting&) { return ended_.contains(parting++); });
        std::erase_if(plan_.ops, [](const OpPair& pair) {
            return pair.target == nullptr && pair.golden == nullptr;
        });
        return true;
    }

  private:
    using Ops = std::vector<const SourceOp*>;

    /// One side's ops at its begin, pairs, the other side's ops at its end.
    struct Stretch {
        Ops begin;
        std::vector<size_t> pairs;
        Ops end;
        bool ends_in_target = false;
    };

    [[nodiscard]] static std::optional<bool> is_of_target(const Parting& parting) {
        if (parting.only_target.empty() == parting.only_golden.empty()) return std::nullopt;
        return !parting.only_target.empty();
    }

    struct BothResults {
        Tensor target;
        Tensor golden;
    };

    /// What two ops make; empty where that is not one result of as many elements on either side.
    [[nodiscard]] std::optional<BothResults> results_of(const SourceOp& target,
                                                        const SourceOp& golden) const {
        const TracedTensor* own = only_result(flows_.target(), target);
        const TracedTensor* theirs = only_result(flows_.golden(), golden);
        if (own == nullptr || theirs == nullptr || own->content->numel != theirs->content->numel)
            return std::nullopt;
        return BothResults{traced_numbers(flows_.target(), *own),
                           traced_numbers(flows_.golden(), *theirs)};
    }

    /// |t - g| / |g| of what two ops make; infinity where it has other shapes.
    [[nodiscard]] double apart(const SourceOp& target, const SourceOp& golden) const {
        const auto both = results_of(target, golden);
        return both ? relative_distance(both->target.as<double>(), both->golden.as<double>())
                    : INFINITY;
    }

    /// Whether one side's is a multiple of the other's, as a gradient of a scaled loss is.
    [[nodiscard]] bool is_scaled(const OpPair& pair) const {
        if (!is_whole(pair)) return false;
        try {
            const auto both = results_of(*pair.target, *pair.golden);
            return both && dot_products(both->target.as<double>(), both->golden.as<double>())
                               .are_multiples(kMultiple);
        } catch (const Error&) {
            return false;
        }
    }

    /// The pairs between two partings, in the target's order; empty where they are too many, or
    /// part otherwise.
    [[nodiscard]] std::vector<size_t> pairs_between(const Parting& first,
                                                    const Parting& second) const {
        const auto last = places_.find(second.before_target);
        if (last == places_.end()) return {};
        size_t begin = 0;
        if (first.before_target != nullptr) {
            const auto before = places_.find(first.before_target);
            if (before == places_.end()) return {};
            begin = before->second + 1;
        }
        std::vector<size_t> pairs;
        for (size_t place = begin; place <= last->second; ++place) {
            const OpPair& pair = plan_.ops[place];
            if (pair.target == nullptr || pair.golden == nullptr) continue;
            if (pairs.size() == kMostPairs) return {};
            pairs.push_back(place);
        }
        return pairs;
    }

    /// How far apart what comes out may be behind these pairs, for what comes in.
    [[nodiscard]] double limit_behind(size_t end) const {
        while (end-- > 0) {
            const OpPair& pair = plan_.ops[end];
            const double before = is_whole(pair) ? apart(*pair.target, *pair.golden) : INFINITY;
            if (std::isfinite(before)) return std::max(kSameEnd, kGrowthOfEnd * before);
        }
        return kSameEnd;
    }

    [[nodiscard]] double limit_behind(const Parting& parting) const {
        const auto before = places_.find(parting.before_target);
        return before == places_.end() ? kSameEnd : limit_behind(before->second + 1);
    }

    /// Of other steps on either side that end in the same.
    void close_forms(size_t index) {
        const Parting parting = plan_.partings[index];
        const Ops& target = parting.only_target;
        const Ops& golden = parting.only_golden;
        if (target.empty() || golden.empty()) return;
        std::vector<OpPair> joined;
        try {
            const double limit = limit_behind(parting);
            if (!(apart(*target.back(), *golden.back()) < limit)) return;
            // Some of the steps between may be the same as well.
            size_t from_target = 0;
            size_t from_golden = 0;
            for (size_t its = 0; its < golden.size(); ++its) {
                const bool is_end = its + 1 == golden.size();
                size_t own = is_end ? target.size() - 1 : from_target;
                while (!is_end && own < target.size() &&
                       !(apart(*target[own], *golden[its]) < limit))
                    ++own;
                if (own == target.size() || (!is_end && own + 1 == target.size())) continue;
                joined.push_back({.also_target = ops_in(target, from_target, own),
                                  .also_golden = ops_in(golden, from_golden, its)});
                from_target = own + 1;
                from_golden = its + 1;
            }
        } catch (const Error&) {
            // What cannot be read is told where it is compared.
            return;
        }
        for (OpPair& pair : joined)
            put(std::move(pair));
        ended_.insert(index);
    }

    static Ops ops_in(const Ops& ops, size_t first, size_t last) {
        return {ops.begin() + static_cast<ptrdiff_t>(first),
                ops.begin() + static_cast<ptrdiff_t>(last) + 1};
    }

    /// Of ops of one side alone that end in what the pair before them ends in on the other, such as
    /// the bias that it adds.
    void close_later_end(size_t index) {
        const Parting& parting = plan_.partings[index];
        const auto of_target = is_of_target(parting);
        const auto before = places_.find(parting.before_target);
        if (!of_target || before == places_.end() || is_scaled(plan_.ops[before->second])) return;
        if (close({{},
                   {before->second},
                   *of_target ? parting.only_target : parting.only_golden,
                   *of_target}))
            ended_.insert(index);
    }

    bool close(size_t first, size_t second) {
        const Parting& begin = plan_.partings[first];
        const Parting& end = plan_.partings[second];
        const auto before = is_of_target(begin);
        const auto behind = is_of_target(end);
        if (!before || !behind || *before == *behind) return false;
        if (!close({*before ? begin.only_target : begin.only_golden,
                    pairs_between(begin, end),
                    *behind ? end.only_target : end.only_golden,
                    *behind}))
            return false;
        ended_.insert({first, second});
        return true;
    }

    /// Of a pair whose ops stand on either side of other pairs.
    void add_crossed(size_t place, std::vector<Stretch>& crossed) const {
        const OpPair& pair = plan_.ops[place];
        if (!is_plain(pair)) return;
        std::vector<size_t> before;
        for (size_t at = place; at-- > 0 && before.size() < kMostPairs;) {
            if (!is_whole(plan_.ops[at])) continue;
            if (plan_.ops[at].golden < pair.golden) break;
            before.insert(before.begin(), at);
        }
        if (!before.empty()) crossed.push_back({{pair.golden}, before, {pair.target}, true});
        std::vector<size_t> behind;
        for (size_t at = place + 1; at < plan_.ops.size() && behind.size() < kMostPairs; ++at) {
            if (!is_whole(plan_.ops[at])) continue;
            if (plan_.ops[at].golden > pair.golden) break;
            behind.push_back(at);
        }
        if (!behind.empty()) crossed.push_back({{pair.target}, behind, {pair.golden}, false});
    }

    bool close(const Stretch& stretch) {
        try {
            const auto inside = pairs_inside(stretch);
            if (inside.empty()) return false;
            join(stretch, inside);
            return true;
        } catch (const Error&) {
            // What cannot be read is told where it is compared.
            return false;
        }
    }

    /// Those that are farther apart than its end; empty where that is not the same.
    [[nodiscard]] std::vector<size_t> pairs_inside(const Stretch& stretch) const {
        const auto are_there = [&](const Ops& ops) {
            return std::ranges::all_of(ops, [&](const SourceOp* op) {
                const OpPair& pair = plan_.ops[places_.at(op)];
                return pair.also_target.empty() && pair.also_golden.empty() &&
                       (pair.target == op || pair.golden == op);
            });
        };
        if (stretch.pairs.empty() || !are_there(stretch.begin) || !are_there(stretch.end))
            return {};
        const OpPair& last = plan_.ops[stretch.pairs.back()];
        if (!is_plain(last)) return {};
        const double at_end = stretch.ends_in_target ? apart(*stretch.end.back(), *last.golden)
                                                     : apart(*last.target, *stretch.end.back());
        if (!(at_end < limit_behind(stretch.pairs.front()))) return {};
        std::vector<size_t> inside;
        for (const size_t place : stretch.pairs) {
            const OpPair& pair = plan_.ops[place];
            if (!is_whole(pair)) continue;
            if (apart(*pair.target, *pair.golden) <= kFartherInside * at_end) continue;
            // What is no multiple, and not what the end is made of, is off by itself.
            if (!is_plain(pair) || (place != stretch.pairs.back() && !is_scaled(pair))) return {};
            inside.push_back(place);
        }
        if (inside.empty() || inside.back() != stretch.pairs.back()) return {};
        return inside;
    }

    [[nodiscard]] static bool is_whole(const OpPair& pair) {
        return pair.target != nullptr && pair.golden != nullptr;
    }

    [[nodiscard]] static bool is_plain(const OpPair& pair) {
        return is_whole(pair) && pair.also_target.empty() && pair.also_golden.empty() &&
               pair.fault.empty();
    }

    void join(const Stretch& stretch, const std::vector<size_t>& inside) {
        OpPair joined;
        (stretch.ends_in_target ? joined.also_golden : joined.also_target) = stretch.begin;
        for (const size_t place : inside) {
            joined.also_target.push_back(plan_.ops[place].target);
            joined.also_golden.push_back(plan_.ops[place].golden);
        }
        Ops& last = stretch.ends_in_target ? joined.also_target : joined.also_golden;
        last.insert(last.end(), stretch.end.begin(), stretch.end.end());
        put(std::move(joined));
    }

    /// The last ops on either side are those that are compared.
    void put(OpPair joined) {
        for (const Ops* side : {&joined.also_target, &joined.also_golden})
            for (const SourceOp* op : *side)
                plan_.ops[places_.at(op)] = {};
        joined.target = joined.also_target.back();
        joined.golden = joined.also_golden.back();
        joined.also_target.pop_back();
        joined.also_golden.pop_back();
        joined.match = "name, several ops";
        joined.by_end = true;
        const size_t place = places_.at(joined.target);
        plan_.ops[place] = std::move(joined);
        any_ = true;
    }

    const PairedFlows& flows_;
    Plan& plan_;
    std::unordered_map<const SourceOp*, size_t> places_;
    std::unordered_set<size_t> ended_{};  ///< partings
    bool any_ = false;
};

}  // namespace

bool close_stretches(const PairedFlows& flows, Plan& plan) {
    if (tells_inputs(flows.target()) && tells_inputs(flows.golden())) return false;
    const bool any_view = part_views_of_others(flows, plan);
    return Stretches(flows, plan).close() || any_view;
}

}  // namespace npuscope::compare
