#include "npu_backend/chip.h"

#include <array>
#include <string>

#include "core/base/error.h"

namespace npuscope {

namespace {

constexpr auto kChips = std::to_array<Chip>({
#define CHIP(identifier,       \
             name,             \
             mode,             \
             switchable,       \
             types,            \
             c0_half,          \
             c0_int8,          \
             c0_int4,          \
             c0_float32,       \
             half_accumulator, \
             conv_hf32,        \
             matmul_hf32,      \
             dropped,          \
             max_f32,          \
             scope,            \
             text)             \
    {name,                     \
     OverflowMode::mode,       \
     switchable,               \
     types,                    \
     c0_half,                  \
     c0_int8,                  \
     c0_int4,                  \
     c0_float32,               \
     half_accumulator,         \
     conv_hf32,                \
     matmul_hf32,              \
     dropped,                  \
     max_f32,                  \
     ChipStatusScope::scope,   \
     text},
#include "npu_backend/chips.def"
#undef CHIP
});

constexpr auto kRules = std::to_array<ChipRule>({
#define RULE(chips, rule, grade, source) {chips, rule, grade, source},
#include "npu_backend/chip_rules.def"
#undef RULE
});

}  // namespace

std::span<const Chip> all_chips() {
    return kChips;
}

std::span<const ChipRule> all_chip_rules() {
    return kRules;
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

}  // namespace npuscope
