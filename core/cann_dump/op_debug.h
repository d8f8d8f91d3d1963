// The record that a device writes about an overflow it saw: the payload of Opdebug.Node_OpDebug
// dumps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace npuscope::cann_dump {

/// One info block and the status that belongs to it.
struct OpDebugBlock {
    uint64_t model_id = 0, stream_id = 0, task_id = 0, task_type = 0, pc_start = 0, para_base = 0;
    uint64_t kernel_code = 0;  ///< AI Core only
    uint64_t block_idx = 0;    ///< AI Core only
    uint64_t status = 0;
};

/// The old layout: 2048 bytes of little-endian 64-bit words. Source: dump parser of msaccucmp.
struct OpDebugRecord {
    OpDebugBlock dha_atomic, l2_atomic, ai_core;

    [[nodiscard]] std::vector<std::byte> payload() const;
    /// Errors: Error(kFormat) unless there are 2048 bytes.
    [[nodiscard]] static OpDebugRecord parse(std::span<const std::byte> payload);
    /// As the reference parser writes it: {"DHA Atomic Add": …, "L2 Atomic Add": …, "AI Core": …}.
    [[nodiscard]] std::string json() const;
};

inline constexpr size_t kOpDebugBytes = 2048;

}  // namespace npuscope::cann_dump
