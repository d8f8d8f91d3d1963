// The findings of a comparison as a person reads them: the first culprit as a block, the others a
// line each.
#pragma once

#include <string>

#include "compare/report/report.h"

namespace npuscope::compare {

/// What is at fault first: why, what it was held to, its worst elements, the next command. "" where
/// nothing is.
[[nodiscard]] std::string first_culprit_text(const Result& result, const ReportOptions& options);

/// The other findings; without `options.all_ops` no more than twenty with the first. "" without
/// any.
[[nodiscard]] std::string other_findings_text(const Result& result, const ReportOptions& options);

}  // namespace npuscope::compare
