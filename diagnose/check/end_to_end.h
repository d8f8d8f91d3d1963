// What two runs of a model give out in the end, when one of them is known by its dump only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare/compare.h"
#include "core/event/observer.h"
#include "core/npz/npy.h"
#include "diagnose/run/expectation.h"

namespace npuscope::diagnose {

/// Watches a run: which recorded result a tensor is, or is a rearrangement of. Threads: the
/// executor's.
class ResultPlaces final : public Observer {
  public:
    void op_end(const OpEnd& op) override;
    /// "/addmm/17/output/result"; "" when no recorded op computed it.
    [[nodiscard]] std::string place_of(const Tensor& tensor) const;

  private:
    std::map<uint64_t, std::string> places_;  ///< by storage_id()
};

/// Each output of the run, by what `comparison` (of the run's dump with the golden's) measured of
/// the result that it is. `places` are (name of the output, place_of() it).
[[nodiscard]] std::vector<OutputDifference> outputs_by_dump(
    const std::vector<std::pair<std::string, std::string>>& places,
    const compare::Result& comparison);

}  // namespace npuscope::diagnose
