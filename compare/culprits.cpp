#include "compare/culprits.h"

#include <algorithm>
#include <array>

#include "compare/compare.h"

namespace npuscope::compare {

namespace {

/// The tensor whose judgement the op has.
const TensorResult* worst_output(const OpResult& op) {
    for (const TensorResult& tensor : op.tensors)
        if (tensor.direction == dumpfile::Direction::kOutput &&
            tensor.judgement.verdict == op.judgement.verdict)
            return &tensor;
    return nullptr;
}

CulpritKind kind_of(const OpResult& op) {
    if (op.target.empty() || op.golden.empty()) return CulpritKind::kProgram;
    if (op.judgement.verdict == Verdict::kGoldenAtFault) return CulpritKind::kGolden;
    const TensorResult* tensor = worst_output(op);
    const bool by_arguments = tensor != nullptr && tensor->split && tensor->split->target &&
                              tensor->split->target->ratio <= 1 &&
                              tensor->split->by_golden_arguments.value_or(0) > 1;
    return by_arguments ? CulpritKind::kArgument : CulpritKind::kOp;
}

}  // namespace

std::string_view name_of(CulpritKind kind) {
    constexpr std::array<std::string_view, 5> kNames = {
        "op", "argument", "tensor", "program", "golden"};
    return kNames[static_cast<size_t>(kind)];
}

void find_culprits(Result& result) {
    std::vector<Culprit> found = std::move(result.culprits);  // those of tensors
    for (size_t i = 0; i < result.ops.size(); ++i) {
        const OpResult& op = result.ops[i];
        if (op.overflow == dumpfile::OverflowRole::kIntroduced) {
            found.push_back({.kind = CulpritKind::kOp, .op = i, .why = op.overflow_note});
        } else if (is_finding(op.judgement.verdict)) {
            found.push_back({.kind = kind_of(op), .op = i, .why = op.judgement.rule});
        }
    }
    // What was given to an op comes before what the op did.
    std::ranges::stable_sort(found, {}, [](const Culprit& culprit) {
        return std::pair(culprit.op, culprit.kind == CulpritKind::kTensor ? 0 : 1);
    });
    result.culprits = std::move(found);
}

}  // namespace npuscope::compare
