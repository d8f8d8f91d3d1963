// Where an entry of a zip archive stands that is stored as it is. Included by core/npz/*.cpp only.
// Source: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16 and 4.5.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace npuscope::npz {

/// The bytes of the entry `name` of the archive `file`; nothing where it is packed, is not there,
/// or the archive is not as expected. Never outside `file`.
[[nodiscard]] std::optional<std::span<const std::byte>> stored_entry(
    std::span<const std::byte> file, std::string_view name);

}  // namespace npuscope::npz
