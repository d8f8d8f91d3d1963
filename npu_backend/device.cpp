#include "npu_backend/device.h"

#include <array>

#include "core/base/error.h"

namespace npuscope {

namespace {

constexpr auto kChips = std::to_array<Chip>({
#define CHIP(identifier, name, mode, cube_f32, cube_bf16, conv_hf32, matmul_hf32, max_f32, text) \
    {name, OverflowMode::mode, cube_f32, cube_bf16, conv_hf32, matmul_hf32, text, max_f32},
#include "npu_backend/chips.def"
#undef CHIP
});

}  // namespace

std::span<const Chip> all_chips() {
    return kChips;
}

const Chip& chip(std::string_view name) {
    std::string known;
    for (const Chip& row : kChips) {
        if (row.name == name) return row;
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    throw Error(ErrorKind::kUsage,
                "there is no chip '" + std::string(name) + "'; the chips are " + known);
}

std::string Device::description() const {
    switch (policy) {
        case Policy::kChip:
            return "npu " + std::string(chip->name);
        case Policy::kReference64:
            return "cpu fp64";
        case Policy::kReference32:
            return "cpu fp32";
    }
    __builtin_unreachable();
}

}  // namespace npuscope
