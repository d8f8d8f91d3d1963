#include "compare/relate/rank_sums.h"

#include <algorithm>

namespace npuscope::compare {

namespace {

constexpr double kSumOfRanks = 0.02;
constexpr int64_t kFewInRanks = 16;

/// The result of an op that took the terms in and made their sum; kNoTensor without one. An op that hands the
/// terms on (a view, a gradient of ones) has a result like them whose ranks still hold terms: no sum.
size_t sum_made_of(const Listing& side, size_t terms) {
    const Sketch& sketch = side.tensors[terms].sketch;
    for (const size_t user : side.tensors[terms].users)
        for (const size_t result : side.out[user]) {
            const RankForm form = side.tensors[result].form;
            if (form == RankForm::kShards || form == RankForm::kTerms) continue;
            const Sketch& other = side.tensors[result].sketch;
            if (other.numel == sketch.numel && distance_of(sketch, other, kSumOfRanks) <= kSumOfRanks)
                return result;
        }
    return kNoTensor;
}

}  // namespace

std::vector<SummedTerms> summed_terms(const Listing& side) {
    std::vector<SummedTerms> summed;
    for (size_t i = 0; i < side.tensors.size(); ++i) {
        const ListedTensor& tensor = side.tensors[i];
        if (tensor.form != RankForm::kTerms || !tensor.sketch.told) continue;
        const size_t sum = sum_made_of(side, i);
        if (sum != kNoTensor) summed.push_back({i, sum});
    }
    return summed;
}

void relate_terms(Matches& matches) {
    for (const bool of_target : {true, false}) {
        const Listing& own = of_target ? matches.target : matches.golden;
        const Listing& others = of_target ? matches.golden : matches.target;
        for (const size_t terms : of_target ? matches.free_targets() : matches.free_goldens()) {
            const ListedTensor& mine = own.tensors[terms];
            if (mine.form != RankForm::kTerms || !mine.sketch.told ||
                mine.sketch.numel < kFewInRanks)
                continue;
            double nearest = kSumOfRanks;
            size_t whole = kNoTensor;
            for (size_t i = 0; i < others.tensors.size(); ++i) {
                const ListedTensor& theirs = others.tensors[i];
                if (theirs.sketch.numel != mine.sketch.numel || !theirs.sketch.told ||
                    matches.is_read_otherwise(!of_target, i))
                    continue;
                const double distance = distance_of(mine.sketch, theirs.sketch, nearest);
                if (distance >= nearest) continue;
                nearest = distance;
                whole = i;
            }
            if (whole == kNoTensor) continue;
            TensorRelation relation =
                relation_in_order(matches, of_target ? terms : whole, of_target ? whole : terms);
            relation.distance = nearest;
            matches.add_part(std::move(relation));
        }
    }
}

void relate_summed(const std::vector<SummedTerms>& summed,
                   bool of_target,
                   std::vector<TensorRelation>& relations) {
    std::vector<TensorRelation> more;
    for (const SummedTerms& each : summed)
        for (const TensorRelation& known : relations) {
            if ((of_target ? known.target : known.golden) != each.sum) continue;
            more.push_back(known);
            (of_target ? more.back().target : more.back().golden) = each.terms;
        }
    relations.insert(relations.end(), more.begin(), more.end());
}

}  // namespace npuscope::compare
