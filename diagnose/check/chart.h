// The chart of report.html: each op's introduced error over its tolerance.
#pragma once

#include <string>

#include "diagnose/check/check_report.h"

namespace npuscope::diagnose {

/// One bar an op, on a logarithmic scale from 1e-6 to 1e2 whose limit is 1; what lies beyond an end
/// is drawn there. An op that overflowed has a mark above its bar, whose height is its error as for
/// any other op.
[[nodiscard]] std::string chart(const CheckReport& report);

}  // namespace npuscope::diagnose
