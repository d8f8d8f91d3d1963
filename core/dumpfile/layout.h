// Names and codes of a dump: /<IR name>/<seqid>/{input,output}/<argument>[/<argument>_<i>].
// Source: docs/dump_format.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/value.h"

namespace npuscope::dumpfile {

enum class Direction : uint8_t { kInput, kOutput };
[[nodiscard]] inline std::string_view name_of(Direction direction) {
    return direction == Direction::kInput ? "input" : "output";
}

inline constexpr int kDeviceCpu = 0;
inline constexpr int kDeviceCuda = 1;
inline constexpr int kDeviceNpu = 10;

/// "/addmm/12"
[[nodiscard]] inline std::string op_path(std::string_view op, int64_t seqid) {
    return "/" + std::string(op) + "/" + std::to_string(seqid);
}

/// A group name is one path component: "/" in an IR name would split it, so it becomes "_".
[[nodiscard]] std::string safe_component(std::string_view name);

/// The number of a seqid group's name; empty unless it is decimal digits that fit 63 bits.
[[nodiscard]] std::optional<int64_t> parse_seqid(std::string_view text);

/// Splits "/addmm/12/…" into op and seqid; empty unless the path names an op's run.
struct OpId {
    std::string op;
    int64_t seqid = 0;
    friend bool operator==(const OpId&, const OpId&) = default;
};
[[nodiscard]] std::optional<OpId> parse_op_path(std::string_view path);

}  // namespace npuscope::dumpfile
