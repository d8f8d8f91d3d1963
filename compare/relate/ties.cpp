#include "compare/relate/ties.h"

#include <algorithm>
#include <unordered_map>

#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

TensorPlace place_of(const Source& source, const ListedTensor& tensor) {
    return {&source.ops[tensor.op], tensor.number, tensor.path};
}

}  // namespace

std::vector<TensorTie> ties_of(const Relations& relations,
                               const Source& target,
                               const Source& golden) {
    std::vector<TensorTie> ties;
    ties.reserve(relations.found.size());
    for (const TensorRelation& each : relations.found) {
        const ListedTensor& mine = relations.target.tensors[each.target];
        TensorTie tie{.target = place_of(target, mine),
                      .golden = place_of(golden, relations.golden.tensors[each.golden]),
                      .direction = mine.direction,
                      .kind = each.kind,
                      .target_view = each.target_view,
                      .golden_view = each.golden_view,
                      .scale = each.scale,
                      .distance = each.distance,
                      .by_place = each.by_place,
                      .text = each.text};
        for (const size_t more : each.more_target)
            tie.more_target.push_back(place_of(target, relations.target.tensors[more]));
        for (const size_t more : each.more_golden)
            tie.more_golden.push_back(place_of(golden, relations.golden.tensors[more]));
        ties.push_back(std::move(tie));
    }
    return ties;
}

std::vector<std::vector<TensorTie>> input_ties(const Relations& relations,
                                               const Source& target,
                                               const Source& golden,
                                               const std::vector<std::pair<size_t, size_t>>& ops) {
    std::unordered_map<size_t, const TensorRelation*> of_target;
    for (const TensorRelation& each : relations.found)
        if (each.kind != RelationKind::kPart && each.kind != RelationKind::kSum)
            of_target[each.target] = &each;
    const auto uses_by_op = [](const Listing& listing) {
        std::unordered_map<size_t, std::vector<const TensorUse*>> uses;
        for (const TensorUse& use : listing.uses)
            uses[use.op].push_back(&use);
        return uses;
    };
    const auto mine = uses_by_op(relations.target);
    const auto theirs = uses_by_op(relations.golden);
    std::vector<std::vector<TensorTie>> all(ops.size());
    for (size_t i = 0; i < ops.size(); ++i) {
        const auto own = mine.find(ops[i].first);
        const auto others = theirs.find(ops[i].second);
        if (own == mine.end() || others == theirs.end()) continue;
        for (const TensorUse* use : own->second) {
            const auto relation = of_target.find(use->tensor);
            if (relation == of_target.end()) continue;
            const auto other = std::ranges::find_if(others->second, [&](const TensorUse* each) {
                return each->tensor == relation->second->golden;
            });
            // Inputs may be views of what the relation speaks of.
            if (other == others->second.end() || use->shape != (*other)->shape ||
                relation->second->target_view || relation->second->scale != 1)
                continue;
            all[i].push_back(
                {.target = {&target.ops[use->op], use->number, use->path},
                 .golden = {&golden.ops[(*other)->op], (*other)->number, (*other)->path},
                 .direction = dumpfile::Direction::kInput,
                 .distance = relation->second->distance,
                 .by_place = relation->second->by_place});
        }
    }
    return all;
}

std::vector<TensorTie> ties_behind_views(const Relations& relations,
                                         const Source& target,
                                         const Source& golden) {
    const Listing& mine = relations.target;
    const auto is_given = [&](size_t tensor) { return mine.tensors[tensor].is_given(); };
    std::vector<TensorTie> ties;
    for (const TensorRelation& each : relations.found) {
        const ListedTensor& shown = mine.tensors[each.target];
        if (each.by_place || each.kind != RelationKind::kEqual || each.scale != 1 ||
            shown.is_given() || !relations.golden.tensors[each.golden].is_given() ||
            !is_cast(target.ops[shown.op].id.op) ||
            !std::ranges::all_of(mine.in[shown.op], is_given))
            continue;
        const auto use = std::ranges::find_if(mine.uses, [&](const TensorUse& other) {
            return mine.tensors[other.tensor].twin == shown.twin && other.shape == shown.shape;
        });
        if (use == mine.uses.end()) continue;
        ties.push_back({.target = {&target.ops[use->op], use->number, use->path},
                        .golden = place_of(golden, relations.golden.tensors[each.golden]),
                        .direction = dumpfile::Direction::kInput,
                        .distance = each.distance});
    }
    return ties;
}

}  // namespace npuscope::compare
