// Where ops are computed: an emulated chip with its options, or a reference, as one value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "npu_backend/chips/chip.h"
#include "npu_backend/chips/options.h"

namespace npuscope {

/// How each op is computed.
enum class Policy : uint8_t {
    kChip,         ///< the chip's kernels, formats' dtypes and rounding
    kReference64,  ///< each op in float64, outputs rounded once to their declared dtype
    kReference32,  ///< each op in float32, outputs rounded once to their declared dtype
};

struct Device {
    Policy policy = Policy::kReference64;
    const Chip* chip = nullptr;  ///< static row; with kChip only
    ChipOptions options = {};    ///< with kChip only

    [[nodiscard]] static Device npu(const Chip& chip) {
        return {Policy::kChip, &chip, default_options(chip)};
    }
    /// `settings`: "key=value", over the chip's defaults. Errors: as set_option.
    [[nodiscard]] static Device npu(const Chip& chip, std::span<const std::string> settings) {
        return {Policy::kChip, &chip, options_from(chip, settings)};
    }
    [[nodiscard]] static Device reference64() { return {Policy::kReference64, nullptr, {}}; }
    [[nodiscard]] static Device reference32() { return {Policy::kReference32, nullptr, {}}; }
    /// "npu 910A", "cpu fp64", "cpu fp32"
    [[nodiscard]] std::string description() const;
};

}  // namespace npuscope
