#include "compare/relate/relate.h"

#include <algorithm>
#include <utility>

#include "compare/relate/combined.h"
#include "compare/relate/moved.h"
#include "compare/relate/near.h"
#include "compare/relate/near_parts.h"
#include "compare/relate/parts.h"
#include "compare/relate/place.h"
#include "compare/relate/ranks.h"

namespace npuscope::compare {

Relations relate(const Source& target, const Source& golden, int threads) {
    Relations relations{.target = list_tensors(target, threads),
                        .golden = list_tensors(golden, threads)};
    Matches matches(relations.target, relations.golden);
    const SourcePair sources{.target = target, .golden = golden};
    pair_near(matches);
    pair_moved(matches, sources);
    relate_parts(matches, sources);
    (void)relate_near_parts(matches, sources);
    relate_ranks(matches);
    pair_by_place(matches, sources);
    if (relate_near_parts(matches, sources) > 0) pair_by_place(matches, sources);
    pair_scaled(matches);
    relate_sums(matches);
    relations.found = matches.relations();
    std::ranges::stable_sort(relations.found, {}, [](const TensorRelation& relation) {
        return std::pair(relation.target, relation.golden);
    });
    return relations;
}

}  // namespace npuscope::compare
