// One op's overflow in a watched run or a scanned dump, and the report of a watched run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/event/observer.h"
#include "core/ir/op_id.h"

namespace npuscope::overflow {

enum class OverflowKind : uint8_t {
    kIntroduced,          ///< the op's status says overflow, and none of its inputs was damaged
    kReceived,            ///< an input carried the damage of an earlier overflow, or inf or nan
    kInheritedFromInput,  ///< inf or nan in a tensor that no op made: no overflow
    kNonFiniteWithoutOverflow,  ///< inf or nan made by an op whose status is clean (1/0, 0*inf)
    kUndetermined,  ///< a scanned dump shows damage, but not the inputs that would tell its origin
};
/// "introduced", "received", "inherited_from_input", "non_finite_without_overflow", "undetermined"
[[nodiscard]] std::string_view name_of(OverflowKind kind);

/// What shows the damage in the input that a record names.
enum class Evidence : uint8_t {
    kNone,
    kDataFlow,   ///< its values are ordinary, but an op that overflowed lies on the way to it
    kSaturated,  ///< the largest finite value, and an op that overflowed lies on the way
    kNonFinite,  ///< inf or nan
};
[[nodiscard]] std::string_view name_of(Evidence evidence);

/// "/addmm/17", or "/addmm" with seqid 0.
[[nodiscard]] std::string path_of(const OpId& id);

/// One op. Paths are those of a dump: "/addmm/17"; "/addmm" for an op that has no number.
struct OverflowRecord {
    OpId id;
    OpSource source;
    OverflowKind kind = OverflowKind::kIntroduced;
    FloatStatus status;                ///< the op's own
    std::vector<std::string> kernels;  ///< types that raised overflow, in launch order, each once
    std::string via;                   ///< the damaged input; "" when introduced
    Evidence evidence = Evidence::kNone;
    std::string from;           ///< path of the op that made that input; "" when no op did
    std::string origin;         ///< path of the op where that damage began; "" when no op did
    std::string recorded_as{};  ///< what a recording calls the op; "" in a watched run

    [[nodiscard]] std::string path() const {
        return recorded_as.empty() ? path_of(id) : recorded_as;
    }
    /// Whether the op's own status says overflow.
    [[nodiscard]] bool raised() const { return status.overflow(); }
    /// Received, and overflowed itself.
    [[nodiscard]] bool also_raised() const { return kind == OverflowKind::kReceived && raised(); }
};

/// Lists are cut at the watcher's limits, counts are not.
struct OverflowReport {
    std::vector<OverflowRecord> records;  ///< ops whose status says overflow, in order
    int64_t records_count = 0;
    int64_t introduced_count = 0;
    std::vector<OverflowRecord> receivers;  ///< received damage, own status clean
    int64_t receivers_count = 0;
    /// Damaged values that no overflow explains, once for each tensor.
    std::vector<OverflowRecord> foreign;
    int64_t foreign_count = 0;
    int64_t ops_seen = 0;  ///< recorded ops

    [[nodiscard]] bool found() const { return records_count > 0; }
    /// The first op that introduced overflow; the first record when none did; nullptr without any.
    [[nodiscard]] const OverflowRecord* first() const;
};

/// The overflow bits in words: "Cube accumulator (bit 10)", joined by ", ".
[[nodiscard]] std::string describe(FloatStatus status);

}  // namespace npuscope::overflow
