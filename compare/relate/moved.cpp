#include "compare/relate/moved.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compare/relate/arrangements.h"
#include "compare/relate/block_orders.h"
#include "compare/relate/private_formats.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

constexpr size_t kMostArrangements = 400;
/// What one tensor of a rank is at most put together of, where all parts are as large.
constexpr int64_t kMostSplit = 3;
/// Arrangements whose elements are read, of one pair.
constexpr size_t kMostRead = 6;
constexpr double kLeastTops = 0.45;
/// Blocks in another order are looked for in so many arrangements, and are many.
constexpr size_t kMostReordered = 4;
constexpr double kLeastReorderedTops = 0.7;
/// Half the blocks may lie as an arrangement of axes has them: that is no more likely than this.
constexpr double kClearTops = 0.9;
/// Of bags of elements that are held against each other, in their norm and in their other numbers.
constexpr double kNormTolerance = 0.02;
/// Candidates of one tensor whose arrangements are tried.
constexpr size_t kMostCandidates = 48;
constexpr double kMovedDistance = 0.2;
/// Of the same elements.
constexpr double kSameDistance = 1e-9;
/// Another candidate has to be so many times farther.
constexpr double kClearlyMoved = 2;
/// Fewer elements are in some order by chance.
constexpr int64_t kFewMoved = 8;

struct Ranked {
    View view;
    double share = 0;
};

/// Shapes of as many elements in which an axis of what ranks hold side by side is split into few,
/// as what a rank fuses are parts of several.
std::vector<Shape> with_split_axes(const ListedTensor& tensor) {
    std::vector<Shape> shapes = {tensor.shape};
    if (tensor.form != RankForm::kShards) return shapes;
    for (size_t axis = 1; axis < tensor.shape.size(); ++axis)
        for (int64_t parts = 2; parts <= kMostSplit && parts < tensor.shape[axis]; ++parts) {
            if (tensor.shape[axis] % parts != 0) continue;
            Shape split = tensor.shape;
            split[axis] /= parts;
            split.insert(split.begin() + static_cast<int64_t>(axis), parts);
            shapes.push_back(std::move(split));
        }
    return shapes;
}

/// Of tensors that no arrangement of axes makes of each other.
void add_block_orders(const ListedTensor& target,
                      const ListedTensor& golden,
                      std::vector<Ranked>& ranked) {
    for (const View& plain : arrangements(target.shape, golden.shape, kMostReordered))
        for (View& view : block_orders(plain)) {
            const double share = share_of_tops(view, target.sketch, golden.sketch);
            if (share >= kLeastReorderedTops) ranked.push_back({std::move(view), share});
        }
}

std::vector<Ranked> ranked_arrangements(const ListedTensor& target, const ListedTensor& golden) {
    std::vector<Ranked> ranked;
    for (const Shape& mine : with_split_axes(target))
        for (const Shape& theirs : with_split_axes(golden))
            for (View& view : arrangements(mine, theirs, kMostArrangements)) {
                view.shape = golden.shape;
                const double share = share_of_tops(view, target.sketch, golden.sketch);
                ranked.push_back({std::move(view), share});
            }
    const auto is_clear = [](const Ranked& each) { return each.share >= kClearTops; };
    if (std::ranges::none_of(ranked, is_clear)) add_block_orders(target, golden, ranked);
    std::ranges::stable_sort(ranked, std::greater<>(), &Ranked::share);
    return ranked;
}

}  // namespace

std::optional<TensorRelation> arranged(const Matches& matches,
                                       const SourcePair& sources,
                                       size_t target,
                                       size_t golden,
                                       double most_distance) {
    const ListedTensor& mine = matches.target.tensors[target];
    const ListedTensor& theirs = matches.golden.tensors[golden];
    std::vector<Ranked> ranked = ranked_arrangements(mine, theirs);
    if (ranked.size() > kMostRead) ranked.resize(kMostRead);
    if (ranked.empty()) return std::nullopt;
    try {
        const auto elements = open_listed_for_many(sources.target, mine);
        const auto others = open_listed_for_many(sources.golden, theirs);
        const Ranked* best = nullptr;
        double nearest = most_distance;
        for (const Ranked& each : ranked) {
            const double distance = distance_through(each.view, *elements, *others, nearest);
            if (distance > nearest || (best != nullptr && distance >= nearest)) continue;
            nearest = distance;
            best = &each;
        }
        if (best == nullptr) return std::nullopt;
        TensorRelation relation = relation_in_order(matches, target, golden);
        if (!is_in_order(best->view)) {
            relation.kind = RelationKind::kPermuted;
            relation.target_view = best->view;
            relation.text = text_of(best->view, mine.shape);
        }
        relation.distance = nearest;
        return relation;
    } catch (const Error&) {
        return std::nullopt;
    }
}

namespace {

bool is_told_by_elements(const ListedTensor& tensor) {
    return tensor.sketch.told && tensor.sketch.numel >= kFewMoved && tensor.sketch.l2 > 0;
}

class MovedPairs {
  public:
    MovedPairs(Matches& matches, const SourcePair& sources)
        : matches_(matches), sources_(sources) {}

