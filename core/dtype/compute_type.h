// The precision that an op computed in, which may be less than its tensors' dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace npuscope {

/// Decides an op's tolerance, and is kept in the dump. kNone: not told.
enum class ComputeType : uint8_t { kNone, kFloat64, kFloat32, kHFloat32, kFloat16, kBFloat16 };
[[nodiscard]] std::string_view name_of(ComputeType type);  ///< "float16", "hf32", …; "" for kNone
[[nodiscard]] std::optional<ComputeType> compute_type_from_name(std::string_view name);

}  // namespace npuscope
