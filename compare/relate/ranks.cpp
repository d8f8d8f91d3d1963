#include "compare/relate/ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "core/recording/joined.h"

namespace npuscope::compare {

namespace {

constexpr double kSumOfRanks = 0.02;
constexpr int64_t kFewInRanks = 16;

/// Tensors of one place in the program, by the order of their ranks.
using Siblings = std::map<std::string, std::vector<size_t>>;

class Ranks {
  public:
    Ranks(Matches& matches, bool of_target)
        : matches_(matches),
          of_target_(of_target),
          side_(of_target ? matches.target : matches.golden) {
        for (size_t i = 0; i < side_.tensors.size(); ++i)
            if (!rank_of_path(side_.tensors[i].path).empty())
                siblings_[std::string(path_in_rank(side_.tensors[i].path))].push_back(i);
        for (const TensorRelation& relation : matches.relations())
            known_.emplace(own(relation), relation);
    }

    void relate() {
        for (const auto& [path, group] : siblings_) {
            const bool any =
                std::ranges::any_of(group, [&](size_t each) { return known_.contains(each); });
            if (any) {
                for (size_t rank = 0; rank < group.size(); ++rank)
                    if (!known_.contains(group[rank])) relate_like(group, rank);
            } else if (group.size() > 1) {
                relate_sum(group);
            }
        }
    }

  private:
    [[nodiscard]] size_t own(const TensorRelation& relation) const {
        return of_target_ ? relation.target : relation.golden;
    }
    [[nodiscard]] size_t other(const TensorRelation& relation) const {
        return of_target_ ? relation.golden : relation.target;
    }

    /// As a sibling: its copy, or the shard that lies as much farther as its rank is.
    void relate_like(const std::vector<size_t>& group, size_t rank) {
        const ListedTensor& tensor = side_.tensors[group[rank]];
        const TensorRelation* first = nullptr;
        size_t first_rank = 0;
        const TensorRelation* second = nullptr;
        size_t second_rank = 0;
        for (size_t i = 0; i < group.size(); ++i) {
            const auto known = known_.find(group[i]);
            if (known == known_.end() || side_.tensors[group[i]].shape != tensor.shape) continue;
            if (first == nullptr) {
                first = &known->second;
                first_rank = i;
            } else if (other(known->second) == other(*first)) {
                second = &known->second;
                second_rank = i;
            }
        }
        if (first == nullptr) return;
        TensorRelation relation = *first;
        (of_target_ ? relation.target : relation.golden) = group[rank];
        relation.by_place = true;
        auto& view = of_target_ ? relation.golden_view : relation.target_view;
        if (relation.kind == RelationKind::kPart && view) {
            if (second == nullptr) return;
            const auto& other_view = of_target_ ? second->golden_view : second->target_view;
            const auto steps = static_cast<int64_t>(second_rank) - static_cast<int64_t>(first_rank);
            if (!other_view || (other_view->offset - view->offset) % steps != 0) return;
            const int64_t step = (other_view->offset - view->offset) / steps;
            const auto away = static_cast<int64_t>(rank) - static_cast<int64_t>(first_rank);
            view->offset += away * step;
            if (!stays_inside(*view)) return;
            relation.text =
                "the shard of its rank, from element " + std::to_string(view->offset) + " on";
        } else {
            relation.text = "a copy of its rank";
        }
        const Sketch& theirs =
            (of_target_ ? matches_.golden : matches_.target).tensors[other(relation)].sketch;
        relation.distance =
            theirs.numel == tensor.sketch.numel ? distance_of(tensor.sketch, theirs) : 0;
        known_.emplace(group[rank], relation);
        matches_.add_part(std::move(relation));
    }

    /// What every rank holds a term of.
    void relate_sum(const std::vector<size_t>& group) {
        const Sketch& first = side_.tensors[group.front()].sketch;
        if (!first.told || first.numel < kFewInRanks) return;
        Sketch sum = first;
        for (size_t i = 1; i < group.size(); ++i) {
            const Sketch& term = side_.tensors[group[i]].sketch;
            if (term.numel != sum.numel) return;
            for (size_t fold = 0; fold < Sketch::kFolds; ++fold)
                sum.folded[fold] += term.folded[fold];
        }
        double squares = 0;
        for (const float fold : sum.folded)
            squares += double{fold} * double{fold};
        sum.l2 = std::sqrt(squares);
        const Listing& others = of_target_ ? matches_.golden : matches_.target;
        double nearest = kSumOfRanks;
        std::optional<size_t> whole;
        for (size_t i = 0; i < others.tensors.size(); ++i) {
            const Sketch& sketch = others.tensors[i].sketch;
            if (sketch.numel != sum.numel || !sketch.told) continue;
            const double distance = distance_of(sum, sketch, nearest);
            if (distance >= nearest) continue;
            nearest = distance;
            whole = i;
        }
        if (!whole) return;
        TensorRelation relation{.target = of_target_ ? group.front() : *whole,
                                .golden = of_target_ ? *whole : group.front(),
                                .kind = RelationKind::kSum,
                                .distance = nearest,
                                .text = "the sum of " + std::to_string(group.size()) + " ranks"};
        auto& more = of_target_ ? relation.more_target : relation.more_golden;
        more.assign(group.begin() + 1, group.end());
        matches_.add_part(std::move(relation));
    }

    Matches& matches_;
    bool of_target_;
    const Listing& side_;
    Siblings siblings_;
    std::map<size_t, TensorRelation> known_;
};

}  // namespace

void relate_ranks(Matches& matches) {
    for (const bool of_target : {true, false})
        Ranks(matches, of_target).relate();
}

}  // namespace npuscope::compare
