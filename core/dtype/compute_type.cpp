#include "core/dtype/compute_type.h"

#include <array>

namespace npuscope {

namespace {
constexpr std::array<std::string_view, 6> kComputeTypeNames = {
    "", "float64", "float32", "hf32", "float16", "bfloat16"};
}

std::string_view name_of(ComputeType type) {
    return kComputeTypeNames[static_cast<size_t>(type)];
}

std::optional<ComputeType> compute_type_from_name(std::string_view name) {
    for (size_t i = 1; i < kComputeTypeNames.size(); ++i)
        if (kComputeTypeNames[i] == name) return static_cast<ComputeType>(i);
    return std::nullopt;
}

}  // namespace npuscope
