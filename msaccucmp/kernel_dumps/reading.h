// Dump folders and ops as core/cann_dump reads them, with the reference tool's exit codes.
#pragma once

#include "core/cann_dump/folder.h"
#include "core/cann_dump/op.h"
#include "msaccucmp/base/log.h"

namespace npuscope::msaccucmp {

using cann_dump::DumpedOp;
using cann_dump::DumpedTensor;
using cann_dump::DumpFolder;
using cann_dump::DumpKind;
using cann_dump::FolderEntry;

/// Errors: CommandError(kInvalidPath), (kDumpFileError) no dump file, or kinds mixed,
/// (kInvalidTaskType).
[[nodiscard]] DumpFolder open_folder(const std::string& path,
                                     const DumpFolder::Options& options,
                                     Log& log);

/// Errors: CompareFailure(kInvalidDumpData) the file is damaged, (kInvalidDataType) an element type
/// that cannot be read, (kNanoSizesDiffer) a nano dump of the wrong size.
[[nodiscard]] DumpedOp read_newest(const FolderEntry& entry);

/// Errors: those of read_newest; CompareFailure(kInvalidDumpData), (kDataShapeMismatch) when the
/// parts of an FFTS+ op do not fit.
[[nodiscard]] DumpedOp read_entry(const FolderEntry& entry, Log& log);

}  // namespace npuscope::msaccucmp
