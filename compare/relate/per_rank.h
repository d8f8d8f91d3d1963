// What was found of ranks that were joined, as relations of the tensors of each rank.
#pragma once

#include <optional>
#include <vector>

#include "compare/relate/joined_ranks.h"
#include "compare/relate/relate.h"

namespace npuscope::compare {

/// `found` speaks of the joined programs of the sides that have ranks; `target` and `golden` list
/// the recordings. Copies are related as the one that was, terms of a sum as such, and of shards
/// each as far as it goes: through a view of either side. What no views tell is left out.
[[nodiscard]] std::vector<TensorRelation> relations_per_rank(
    const Relations& found,
    const std::optional<JoinedRanks>& target_ranks,
    const std::optional<JoinedRanks>& golden_ranks,
    const Listing& target,
    const Listing& golden);

/// A view as loops over both sides' elements, the shards of the first axis of either apart.
struct ShardViews {
    size_t target_rank = 0;
    size_t golden_rank = 0;
    std::optional<View> target{};  ///< of its rank; empty: as it is
    std::optional<View> golden{};
};

/// Of a target of `target_ranks` times as many elements as each rank has (1: it is not sharded),
/// and a golden likewise, compared through views: of each rank what is compared. `target_shape` and
/// `golden_shape` are of one rank. Empty where a rank's share is no view.
[[nodiscard]] std::vector<ShardViews> shard_views(const std::optional<View>& target_view,
                                                  const std::optional<View>& golden_view,
                                                  const Shape& target_shape,
                                                  const Shape& golden_shape,
                                                  int64_t target_ranks,
                                                  int64_t golden_ranks);

/// "0:16 along axis 0 of [64,64]" of a box in a tensor; "" of all of it; "a part of [64,64]".
[[nodiscard]] std::string text_of_box(const View& view, const Shape& shape);

}  // namespace npuscope::compare
