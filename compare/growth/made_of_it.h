// Whether what a program makes of a result agrees with the golden's again.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "compare/dataflow/ways_on.h"
#include "compare/growth/measured_runs.h"
#include "compare/growth/side_distances.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Ways through a program that are short: another form of the same steps ends after a few. Borrows
/// all but the runs' places.
class MadeOfIt {
  public:
    MadeOfIt(const Plan& plan, const SideDistances& target) : plan_(plan), target_(target) {}

    /// To be called once, before anything is asked.
    void take(const std::vector<MeasuredRun>& runs);
    /// Whether all that the target makes of the result is, a few ops on, no farther off than
    /// `limit` of the norm. Nothing agrees where nobody takes it in, or where it is not compared.
    [[nodiscard]] bool agrees(const MeasuredRun& run, double limit) const;
    /// Whether anything is, whatever else is made of it.
    [[nodiscard]] bool agrees_somewhere(const MeasuredRun& run, double limit) const;

  private:
    [[nodiscard]] Way way_through(const SourceOp* op, double limit) const;

    const Plan& plan_;
    const SideDistances& target_;
    std::unordered_multimap<const SourceOp*, double> results_{};  ///< of the norm, by target's op
};

}  // namespace npuscope::compare
