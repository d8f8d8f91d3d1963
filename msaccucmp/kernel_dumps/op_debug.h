// What the chip wrote when an op overflowed: the payload of Opdebug.Node_OpDebug dumps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "msaccucmp/base/log.h"

namespace npuscope::msaccucmp {

/// One unit that can overflow, with the numbers that it left.
struct OpDebugUnit {
    std::string name;  ///< "AIC", "AI Core", "DHA Atomic Add" ...
    uint64_t task_id = 0;
    uint64_t stream_id = 0;
    uint64_t context_id = 0;
    uint64_t thread_id = 0;
    bool has_context = false;
    bool has_thread = false;
    /// What the reference tool prints: a number, or "[1, 2, 3, 4]".
    std::string status;
    bool is_overflow = false;  ///< the status is not 0
};

struct OpDebug {
    bool is_new = false;  ///< begins with the magic number
    std::vector<OpDebugUnit> units;
    std::string json;  ///< as the reference tool writes it
};

/// Errors: CommandError(kInvalidOverflowType) an unknown unit, (kInvalidDumpData) too few bytes.
/// Source: "overflow operator data" of CANN's manual; the structures of the reference tool.
[[nodiscard]] OpDebug parse_op_debug(std::span<const std::byte> payload, Log& log);

[[nodiscard]] bool is_op_debug_name(std::string_view file_name);

}  // namespace npuscope::msaccucmp
