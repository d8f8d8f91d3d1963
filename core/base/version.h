// The version of npuscope and of the dump format that it writes.
#pragma once

namespace npuscope {

inline constexpr const char* kVersion = "0.1.0";

/// Major version of the dump format (docs/dump_format.md); a reader refuses a newer one.
inline constexpr int kDumpFormatMajor = 1;
inline constexpr int kDumpFormatMinor = 0;

}  // namespace npuscope
