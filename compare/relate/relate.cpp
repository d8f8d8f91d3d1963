#include "compare/relate/relate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compare/relate/combined.h"
#include "compare/relate/joined_ranks.h"
#include "compare/relate/moved.h"
#include "compare/relate/near.h"
#include "compare/relate/near_parts.h"
#include "compare/relate/padding.h"
#include "compare/relate/parts.h"
#include "compare/relate/per_rank.h"
#include "compare/relate/place.h"
#include "compare/relate/private_formats.h"
#include "compare/relate/rank_sums.h"
#include "compare/relate/updates.h"

namespace npuscope::compare {

namespace {

/// Relations that the elements tell.
void relate_by_elements(Matches& matches, const SourcePair& sources) {
    pair_near(matches, sources);
    pair_private(matches, sources);
    pair_moved(matches, sources);
    relate_parts(matches, sources);
}

void take_forms(const std::optional<JoinedRanks>& ranks, Listing& listing) {
    if (!ranks) return;
    for (ListedTensor& tensor : listing.tensors)
        tensor.form = ranks->tensors[tensor.op][tensor.number].form;
}

/// Of sides without ranks, or joined ones.
Relations related(const Source& target,
                  const std::optional<JoinedRanks>& target_ranks,
                  const Source& golden,
                  const std::optional<JoinedRanks>& golden_ranks,
                  int threads) {
    Relations relations{.target = list_tensors(target, threads),
                        .golden = list_tensors(golden, threads)};
    take_forms(target_ranks, relations.target);
    take_forms(golden_ranks, relations.golden);
    const std::vector<SummedTerms> summed_targets = summed_terms(relations.target);
    const std::vector<SummedTerms> summed_goldens = summed_terms(relations.golden);
    const auto leave_out_terms = [&](Matches& matches) {
        for (const SummedTerms& each : summed_targets)
            matches.leave_out(true, each.terms);
        for (const SummedTerms& each : summed_goldens)
            matches.leave_out(false, each.terms);
    };
    const SourcePair sources{.target = target, .golden = golden};
    Matches first(relations.target, relations.golden);
    leave_out_terms(first);
    relate_by_elements(first, sources);
    Padding padding(first, relations.target, relations.golden, sources);
    std::optional<Matches> unpadded;
    if (padding.leave_out()) {
        unpadded.emplace(relations.target, relations.golden);
        leave_out_terms(*unpadded);
        padding.take_over(*unpadded);
        relate_by_elements(*unpadded, sources);
    }
    Matches& matches = unpadded ? *unpadded : first;
    pair_updates(matches);
    (void)relate_near_parts(matches, sources);
    pair_by_place(matches, sources);
    if (relate_near_parts(matches, sources) > 0) pair_by_place(matches, sources);
    pair_scaled(matches);
    relate_sums(matches, sources);
    relate_terms(matches);
    relations.found = matches.relations();
    padding.put_back(relations.found);
    relate_summed(summed_targets, true, relations.found);
    relate_summed(summed_goldens, false, relations.found);
    return relations;
}

}  // namespace

Relations relate(const Source& target, const Source& golden, int threads) {
    const auto target_ranks = join_by_rank(target, threads);
    const auto golden_ranks = join_by_rank(golden, threads);
    Relations relations = related(target_ranks ? target_ranks->program : target,
                                  target_ranks,
                                  golden_ranks ? golden_ranks->program : golden,
                                  golden_ranks,
                                  threads);
    if (target_ranks || golden_ranks) {
        Relations of_ranks{.target = list_tensors(target, threads),
                           .golden = list_tensors(golden, threads)};
        of_ranks.found = relations_per_rank(
            relations, target_ranks, golden_ranks, of_ranks.target, of_ranks.golden);
        relations = std::move(of_ranks);
    }
    std::ranges::stable_sort(relations.found, {}, [](const TensorRelation& relation) {
        return std::pair(relation.target, relation.golden);
    });
    return relations;
}

}  // namespace npuscope::compare
