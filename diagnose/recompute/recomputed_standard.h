// A named standard on recorded results, held against f(their inputs) as the golden.
#pragma once

#include <memory>

#include "compare/standards/score.h"
#include "core/recording/source.h"
#include "diagnose/judge/side_judge.h"
#include "diagnose/recompute/recompute.h"

namespace npuscope::diagnose {

/// Threads: one.
class RecomputedStandard {
  public:
    /// Borrows all for its life.
    RecomputedStandard(const compare::StandardOptions& options,
                       const Source& recording,
                       const SideJudge& judge);
    ~RecomputedStandard();
    RecomputedStandard(const RecomputedStandard&) = delete;
    RecomputedStandard& operator=(const RecomputedStandard&) = delete;

    /// Of the recording's op at that place: its word, and those of the results of `made`.
    void score(size_t op, RecomputedOp& made);
    /// `result` has the words.
    [[nodiscard]] compare::StandardSummary summary(compare::Result result) const;

  private:
    class Exact;

    const Source& recording_;
    std::unique_ptr<Exact> exact_;
    compare::Options options_;
    std::unique_ptr<compare::StandardScore> score_;
};

}  // namespace npuscope::diagnose
