// JSON of what is said beside the verdicts (docs/verdicts.md): a named standard's words, and what
// does not count.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "compare/compare.h"

namespace npuscope::compare {

/// Of a tensor or an op.
[[nodiscard]] nlohmann::ordered_json standard_json(const StandardVerdict& verdict);
/// Of the whole; the result has the ops that it names.
[[nodiscard]] nlohmann::ordered_json summary_json(const StandardSummary& summary,
                                                  const Result& result);
[[nodiscard]] nlohmann::ordered_json gate_json(const Gate& gate);
/// All findings, as a Baseline reads them under "culprits".
[[nodiscard]] nlohmann::ordered_json findings_json(const Result& result);

}  // namespace npuscope::compare
