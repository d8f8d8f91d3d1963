#include "compare/origins/first_change.h"

#include <algorithm>
#include <unordered_set>

#include "compare/dataflow/input_roles.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Devices that add up in another order seldom get the same sums: of so many results never all.
constexpr int64_t kRepeatedBefore = 8;
/// Or so many of all, and at least a few.
constexpr double kRepeatedShare = 0.9;
constexpr int64_t kRepeatedAtLeast = 4;
/// Sums of fewer elements may be equal by chance.
constexpr int64_t kElements = 16;

struct Place {
    size_t pair = 0;
    size_t tensor = 0;
};

/// Results that an op made anew: its inputs have other statistics.
std::unordered_set<std::string_view> made_anew(const Side& side) {
    std::unordered_set<std::string_view> paths;
    paths.reserve(side.flow.tensors.size());
    for (size_t op = 0; op + 1 < side.flow.first.size(); ++op) {
        const auto tensors = side.flow.of_op(op);
        for (const TracedTensor& result : tensors) {
            if (result.direction != Direction::kOutput || !result.print) continue;
            const bool passed_on = std::ranges::any_of(tensors, [&](const TracedTensor& other) {
                return other.direction == Direction::kInput && other.print == result.print;
            });
            if (!passed_on) paths.insert(result.path);
        }
    }
    return paths;
}

/// Statistics of 16 bits are rounded to 16 bits as well, and equal by chance.
bool is_computed(const TensorResult& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return tensor.by_statistics && tensor.direction == Direction::kOutput && dtype &&
           is_float(*dtype) && size_of(*dtype) > 2 && numel_of(tensor.shape) >= kElements &&
           tensor.scale != 0;
}

/// What was compared, up to the first change and on the whole.
struct Repetition {
    std::optional<Place> first;
    bool follows = false;  ///< from what is told otherwise
    int64_t before = 0;
    int64_t repeated = 0;
    int64_t all = 0;

    /// The runs have the same arithmetic, and something differs.
    [[nodiscard]] bool tells() const {
        const bool most =
            repeated >= kRepeatedAtLeast &&
            static_cast<double>(repeated) >= kRepeatedShare * static_cast<double>(all);
        return first && !follows && (before >= kRepeatedBefore || most);
    }
};

/// `is_evidence` of the tensors for which is_computed() holds.
template <class IsEvidence>
Repetition repetition_of(const Result& result, IsEvidence&& is_evidence) {
    Repetition found;
    for (size_t pair = 0; pair < result.ops.size(); ++pair) {
        const OpResult& op = result.ops[pair];
        const bool told = op.target.empty() || op.golden.empty() || !op.arguments.empty();
        found.follows = found.follows || (told && !found.first);
        for (size_t i = 0; i < op.tensors.size(); ++i) {
            const TensorResult& tensor = op.tensors[i];
            if (!tensor.change.empty() && !found.first) found.first = {pair, i};
            if (!is_computed(tensor) || !is_evidence(tensor)) continue;
            ++found.all;
            found.repeated += tensor.change.empty() ? 1 : 0;
            found.before += found.first ? 0 : 1;
        }
    }
    return found;
}

}  // namespace

bool may_have_first_change(const Result& result) {
    const Repetition found = repetition_of(result, [](const TensorResult&) { return true; });
    // Fewer count in the end: their share may be larger.
    return found.first && !found.follows &&
           std::max(found.before, found.repeated) >= kRepeatedAtLeast;
}

void accuse_first_change(const PairedFlows& flows, Result& result) {
    if (!may_have_first_change(result)) return;
    const std::unordered_set<std::string_view> anew = made_anew(flows.target());
    const Repetition found = repetition_of(
        result, [&](const TensorResult& tensor) { return anew.contains(tensor.target); });
    if (!found.tells()) return;
    const Place first = *found.first;
    OpResult& op = result.ops[first.pair];
    TensorResult& tensor = op.tensors[first.tensor];
    const std::string why =
        tensor.change + "; all that was recorded before is the golden's to the bit";
    if (tensor.direction == Direction::kOutput) {
        if (!is_finding(tensor.judgement.verdict)) tensor.judgement.rule = why;
        tensor.judgement.verdict = std::max(tensor.judgement.verdict, Verdict::kFail);
        conclude(op, result.allow_golden_at_fault);
        return;
    }
    const bool told = std::ranges::any_of(result.culprits, [&](const Culprit& culprit) {
        return culprit.op == first.pair && culprit.tensor == tensor.target;
    });
    if (told) return;
    result.culprits.push_back({.kind = CulpritKind::kTensor,
                               .op = first.pair,
                               .tensor = tensor.target,
                               .why = noun_of_input(op.id.op, tensor.argument) + " `" +
                                      tensor.argument + "` of " + op.target +
                                      flows.place_of(first.pair) + " is not the golden's: " + why});
}

}  // namespace npuscope::compare
