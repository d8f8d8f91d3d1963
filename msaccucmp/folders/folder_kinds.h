// Which kinds of dump folders can be compared, and with which rule files.
#pragma once

#include "msaccucmp/columns/options.h"
#include "msaccucmp/kernel_dumps/reading.h"

namespace npuscope::msaccucmp {

/// Errors: CommandError(kInvalidParameter) a rule file too many or too few, (kInvalidDumpType) the
/// two kinds cannot be compared.
void check_kinds(const DumpFolder& my, const DumpFolder& golden, const CompareOptions& options);

}  // namespace npuscope::msaccucmp
