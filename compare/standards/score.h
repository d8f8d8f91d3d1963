// A named standard applied to a comparison, and where it is of another mind than the verdicts.
#pragma once

#include <unordered_map>
#include <vector>

#include "compare/compare.h"
#include "compare/match.h"
#include "compare/standards/standard.h"

namespace npuscope::compare {

/// Threads: score() may be called by several threads at once.
class StandardScore {
  public:
    /// Nothing is scored without a standard. Borrows all for its life.
    StandardScore(const Options& options, const Source& golden);

    [[nodiscard]] bool is_wanted() const { return options_.standard.standard != nullptr; }
    /// Fills the standard's words of the op and its tensors, which were measured. What cannot be
    /// read is not judged.
    void score(const OpPair& pair, const std::vector<TensorPair>& tensors, OpResult& op) const;
    /// The same, once all ops are judged for good: disagreements and counts.
    void summarise(Result& result) const;

  private:
    const Options& options_;
    std::vector<OpPair> third_pairs_;
    std::unordered_map<const SourceOp*, const SourceOp*> thirds_;  ///< by the golden's op
};

}  // namespace npuscope::compare
