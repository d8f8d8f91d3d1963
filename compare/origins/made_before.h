// How far off what was computed before an op is, as far as what nobody made may come of it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compare/compare.h"
#include "compare/origins/inflow.h"

namespace npuscope::compare {

/// A sum that is nothing but rounding (a bias's gradient before a batch norm) may be as far off as
/// it is large, and so may what is made of it. A step that is not recorded makes no such thing of
/// other tensors, so such an error counts for tensors of as many elements alone. Distances are
/// shares of the golden's norm. Borrows both.
class MadeBefore {
  public:
    MadeBefore(const PairedFlows& flows, const Inflows& inflows)
        : flows_(flows), inflows_(inflows) {}

    /// Takes the results of a pair, after those of the pairs before it.
    void take(size_t pair, const OpResult& op);
    /// The largest distance that a tensor of so many elements may come of; infinite where a result
    /// was not measured.
    [[nodiscard]] double reaching(int64_t numel) const;
    /// Rounding alone, as far off, may be expanded to a tensor of so many elements: how many
    /// elements that has, at most; 0 where there is none. Such a tensor holds no more values.
    [[nodiscard]] int64_t expanded_from(int64_t numel, double distance) const;

  private:
    [[nodiscard]] bool is_rounding(const TensorResult& output, double distance, size_t pair) const;

    const PairedFlows& flows_;
    const Inflows& inflows_;
    double any_ = 0;                                 ///< of what is no rounding alone
    std::unordered_map<int64_t, double> rounding_;   ///< of what is, by elements
    std::unordered_set<size_t> rounding_tensors_{};  ///< of the target's flow
};

}  // namespace npuscope::compare
