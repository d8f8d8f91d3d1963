#include "compare/relate/updates.h"

#include <algorithm>
#include <map>
#include <vector>

namespace npuscope::compare {

namespace {

/// So near the tensors are that both sides write over, as a share of their norm.
constexpr double kSameBefore = 0.001;

/// Of each tensor the one that it was written over, at first; itself of others.
std::vector<size_t> first_written(const Listing& listing) {
    std::vector<std::vector<const TensorUse*>> uses(listing.in.size());
    for (const TensorUse& use : listing.uses)
        uses[use.op].push_back(&use);
    std::vector<size_t> first(listing.tensors.size());
    for (size_t i = 0; i < first.size(); ++i) {
        first[i] = i;
        const ListedTensor& made = listing.tensors[i];
        if (made.is_given()) continue;
        const auto over = std::ranges::find_if(uses[made.op], [&](const TensorUse* use) {
            return use->in_place && use->argument == made.argument && use->shape == made.shape &&
                   use->tensor != kNoTensor && use->tensor < i;
        });
        if (over != uses[made.op].end()) first[i] = first[(*over)->tensor];
    }
    return first;
}

/// Before and behind all ops that write over it.
struct Update {
    size_t first = kNoTensor;
    size_t last = kNoTensor;
};

std::vector<Update> updates_of(const Listing& listing) {
    const std::vector<size_t> first = first_written(listing);
    std::map<size_t, size_t> last;
    for (size_t i = 0; i < first.size(); ++i)
        if (first[i] != i && listing.tensors[first[i]].is_given()) last[first[i]] = i;
    std::vector<Update> updates;
    updates.reserve(last.size());
    for (const auto& [before, behind] : last)
        updates.push_back({before, behind});
    return updates;
}

}  // namespace

void pair_updates(Matches& matches) {
    std::map<Shape, std::vector<Update>> by_shape;
    for (const Update& update : updates_of(matches.golden))
        if (matches.is_free_golden(update.last))
            by_shape[matches.golden.tensors[update.last].shape].push_back(update);
    for (const Update& mine : updates_of(matches.target)) {
        const ListedTensor& result = matches.target.tensors[mine.last];
        const auto others = by_shape.find(result.shape);
        if (others == by_shape.end() || !matches.is_free_target(mine.last)) continue;
        const Sketch& before = matches.target.tensors[mine.first].sketch;
        double least = kSameBefore;
        auto nearest = others->second.end();
        for (auto each = others->second.begin(); each != others->second.end(); ++each) {
            const Sketch& other = matches.golden.tensors[each->first].sketch;
            // The first reading of a parameter may be its transpose.
            const double distance = before.bag == other.bag ? 0 : distance_of(before, other, least);
            if (distance > least) continue;
            least = distance;
            nearest = each;
        }
        if (nearest == others->second.end()) continue;
        TensorRelation relation = relation_in_order(matches, mine.last, nearest->last);
        relation.distance =
            distance_of(result.sketch, matches.golden.tensors[nearest->last].sketch);
        relation.by_place = true;
        matches.add(std::move(relation));
        others->second.erase(nearest);
    }
}

}  // namespace npuscope::compare
