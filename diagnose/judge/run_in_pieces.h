// A large run of an op, piece by piece: what is computed of a piece stays in the caches, and takes
// no more memory than the piece.
#pragma once

#include <cstdint>
#include <optional>

#include "diagnose/judge/op_run.h"
#include "diagnose/judge/part_of_run.h"

namespace npuscope::diagnose {

class RunInPieces {
  public:
    /// Of a run that is not widened. Empty where it is too small for several pieces, or its rows
    /// depend on each other.
    [[nodiscard]] static std::optional<RunInPieces> of(OpRun run);
    /// The other side's run in the same pieces; empty where its op or shapes are others.
    [[nodiscard]] std::optional<RunInPieces> like(OpRun other) const;

    [[nodiscard]] int64_t count() const { return (rows_ + rows_of_piece_ - 1) / rows_of_piece_; }
    /// With its arguments in float64. `index` below count().
    [[nodiscard]] OpRun piece(int64_t index) const;
    /// As require_intact() of the run.
    void require_intact() const { diagnose::require_intact(run_); }

  private:
    RunInPieces(OpRun run, Cut cut, int64_t rows_of_piece);

    OpRun run_;
    Cut cut_;
    int64_t rows_;
    int64_t rows_of_piece_;
    NamedValues uncut_;  ///< in float64: what every piece is given whole
};

}  // namespace npuscope::diagnose