    void pair() {
        std::map<int64_t, std::vector<size_t>> goldens;
        for (const size_t each : matches_.free_goldens())
            if (is_told_by_elements(matches_.golden.tensors[each]))
                goldens[matches_.golden.tensors[each].sketch.numel].push_back(each);
        for (auto& [numel, group] : goldens)
            std::ranges::sort(group, {}, [&](size_t each) { return norm(each); });
        for (const size_t each : matches_.free_targets()) {
            const ListedTensor& mine = matches_.target.tensors[each];
            const auto group = goldens.find(mine.sketch.numel);
            if (group != goldens.end() && is_told_by_elements(mine)) pair_one(each, group->second);
        }
        choose();
    }

  private:
    [[nodiscard]] double norm(size_t golden) const {
        return matches_.golden.tensors[golden].sketch.l2;
    }

    /// Whether they differ in tensors that hold the same, as often on both sides: those pair in
    /// order.
    [[nodiscard]] bool are_twins(const TensorRelation& one, const TensorRelation& other) const {
        const auto& targets = matches_.target.tensors;
        const auto& goldens = matches_.golden.tensors;
        const size_t mine = targets[one.target].twin;
        const size_t theirs = goldens[one.golden].twin;
        if (targets[other.target].twin != mine || goldens[other.golden].twin != theirs)
            return false;
        const auto count = [](const auto& tensors, size_t twin) {
            return std::ranges::count(tensors, twin, &ListedTensor::twin);
        };
        return count(targets, mine) == count(goldens, theirs);
    }

    void pair_one(size_t target, const std::vector<size_t>& group) {
        const ListedTensor& mine = matches_.target.tensors[target];
        const double least = mine.sketch.l2 * (1 - kNormTolerance);
        const double most = mine.sketch.l2 * (1 + kNormTolerance);
        struct Candidate {
            size_t golden;
            double share;
        };
        std::vector<Candidate> candidates;
        const auto first =
            std::ranges::lower_bound(group, least, {}, [&](size_t each) { return norm(each); });
        for (auto at = first; at != group.end() && norm(*at) <= most; ++at) {
            const ListedTensor& theirs = matches_.golden.tensors[*at];
            if (!matches_.is_free_golden(*at) || sources_.kin.are_unlike(mine, theirs) ||
                !hold_alike(mine.sketch, theirs.sketch, 2 * kNormTolerance))
                continue;
            const auto ranked = ranked_arrangements(mine, theirs);
            if (!ranked.empty() && ranked.front().share >= kLeastTops)
                candidates.push_back({*at, ranked.front().share});
            if (candidates.size() >= kMostCandidates) break;
        }
        std::ranges::stable_sort(candidates, std::greater<>(), &Candidate::share);
        constexpr size_t kRead = 4;
        for (size_t i = 0; i < std::min(kRead, candidates.size()); ++i)
            if (auto found =
                    arranged(matches_, sources_, target, candidates[i].golden, kMovedDistance))
                found_.push_back(std::move(*found));
    }

    /// The nearest first; one that is hardly nearer than another of either tensor is left to
    /// others.
    void choose() {
        std::ranges::stable_sort(found_, {}, &TensorRelation::distance);
        for (size_t i = 0; i < found_.size(); ++i) {
            const TensorRelation& each = found_[i];
            if (!matches_.is_free_target(each.target) || !matches_.is_free_golden(each.golden))
                continue;
            const bool is_clear = std::ranges::none_of(
                found_.begin() + static_cast<int64_t>(i) + 1, found_.end(), [&](const auto& other) {
                    return (other.target == each.target) != (other.golden == each.golden) &&
                           other.distance < kClearlyMoved * each.distance &&
                           !are_twins(each, other) &&
                           !are_readings(matches_.target, each.target, other.target) &&
                           !are_readings(matches_.golden, each.golden, other.golden);
                });
            if (is_clear && !contested_targets_.contains(each.target) &&
                !contested_goldens_.contains(each.golden)) {
                matches_.add(each);
            } else {
                contested_targets_.insert(each.target);
                contested_goldens_.insert(each.golden);
            }
        }
    }

    Matches& matches_;
    const SourcePair& sources_;
    std::vector<TensorRelation> found_;
    std::set<size_t> contested_targets_;
    std::set<size_t> contested_goldens_;
};

}  // namespace

void pair_same_elements(Matches& matches, const SourcePair& sources) {
    const auto by_bag = [](const std::vector<ListedTensor>& tensors,
                           const std::vector<size_t>& free) {
        std::map<std::pair<int64_t, uint64_t>, std::vector<size_t>> groups;
        for (const size_t each : free)
            if (is_told_by_elements(tensors[each]))
                groups[{tensors[each].sketch.numel, tensors[each].sketch.bag}].push_back(each);
        return groups;
    };
    const auto goldens = by_bag(matches.golden.tensors, matches.free_goldens());
    for (const auto& [bag, mine] : by_bag(matches.target.tensors, matches.free_targets())) {
        const auto theirs = goldens.find(bag);
        if (mine.size() != 1 || theirs == goldens.end() || theirs->second.size() != 1) continue;
        const Shape& one = matches.target.tensors[mine[0]].shape;
        const Shape& other = matches.golden.tensors[theirs->second[0]].shape;
        if (!private_forms(one, other).empty() || !private_forms(other, one).empty()) continue;
        if (auto found = arranged(matches, sources, mine[0], theirs->second[0], kSameDistance))
            matches.add(*std::move(found));
    }
}

void pair_moved(Matches& matches, const SourcePair& sources) {
    MovedPairs(matches, sources).pair();
}

}  // namespace npuscope::compare
