// Why an op differs, as far as its kernels, status and golden inputs tell.
#pragma once

#include "core/dumpfile/reader.h"
#include "diagnose/check/check_report.h"

namespace npuscope::diagnose {

/// `op` is a finding of a chip's run; the values of its golden inputs are read from `golden`.
/// Confidence is 1 where the arithmetic proves the cause (a status bit and a value that exceeds a
/// limit), lower where the error only fits the precision.
[[nodiscard]] Explanation explain(const OpFinding& op, const dumpfile::Reader& golden);

}  // namespace npuscope::diagnose
