// What `npuscope recompute` says of one recorded run.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "diagnose/recompute/recompute.h"

namespace npuscope::cli {

/// Ops.
struct RecomputeCounts {
    int64_t passed = 0;
    int64_t failed = 0;
    int64_t skipped = 0;

    [[nodiscard]] bool nothing_computed() const { return passed + failed == 0; }
};

[[nodiscard]] RecomputeCounts counts_of(const diagnose::RecomputeReport& report);
/// The first that fails; nullptr where none does.
[[nodiscard]] const diagnose::RecomputedOp* first_failure(const diagnose::RecomputeReport& report);
/// `result` is the report with what counts. `verbose`: the ops that pass, too.
[[nodiscard]] std::string recompute_text(const diagnose::RecomputeReport& report,
                                         const compare::Result& result,
                                         const Device& device,
                                         bool verbose);
[[nodiscard]] nlohmann::json recompute_json(const diagnose::RecomputeReport& report,
                                            const compare::Result& result,
                                            const Device& device);

}  // namespace npuscope::cli
