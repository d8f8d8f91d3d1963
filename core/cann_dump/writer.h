// Writes CANN binary dumps that the original tools read.
#pragma once

#include <filesystem>

#include "core/cann_dump/dump_file.h"
#include "core/cann_dump/name.h"

namespace npuscope::cann_dump {

/// Writes `dump` (its entries' `bytes` are the payloads; `size` and `position` are not looked at)
/// under `path`, which appears only when it is complete. Errors: Error(kIo).
void write_dump(const std::filesystem::path& path, const DumpFile& dump);

/// Writes into `folder` under the name of `fields`; a name longer than 255 bytes is replaced by
/// digits, with a line "digits,name" in mapping.csv. Returns the path.
std::filesystem::path write_dump(const std::filesystem::path& folder,
                                 const FileNameFields& fields,
                                 const DumpFile& dump);

}  // namespace npuscope::cann_dump
