// A table of ops: what each was compared with, and what decided its verdict.
#pragma once

#include <string>

#include "compare/report/report.h"

namespace npuscope::compare {

/// All ops with `options.all_ops`, else those that are worth a line; custom algorithms' columns
/// come last. "" without any op.
[[nodiscard]] std::string ops_table(const Result& result, const ReportOptions& options);

}  // namespace npuscope::compare
