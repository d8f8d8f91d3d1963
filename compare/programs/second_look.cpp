#include "compare/programs/second_look.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/relate/kinship.h"

namespace npuscope::compare {

namespace {

/// Nothing was measured: one side alone has it, or the other in another shape or dtype.
bool is_unmeasured(Verdict verdict) {
    return verdict == Verdict::kIncomparable || verdict == Verdict::kMissingTarget ||
           verdict == Verdict::kMissingGolden;
}

bool is_of_other_shapes(const OpResult& op) {
    return is_unmeasured(op.judgement.verdict) && !op.is_unreadable;
}

/// Of the norm: results that are farther off are no partners, or sums that cancel.
constexpr double kFarOff = 0.2;
/// Of the norm: no rounding makes that of one op.
constexpr double kLeftOff = 0.05;
/// Of max|g|: what operands of 16 bits leave.
constexpr double kRounding = 2e-3;
/// So many ops of one name.
constexpr size_t kMany = 3;
/// Of the share of results that were far off so much is left, where others lie in another order.
constexpr double kExplained = 0.8;
/// So large a share of them another way to write the program does not leave.
constexpr double kMostFarOff = 0.3;

/// The share of results that are far off.
double far_off(const Result& result) {
    int64_t all = 0;
    int64_t far = 0;
    for (const OpResult& op : result.ops)
        for (const TensorResult& tensor : op.tensors) {
            const auto norm = tensor.direction == dumpfile::Direction::kOutput &&
                                      tensor.judgement.verdict != Verdict::kUndefined
                                  ? norm_of(tensor)
                                  : std::nullopt;
            if (!norm) continue;
            ++all;
            far += *norm > kFarOff ? 1 : 0;
        }
    return all == 0 ? 0 : static_cast<double>(far) / static_cast<double>(all);
}

bool has_inputs(const Result& result) {
    return std::ranges::any_of(result.ops, [](const OpResult& op) {
        return std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
            return tensor.direction == dumpfile::Direction::kInput;
        });
    });
}

/// Whether any op was computed again.
bool is_computed(const Result& result) {
    return std::ranges::any_of(result.ops, [](const OpResult& op) {
        return std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
            return tensor.split && tensor.split->target;
        });
    });
}

/// What one side alone does beside the rest (a loss that is logged) stands for nothing else.
bool have_spans_on_both_sides(const Result& result) {
    return std::ranges::any_of(result.spans,
                               [](const SpanResult& span) { return !span.only_target.empty(); }) &&
           std::ranges::any_of(result.spans,
                               [](const SpanResult& span) { return !span.only_golden.empty(); });
}

bool programs_differ(const Result& result) {
    return !result.partings.empty() || have_spans_on_both_sides(result) ||
           std::ranges::any_of(result.ops, [](const OpResult& op) {
               return op.shapes_differ || is_of_other_shapes(op);
           });
}

/// Whether the last results that both sides have are alike though other ops made them: what one
/// side alone computes (a batch norm) is in what the other was given.
bool ends_alike(const Result& result) {
    if (result.spans.empty()) return false;
    for (auto op = result.ops.rbegin(); op != result.ops.rend(); ++op) {
        if (!op->is_pair()) continue;
        std::optional<double> worst;
        for (const TensorResult& tensor : op->tensors)
            if (tensor.direction == dumpfile::Direction::kOutput)
                if (const auto norm = norm_of(tensor)) worst = std::max(worst.value_or(0), *norm);
        if (worst) return *worst <= kRounding;
    }
    return false;
}

/// Whether ops of the same name are at fault again and again: they may be the golden's in another
/// order, as where a weight lies transposed.
bool are_many_of_its_kind(const Result& result) {
    const std::string& name = result.ops[result.culprits.front().op].id.op;
    const auto alike = std::ranges::count_if(result.culprits, [&](const Culprit& culprit) {
        return culprit.kind == CulpritKind::kOp && result.ops[culprit.op].id.op == name;
    });
    return static_cast<size_t>(alike) >= kMany;
}

/// Whether several inputs of the first op, or of ops of its name, were not made by what made the
/// golden's.
bool is_rewired_throughout(const Result& result) {
    const size_t first = result.culprits.front().op;
    size_t of_it = 0;
    size_t of_its_name = 0;
    for (const Culprit& culprit : result.culprits) {
        if (!culprit.is_rewired) continue;
        of_it += culprit.op == first ? 1 : 0;
        of_its_name += result.ops[culprit.op].id.op == result.ops[first].id.op ? 1 : 0;
    }
    return of_it > 1 || of_its_name >= kMany;
}

