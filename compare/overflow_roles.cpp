#include "compare/overflow_roles.h"

#include <algorithm>

namespace npuscope::compare {

namespace {

using dumpfile::OverflowRole;

bool differs(Verdict verdict) {
    return verdict == Verdict::kFail || verdict == Verdict::kInherited ||
           verdict == Verdict::kOutOfRange;
}

/// The first input that is not the golden's; nullptr where all are, or none is recorded.
const TensorResult* differing_input(const OpResult& op) {
    const auto found =
        std::find_if(op.tensors.begin(), op.tensors.end(), [](const TensorResult& tensor) {
            return tensor.direction == dumpfile::Direction::kInput &&
                   differs(tensor.judgement.verdict);
        });
    return found == op.tensors.end() ? nullptr : &*found;
}

}  // namespace

void mark_overflow(std::vector<OpResult>& ops) {
    const OpResult* earlier = nullptr;  // the last op to blame
    for (OpResult& op : ops) {
        if (!op.overflowed) continue;
        const TensorResult* input = differing_input(op);
        op.overflow =
            dumpfile::overflow_role({.raised = true,
                                     .damaged_inputs = earlier != nullptr && input != nullptr,
                                     .raised_on_golden = input == nullptr});
        op.overflow_note = "the target's float status says overflow, the golden's does not; ";
        if (op.overflow == OverflowRole::kReceived) {
            op.overflow_note += "its input '" + input->argument + "' differs, and " +
                                earlier->target + " before it overflowed";
            continue;
        }
        op.overflow_note +=
            input == nullptr ? "no recorded input of it differs" : "no op before it overflowed";
        earlier = &op;
    }
}

}  // namespace npuscope::compare
