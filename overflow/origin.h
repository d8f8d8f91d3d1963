// Where the damage in an op's inputs came from, and what that makes of the op: one judgement for a
// watched run and for a scanned dump. Included by overflow/*.cpp only.
#pragma once

#include <string>

#include "overflow/record.h"

namespace npuscope::overflow {

/// What lies on the way to a tensor, from least to most telling.
enum class Taint : uint8_t {
    kNone,
    kForeign,   ///< inf or nan that no overflow explains
    kOverflow,  ///< an op that overflowed
};

/// The input that says most about where an op's damage came from.
struct Damage {
    Evidence evidence = Evidence::kNone;
    Taint taint = Taint::kNone;
    std::string via{};     ///< the input
    std::string from{};    ///< path of the op that made it; "" when no op did
    std::string origin{};  ///< path of the op where the damage began; "" when no op did

    [[nodiscard]] bool any() const { return evidence != Evidence::kNone; }
};

/// Keeps the one that says more: an overflow on the way before any other, then the evidence.
[[nodiscard]] bool says_more(const Damage& one, const Damage& other);

/// What is known of an op beside its damage.
struct OpState {
    bool has_status = true;    ///< else its values speak
    bool overflowed = false;   ///< by its status
    bool inputs_known = true;  ///< they were seen, or recorded
};
[[nodiscard]] OverflowKind kind_of(const OpState& op, const Damage& damage);

/// Fills via, evidence, from and origin.
void take(const Damage& damage, OverflowRecord& record);

}  // namespace npuscope::overflow
