#include "compare/relate/relate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compare/relate/combined.h"
#include "compare/relate/moved.h"
#include "compare/relate/near.h"
#include "compare/relate/near_parts.h"
#include "compare/relate/padding.h"
#include "compare/relate/parts.h"
#include "compare/relate/place.h"
#include "compare/relate/private_formats.h"
#include "compare/relate/ranks.h"

namespace npuscope::compare {

namespace {

/// Relations that the elements tell.
void relate_by_elements(Matches& matches, const SourcePair& sources) {
    pair_near(matches);
    pair_private(matches, sources);
    pair_moved(matches, sources);
    relate_parts(matches, sources);
}

}  // namespace

Relations relate(const Source& target, const Source& golden, int threads) {
    Relations relations{.target = list_tensors(target, threads),
                        .golden = list_tensors(golden, threads)};
    const SourcePair sources{.target = target, .golden = golden};
    Matches first(relations.target, relations.golden);
    relate_by_elements(first, sources);
    Padding padding(first, relations.target, relations.golden, sources);
    std::optional<Matches> unpadded;
    if (padding.leave_out()) {
        unpadded.emplace(relations.target, relations.golden);
        padding.take_over(*unpadded);
        relate_by_elements(*unpadded, sources);
    }
    Matches& matches = unpadded ? *unpadded : first;
    (void)relate_near_parts(matches, sources);
    relate_ranks(matches);
    pair_by_place(matches, sources);
    if (relate_near_parts(matches, sources) > 0) pair_by_place(matches, sources);
    pair_scaled(matches);
    relate_sums(matches);
    relations.found = matches.relations();
    padding.put_back(relations.found);
    std::ranges::stable_sort(relations.found, {}, [](const TensorRelation& relation) {
        return std::pair(relation.target, relation.golden);
    });
    return relations;
}

}  // namespace npuscope::compare
