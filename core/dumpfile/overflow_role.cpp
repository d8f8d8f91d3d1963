#include "core/dumpfile/overflow_role.h"

namespace npuscope::dumpfile {

std::string_view name_of(OverflowRole role) {
    switch (role) {
        case OverflowRole::kIntroduced:
            return "introduced";
        case OverflowRole::kReceived:
            return "received";
        case OverflowRole::kNone:
            break;
    }
    return "";
}

OverflowRole overflow_role(const OverflowSigns& signs) {
    if (signs.raised && (!signs.damaged_inputs || signs.raised_on_golden))
        return OverflowRole::kIntroduced;
    return signs.damaged_inputs ? OverflowRole::kReceived : OverflowRole::kNone;
}

}  // namespace npuscope::dumpfile
