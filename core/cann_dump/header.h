// The DumpData message at the head of a dump, to and from bytes.
// Source: dump_data.proto (proto3, package toolkit.dumpdata) of the CANN runtime.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/cann_dump/dump_file.h"

namespace npuscope::cann_dump {

/// Tensors, buffers or attributes in one dump, and dims of one tensor: more is damage.
inline constexpr size_t kMostEntries = 1 << 16;
inline constexpr size_t kMostDims = 64;

/// Fields that are not known are skipped. Positions are not set. Errors: Error(kFormat).
[[nodiscard]] DumpFile parse_header(std::span<const std::byte> message);

/// Sizes are those of `bytes`.
[[nodiscard]] std::string format_header(const DumpFile& dump);

}  // namespace npuscope::cann_dump
