#include "overflow/origin.h"

namespace npuscope::overflow {

bool says_more(const Damage& one, const Damage& other) {
    const bool overflow = one.taint == Taint::kOverflow;
    if (overflow != (other.taint == Taint::kOverflow)) return overflow;
    return one.evidence > other.evidence;
}

OverflowKind kind_of(const OpState& op, const Damage& damage) {
    if (damage.any())
        return damage.taint == Taint::kForeign && !op.overflowed ? OverflowKind::kInheritedFromInput
                                                                 : OverflowKind::kReceived;
    if (!op.inputs_known) return OverflowKind::kUndetermined;
    return op.has_status && !op.overflowed ? OverflowKind::kNonFiniteWithoutOverflow
                                           : OverflowKind::kIntroduced;
}

void take(const Damage& damage, OverflowRecord& record) {
    if (!damage.any()) return;
    record.via = damage.via;
    record.evidence = damage.evidence;
    record.from = damage.from;
    record.origin = damage.origin;
}

}  // namespace npuscope::overflow
