// Names and codes of a dump: /<IR name>/<seqid>/{input,output}/<argument>[/<argument>_<i>].
// Source: docs/dump_format.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/op_id.h"
#include "core/ir/value.h"

namespace npuscope::dumpfile {

enum class Direction : uint8_t { kInput, kOutput };
[[nodiscard]] inline std::string_view name_of(Direction direction) {
    return direction == Direction::kInput ? "input" : "output";
}

inline constexpr int kDeviceCpu = 0;
inline constexpr int kDeviceCuda = 1;
inline constexpr int kDeviceNpu = 10;

/// A group name is one path component: "/" in an IR name would split it, so it becomes "_".
[[nodiscard]] std::string safe_component(std::string_view name);

/// The number of a seqid group's name; empty unless it is decimal digits that fit 63 bits.
[[nodiscard]] std::optional<int64_t> parse_seqid(std::string_view text);

/// The op's run of "/addmm/12/…"; empty unless the path names one.
[[nodiscard]] std::optional<OpId> parse_op_path(std::string_view path);

}  // namespace npuscope::dumpfile
