// What speaks for two ops being runs of one call: their elements, and where their inputs come from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compare/align/evidence.h"
#include "compare/align/pairing.h"

namespace npuscope::compare {

/// Behind a fault no elements agree any more, but what flows where stays as it was. An input is
/// taken for the last result before it whose elements of the sample are the same; what flows counts
/// where the elements of the pair that made it do not tell. Borrows both; goes by the pairs as they
/// are when it is asked. Threads: one at a time.
class PairEvidence {
  public:
    PairEvidence(ElementEvidence& elements, const Pairing& pairing)
        : elements_(elements), pairing_(pairing) {}

    /// What the elements say, and as much less or more as inputs come from ops that are each
    /// other's or are not, at most kMostFlow either way; 0: nothing is known. Complexity: linear in
    /// the inputs; the first call in both recordings.
    [[nodiscard]] double agreement(size_t target, size_t golden);
    static constexpr double kMostFlow = 2;

    /// Whether anything speaks against the pair. Complexity: as agreement().
    [[nodiscard]] bool differs(size_t target, size_t golden);

  private:
    /// By op, of each of its inputs in their order, the op that made it; -1: not known.
    using Makers = std::vector<std::vector<int32_t>>;

    Makers makers_of(bool of_target, size_t ops);
    double flow(size_t target, size_t golden);

    ElementEvidence& elements_;
    const Pairing& pairing_;
    std::optional<Makers> target_;
    std::optional<Makers> golden_;
};

}  // namespace npuscope::compare
