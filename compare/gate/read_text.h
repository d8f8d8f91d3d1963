// Text files that people keep beside a program: waivers, tolerances, an earlier result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace npuscope::compare {

/// Enough for what a person writes.
inline constexpr uint64_t kSmallText = uint64_t{16} << 20;
/// And for what this program printed of a large model.
inline constexpr uint64_t kLargeText = uint64_t{2} << 30;

/// All of it. Errors: Error(kIo) it is no regular file, cannot be read, or is larger than `most`.
[[nodiscard]] std::string small_text(const std::filesystem::path& path, uint64_t most = kSmallText);

}  // namespace npuscope::compare
