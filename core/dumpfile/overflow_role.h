// How an op stands to overflow: whether it began there or came in with the op's inputs.
#pragma once

#include <cstdint>
#include <string_view>

namespace npuscope::dumpfile {

enum class OverflowRole : uint8_t { kNone, kIntroduced, kReceived };
/// "", "introduced", "received"
[[nodiscard]] std::string_view name_of(OverflowRole role);

/// What is known of one op's run.
struct OverflowSigns {
    bool raised = false;            ///< the op's own float status says overflow
    bool damaged_inputs = false;    ///< an input brings the damage of an earlier overflow
    bool raised_on_golden = false;  ///< the op raises on the golden's inputs too
};

/// The one rule of every report: an op is to blame for the overflow that it raised on undamaged
/// inputs, or raises on the golden's inputs as well. Threads: pure function.
[[nodiscard]] OverflowRole overflow_role(const OverflowSigns& signs);

}  // namespace npuscope::dumpfile