/// Whether one program is the other and some ops more: nothing stands for them.
bool only_adds(const Result& result) {
    const auto of_target = [](const OpResult& op) { return op.golden.empty() && !op.in_span; };
    const auto of_golden = [](const OpResult& op) { return op.target.empty() && !op.in_span; };
    if (std::ranges::any_of(result.ops, of_target) == std::ranges::any_of(result.ops, of_golden))
        return false;
    return std::ranges::none_of(result.ops, [](const OpResult& op) {
        const auto is_open = [](const TensorResult& tensor) {
            return is_unmeasured(tensor.judgement.verdict);
        };
        const bool is_pair = op.is_pair();
        return op.shapes_differ || (is_pair && std::ranges::any_of(op.tensors, is_open));
    });
}

/// Whether what the op of the first culprit computes is as far off when its tensors were paired by
/// what they hold: that explains nothing of it. Ops that move elements say nothing themselves.
bool is_left_off(const Result& by_names, const Result& by_content) {
    if (by_names.culprits.empty() || by_names.culprits.front().kind != CulpritKind::kTensor)
        return false;
    const OpResult& told = by_names.ops[by_names.culprits.front().op];
    if (step_of(told.id.op) == OpStep::kAny) return false;
    const auto same = std::ranges::find(by_content.ops, told.target, &OpResult::target);
    if (same == by_content.ops.end() || !same->is_pair()) return false;
    return std::ranges::any_of(same->tensors, [](const TensorResult& tensor) {
        return tensor.direction == dumpfile::Direction::kOutput &&
               norm_of(tensor).value_or(0) > kLeftOff;
    });
}

}  // namespace

bool wants_second_look(const Result& by_names) {
    if (by_names.culprits.empty() || by_names.by_content || by_names.load_mode ||
        by_names.hardly_pair || by_names.structure_only)
        return false;
    if (std::ranges::any_of(by_names.partings, &PartingResult::ends) || only_adds(by_names))
        return false;
    const Culprit& first = by_names.culprits.front();
    const bool is_many_times = first.kind == CulpritKind::kOp && are_many_of_its_kind(by_names);
    const bool is_of_shapes =
        first.kind == CulpritKind::kOp && is_of_other_shapes(by_names.ops[first.op]);
    if (is_of_shapes || is_many_times) return has_inputs(by_names) || !by_names.by_calls;
    // What one side has more results alone tell by their order.
    if (!has_inputs(by_names)) return false;
    if (first.kind == CulpritKind::kProgram || is_rewired_throughout(by_names)) return true;
    // A tensor that is another one of the golden's may be that of a call in another order.
    if (first.kind == CulpritKind::kTensor && (first.is_of_another || ends_alike(by_names)))
        return true;
    if (!first.effect) return false;
    // What a program puts back behind an op (elements in another order, a scale that stands
    // elsewhere) leaves rounding.
    if (first.is_rearranged || first.is_rewired) return *first.effect <= kRounding;
    return *first.effect == 0 && programs_differ(by_names);
}

bool tells_more(const Result& by_names, const Result& by_content) {
    if (by_content.hardly_pair || by_content.exit_code() == 2) return false;
    if (by_content.is_other_batch) return true;
    if (by_content.culprits.empty())
        return by_content.exit_code() == 0 && far_off(by_content) <= kMostFarOff &&
               !is_left_off(by_names, by_content);
    const Culprit& first = by_content.culprits.front();
    // Where neither side has inputs, nothing is told twice; else what is left when the others are
    // seen to lie in another order.
    if (!has_inputs(by_names) && !is_computed(by_names)) return false;
    if (!by_names.culprits.empty() && are_many_of_its_kind(by_names))
        return first.kind == CulpritKind::kOp &&
               by_content.culprits.size() < by_names.culprits.size() &&
               far_off(by_content) <= kExplained * far_off(by_names);
    // Exchanged parameters look like ops that changed places.
    const bool is_of_another =
        !by_names.culprits.empty() && by_names.culprits.front().is_of_another;
    const bool was_rewired = !by_names.culprits.empty() && by_names.culprits.front().is_rewired;
    if (first.kind == CulpritKind::kProgram ? is_of_another || was_rewired
                                            : is_of_another && first.is_rewired)
        return false;
    const bool is_parting =
        first.kind == CulpritKind::kProgram &&
        std::ranges::any_of(by_content.partings, [&](const PartingResult& parting) {
            return parting.op == static_cast<int>(first.op);
        });
    // Shapes that differ tell less than where the programs part.
    const bool was_of_shapes = !by_names.culprits.empty() &&
                               by_names.culprits.front().kind == CulpritKind::kOp &&
                               is_of_other_shapes(by_names.ops[by_names.culprits.front().op]);
    return is_parting ? was_of_shapes : !is_of_other_shapes(by_content.ops[first.op]);
}

void note_second_look(const Result& by_names, Result& by_content) {
    const size_t places = by_names.partings.size();
    by_content.notes.push_back(
        places == 0 ? "by names and order the programs differ, so tensors were paired by what they "
                      "hold as well"
                    : fmt::format("by names and order the programs part in {} place{}, so tensors "
                                  "were paired by what they hold as well",
                                  places,
                                  places == 1 ? "" : "s"));
}

}  // namespace npuscope::compare
