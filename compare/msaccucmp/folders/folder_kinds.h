// Which kinds of dump folders can be compared, and with which rule files.
#pragma once

#include "compare/msaccucmp/folders/dump_folder.h"
#include "compare/msaccucmp/options.h"

namespace npuscope::compare::msaccucmp {

/// Errors: CommandError(kInvalidParameter) a rule file too many or too few, (kInvalidDumpType) the
/// two kinds cannot be compared.
void check_kinds(const DumpFolder& my, const DumpFolder& golden, const CompareOptions& options);

}  // namespace npuscope::compare::msaccucmp
