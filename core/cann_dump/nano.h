// The short dump format of small chips: tag, length, value.
//
//   u64 length of the head | head: u32 magic, u32 version, two TLVs (tag 4 inputs, tag 5 outputs) |
//   payloads of the inputs and outputs
//
// Source: msaccucmp's reader of nano dumps.
#pragma once

#include <cstddef>
#include <span>

#include "core/cann_dump/dump_file.h"

namespace npuscope::cann_dump {

inline constexpr uint32_t kNanoMagic = 0x5a5a5a5a;

/// `head` without its length. Data types are turned into those of a standard dump, -1 where there
/// is none. Positions are not set. Errors: Error(kFormat).
[[nodiscard]] DumpFile parse_nano_head(std::span<const std::byte> head);

}  // namespace npuscope::cann_dump
