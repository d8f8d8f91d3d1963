// The ranks of a recording as one program, so that they are found as if nothing were sharded.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/relate/rank_form.h"
#include "core/recording/source.h"

namespace npuscope::compare {

/// A tensor of a recording.
struct RecordedPlace {
    size_t op = 0;
    size_t number = 0;  ///< index into what the op loads

    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 is that of the compiler
    friend auto operator<=>(const RecordedPlace&, const RecordedPlace&) = default;
};

/// What a tensor of the joined program stands for.
struct RankGroup {
    RankForm form = RankForm::kAlone;
    size_t shown = 0;                 ///< of a copy: which of them it shows
    std::vector<RecordedPlace> of{};  ///< in the order of ranks; one of kAlone
};

struct JoinedRanks {
    Source program;                               ///< borrows the recording
    std::vector<std::vector<RankGroup>> tensors;  ///< of each of its ops, by number
};

/// An op of the program is the k-th run of an op on every rank. What all ranks, or most, hold alike
/// is one tensor. Of anything else there are several, of one path, of which one at most is what the
/// other side has: the shards, [ranks, shape of one]; the sum of the ranks, in float32; and of two
/// ranks each one, as an error on one of them makes copies differ. Empty where the paths tell no
/// ranks, or one. Complexity: a pass over all elements, in parallel. Memory: a kilobyte a tensor.
[[nodiscard]] std::optional<JoinedRanks> join_by_rank(const Source& source, int threads = 0);

}  // namespace npuscope::compare
