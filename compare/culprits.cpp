#include "compare/culprits.h"

#include <algorithm>
#include <array>
#include <cmath>

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

/// Of a finding about an op that both sides have.
CulpritKind kind_of(const OpResult& op) {
    if (op.judgement.verdict == Verdict::kGoldenAtFault) return CulpritKind::kGolden;
    const TensorResult* tensor = worst_output(op);
    const bool by_arguments = tensor != nullptr && tensor->split && tensor->split->target &&
                              tensor->split->target->ratio <= 1 &&
                              tensor->split->by_golden_arguments.value_or(0) > 1;
    return by_arguments ? CulpritKind::kArgument : CulpritKind::kOp;
}

/// Of several ops of the target the one whose own arithmetic is at fault; "" where that is the
/// last.
std::string step_at_fault(const OpResult& op) {
    const TensorResult* tensor = worst_output(op);
    const bool is_split = tensor != nullptr && tensor->split && tensor->split->target;
    return is_split && tensor->split->target->ratio > 1 ? tensor->split->target->step
                                                        : std::string();
}

/// An input that only one of two programs gives to the op, its bias for example; "" without one.
std::string one_sided_input(const OpResult& op) {
    const bool spans = !op.also_target.empty() || !op.also_golden.empty();
    const bool renamed = op.match != "name" && op.match != "seqid";
    if (!op.is_pair() || spans || renamed) return {};
    for (const TensorResult& tensor : op.tensors) {
        if (tensor.direction != dumpfile::Direction::kInput) continue;
        if (tensor.judgement.verdict == Verdict::kMissingTarget)
            return "the programs part here: golden gives it `" + tensor.argument +
                   "`, target does not";
        if (tensor.judgement.verdict == Verdict::kMissingGolden)
            return "the programs part here: target gives it `" + tensor.argument +
                   "`, golden does not";
    }
    return {};
}

/// What only the golden has stands behind the op before it.
Culprit culprit_of(const PartingResult& parting, const Result& result) {
    Culprit culprit{.kind = CulpritKind::kProgram,
                    .op = static_cast<size_t>(std::max(parting.op, 0)),
                    .why = parting.text};
    if (!parting.only_target.empty() || parting.after.empty()) return culprit;
    const auto before = std::ranges::find_if(
        result.ops, [&](const OpResult& op) { return op.target == parting.after; });
    if (before == result.ops.end()) return culprit;
    culprit.op = static_cast<size_t>(before - result.ops.begin());
    culprit.behind = true;
    return culprit;
}

/// The program has an op that the golden has not, or calls it with another number.
Culprit unmatched_culprit(const OpResult& op, size_t place) {
    if (op.unmatched_argument.empty())
        return {.kind = CulpritKind::kProgram,
                .op = place,
                .why = "the programs part here: the golden has no run for it: " + op.unmatched};
    return {.kind = CulpritKind::kArgument,
            .op = place,
            .why = "called with another number than the golden's: " + op.unmatched,
            .argument = op.unmatched_argument};
}

/// An op that is beyond what is honest by less may be so by arithmetic that nobody knows of; no
/// such arithmetic is off by as much as this.
constexpr double kBarely = 3;
constexpr double kClearly = 30;

/// How many times beyond what is honest; infinity where no such limit decided.
double strength_of(const Culprit& culprit, const Result& result) {
    const OpResult& op = result.ops[culprit.op];
    double most = 0;
    for (const TensorResult& tensor : op.tensors) {
        if (!tensor.split) continue;
        const auto& side =
            culprit.kind == CulpritKind::kGolden ? tensor.split->golden : tensor.split->target;
        if (side) most = std::max(most, side->ratio);
    }
    const bool by_limit = culprit.kind == CulpritKind::kOp || culprit.kind == CulpritKind::kGolden;
    return by_limit && most > 1 ? most : HUGE_VAL;
}

/// The first one, unless it is barely beyond and another is clearly.
void put_clear_one_first(Result& result) {
    std::vector<Culprit>& all = result.culprits;
    if (all.empty() || strength_of(all.front(), result) >= kBarely) return;
    const auto clear = std::ranges::find_if(
        all, [&](const Culprit& each) { return strength_of(each, result) >= kClearly; });
    if (clear != all.end()) std::rotate(all.begin(), clear, clear + 1);
}

/// An op that one side alone has, and that is wrong by itself.
bool is_wrong_alone(const OpResult& op) {
    return !op.is_pair() && !op.in_span && op.judgement.verdict == Verdict::kFail;
}

/// Called with other arguments, and nobody computed it again to see whether they matter.
bool is_called_otherwise(const OpResult& op, const Result& result) {
    if (!result.by_calls || op.arguments.empty()) return false;
    return std::ranges::none_of(op.tensors, [](const TensorResult& tensor) {
        const bool equal = tensor.direction == dumpfile::Direction::kOutput &&
                           tensor.sums.numel > 0 &&
                           tensor.judgement.verdict <= Verdict::kMistrusted;
        return equal || (tensor.split && tensor.split->target);
    });
}

}  // namespace

std::string_view name_of(CulpritKind kind) {
    constexpr std::array<std::string_view, 6> kNames = {
        "op", "argument", "tensor", "program", "golden", "arithmetic"};
    return kNames[static_cast<size_t>(kind)];
}

void find_culprits(Result& result) {
    std::vector<Culprit> found = std::move(result.culprits);  // those of tensors and of arithmetic
    for (size_t i = 0; i < result.ops.size(); ++i) {
        const OpResult& op = result.ops[i];
        if (op.overflow == dumpfile::OverflowRole::kIntroduced) {
            found.push_back({.kind = CulpritKind::kOp, .op = i, .why = op.overflow_note});
        } else if (is_wrong_alone(op)) {
            found.push_back({.kind = CulpritKind::kOp, .op = i, .why = op.judgement.rule});
        } else if (result.partings.empty() && op.unmatched.empty() && !op.in_span &&
                   !op.is_pair()) {
            found.push_back({.kind = CulpritKind::kProgram, .op = i, .why = op.judgement.rule});
        } else if (!op.unmatched.empty()) {
            found.push_back(unmatched_culprit(op, i));
        } else if (is_called_otherwise(op, result)) {
            found.push_back({.kind = CulpritKind::kArgument,
                             .op = i,
                             .why = "called with other arguments: " + to_text(op.arguments)});
        } else if (is_finding(op.judgement.verdict, result.allow_golden_at_fault) &&
                   !op.from_nothing && (op.in_span || op.is_pair())) {
            found.push_back({.kind = kind_of(op), .op = i, .why = op.judgement.rule});
            if (found.back().kind == CulpritKind::kOp) found.back().step = step_at_fault(op);
        }
        if (const std::string text = one_sided_input(op); !text.empty())
            found.push_back({.kind = CulpritKind::kProgram, .op = i, .why = text});
    }
    for (const PartingResult& parting : result.partings)
        found.push_back(culprit_of(parting, result));
    // Of calls the arguments are told before any number.
    const int argument_rank = result.by_calls ? 0 : 3;
    std::ranges::stable_sort(found, {}, [&](const Culprit& culprit) {
        const int rank = culprit.behind                             ? 4
                         : culprit.kind == CulpritKind::kArgument   ? argument_rank
                         : culprit.kind == CulpritKind::kTensor     ? 1
                         : culprit.kind == CulpritKind::kArithmetic ? 2
                                                                    : 3;
        return std::pair(culprit.op, rank);
    });
    result.culprits = std::move(found);
    put_clear_one_first(result);
}

}  // namespace npuscope::compare
