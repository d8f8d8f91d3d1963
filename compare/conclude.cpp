#include <algorithm>

#include "compare/agreement.h"
#include "compare/compare.h"
#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

/// Findings by severity, then a pass, then what is neither.
int weight(Verdict verdict, bool allow_golden_at_fault) {
    constexpr int kFindings = 100;
    constexpr int kPassed = 50;
    if (is_finding(verdict, allow_golden_at_fault)) return kFindings + static_cast<int>(verdict);
    return verdict == Verdict::kPass ? kPassed : static_cast<int>(verdict);
}

/// The first tensor of the largest weight decides.
Judgement worst(const std::vector<TensorResult>& tensors,
                dumpfile::Direction direction,
                bool allow_golden_at_fault) {
    const auto weight_of = [&](const TensorResult& tensor) {
        return weight(tensor.judgement.verdict, allow_golden_at_fault);
    };
    const TensorResult* deciding = nullptr;
    for (const TensorResult& tensor : tensors) {
        if (tensor.direction != direction) continue;
        if (deciding == nullptr || weight_of(tensor) > weight_of(*deciding)) deciding = &tensor;
    }
    if (deciding == nullptr) return {};
    Judgement judgement = deciding->judgement;
    // An array that is an op of its own is not named twice.
    if (deciding->argument != deciding->target)
        judgement.rule = deciding->argument + ": " + judgement.rule;
    return judgement;
}

bool has_direction(const OpResult& op, dumpfile::Direction direction) {
    return std::any_of(op.tensors.begin(), op.tensors.end(), [&](const TensorResult& tensor) {
        return tensor.direction == direction;
    });
}

bool is_missing(const TensorResult& tensor) {
    return tensor.judgement.verdict == Verdict::kMissingTarget ||
           tensor.judgement.verdict == Verdict::kMissingGolden;
}

/// A sum or product of two operands, whose shapes fit only the other way round, with results that
/// agree.
void forgive_order(OpResult& op) {
    if (!op.id.op.starts_with("add") && !op.id.op.starts_with("mul")) return;
    std::vector<TensorResult*> operands;
    for (TensorResult& tensor : op.tensors)
        if (tensor.direction == dumpfile::Direction::kInput) operands.push_back(&tensor);
    const bool swapped =
        operands.size() == 2 && std::ranges::all_of(operands, [](const auto* each) {
            return each->judgement.verdict == Verdict::kIncomparable;
        });
    if (!swapped) return;
    for (TensorResult* operand : operands)
        operand->judgement = {Verdict::kUndefined,
                              "the operands stand the other way round; results agree"};
}

/// What one side gives as a tensor of one element and the other as a number proves nothing where
/// the results agree.
void forgive_forms(OpResult& op) {
    if (!has_direction(op, dumpfile::Direction::kOutput) || !results_agree(op)) return;
    for (TensorResult& tensor : op.tensors)
        if (is_missing(tensor) && numel_of(tensor.shape) == 1)
            tensor.judgement = {Verdict::kUndefined,
                                "one number that one side alone has as a tensor; results agree"};
    forgive_order(op);
}

/// Ops in place on a list give out nothing, so that recorders have no results of them; what one
/// tensor's op on the other side has more proves nothing.
void forgive_lists(OpResult& op) {
    const auto is_of_list = [](const std::string& path) {
        return path.find("_foreach_") != std::string::npos;
    };
    const auto has_result = [](const TensorResult& tensor) {
        return tensor.direction == dumpfile::Direction::kOutput && !is_missing(tensor);
    };
    if (is_of_list(op.target) == is_of_list(op.golden) ||
        std::ranges::any_of(op.tensors, has_result))
        return;
    for (TensorResult& tensor : op.tensors)
        if (is_missing(tensor) &&
            (tensor.direction == dumpfile::Direction::kOutput || numel_of(tensor.shape) == 1))
            tensor.judgement = {
                Verdict::kUndefined,
                "one side works in place on a list, of which no result was recorded"};
}

}  // namespace

void conclude(OpResult& op, bool allow_golden_at_fault) {
    if (op.in_span) {
        const bool judged = has_direction(op, dumpfile::Direction::kOutput);
        op.judgement =
            judged
                ? worst(op.tensors, dumpfile::Direction::kOutput, allow_golden_at_fault)
                : Judgement{Verdict::kUndefined, "part of a span, which is compared at its ends"};
        return;
    }
    if (!op.is_pair()) {
        op.judgement =
            op.golden.empty()
                ? Judgement{Verdict::kMissingGolden,
                            op.unmatched.empty() ? "only the target has this op"
                                                 : "ran on its own data: " + op.unmatched}
                : Judgement{Verdict::kMissingTarget, "only the golden side has this op"};
        return;
    }
    forgive_forms(op);
    forgive_lists(op);
    op.inputs = worst(op.tensors, dumpfile::Direction::kInput, allow_golden_at_fault);
    if (has_direction(op, dumpfile::Direction::kOutput)) {
        op.judgement = worst(op.tensors, dumpfile::Direction::kOutput, allow_golden_at_fault);
    } else if (has_direction(op, dumpfile::Direction::kInput)) {
        op.judgement = op.inputs;
    } else {
        op.judgement = {Verdict::kUndefined, "no tensors recorded"};
    }
}

double relative_error(const TensorResult& tensor) {
    return Evidence{tensor.sums, tensor.judgement.bound}.relative_error();
}

std::optional<double> worst_ratio(const OpResult& op) {
    std::optional<double> worst;
    for (const TensorResult& tensor : op.tensors)
        if (tensor.split && tensor.split->target)
            worst = std::max(worst.value_or(0), tensor.split->target->ratio);
    return worst;
}

bool is_floating(const TensorResult& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return dtype && is_float(*dtype);
}

std::optional<double> worst_error(const OpResult& op,
                                  dumpfile::Direction direction,
                                  bool floats_alone) {
    std::optional<double> worst;
    for (const TensorResult& tensor : op.tensors) {
        if (tensor.direction != direction || (floats_alone && !is_floating(tensor))) continue;
        if (tensor.sums.numel > 0)
            worst = std::max(worst.value_or(0), relative_error(tensor));
        else if (tensor.by_statistics)
            worst = std::max(worst.value_or(0), tensor.deviation);
    }
    return worst;
}

}  // namespace npuscope::compare
