#include "compare/dataflow/tied_givens.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "compare/agreement.h"
#include "compare/dataflow/givens.h"
#include "compare/dataflow/input_roles.h"
#include "compare/dataflow/relation.h"
#include "core/base/error.h"
#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

/// How far off a scale that was estimated may leave what is scaled.
constexpr double kScaleNoise = 0.01;

std::optional<Relation> relation_through(const TensorTie& tie) {
    try {
        const TiedTensors tied = tensors_of(tie);
        if (!tied.target.open || !tied.golden.open) return std::nullopt;
        const auto mine = tied.target.open();
        const auto theirs = tied.golden.open();
        if (mine->numel() != theirs->numel()) return std::nullopt;
        return relation_of(mine->whole(), theirs->whole());
    } catch (const Error&) {
        return std::nullopt;
    }
}

bool is_other(const Relation& relation, const TensorTie& tie) {
    if (relation.likeness == Likeness::kEqual || relation.likeness == Likeness::kRounding ||
        relation.likeness == Likeness::kLeaning || relation.likeness == Likeness::kNarrowed)
        return false;
    return tie.scale == 1 || relation.distance > kScaleNoise;
}

/// Whether what was made of it is the golden's: it is folded into something else.
bool makes_no_difference(const OpResult& op, bool fails_behind) {
    if (op.in_span) return !fails_behind;
    return op.is_pair() && results_agree(op);
}

/// Of an op that was given something else: nothing says that what nobody computed is its own fault.
void inherit(const std::string& given, OpResult& op, bool allow_golden_at_fault) {
    for (TensorResult& tensor : op.tensors)
        if (tensor.judgement.verdict == Verdict::kFail &&
            tensor.direction == dumpfile::Direction::kOutput &&
            (!tensor.split || !tensor.split->target))
            tensor.judgement = {Verdict::kInherited, given + " is not the golden's"};
    conclude(op, allow_golden_at_fault);
}

bool is_tied_parameter(const TensorTie& tie, const std::string& argument) {
    const std::string& op = tie.target.op->id.op;
    return !is_backward(op) && noun_of_input(op, argument) != "input";
}

}  // namespace

void take_tied_givens(const Plan& plan, const FailuresBehind& failures, Result& result) {
    std::unordered_map<const SourceOp*, size_t> places;
    for (size_t i = 0; i < plan.ops.size(); ++i)
        if (plan.ops[i].target != nullptr) places.emplace(plan.ops[i].target, i);
    std::set<std::string> told;
    for (const Culprit& culprit : result.culprits)
        told.insert(culprit.tensor);
    std::vector<const TensorTie*> ties;
    for (const TensorTie& tie : plan.given)
        ties.push_back(&tie);
    for (const TensorTie& tie : plan.shown)
        ties.push_back(&tie);
    for (size_t i = 0; i < ties.size(); ++i) {
        const TensorTie& tie = *ties[i];
        const auto place = places.find(tie.target.op);
        if (place == places.end() || tie.kind == RelationKind::kSum) continue;
        const bool is_compared = i < plan.given.size() && tie.is_plain() &&
                                 plan.ops[place->second].golden == tie.golden.op;
        const std::string argument = tie.target.path.substr(tie.target.path.rfind('/') + 1);
        if (is_compared || told.contains(tie.target.path) || !is_tied_parameter(tie, argument) ||
            makes_no_difference(result.ops[place->second], failures.contains(place->second)))
            continue;
        const auto relation = relation_through(tie);
        if (!relation || !is_other(*relation, tie)) continue;
        const std::string words = tie.words();
        const std::string given = noun_of_input(tie.target.op->id.op, argument) + " `" + argument +
                                  "` of " + tie.target.op->path;
        inherit(given, result.ops[place->second], result.allow_golden_at_fault);
        const auto [first, last] = failures.equal_range(place->second);
        for (auto each = first; each != last; ++each)
            inherit(given, result.ops[each->second], result.allow_golden_at_fault);
        result.culprits.push_back({.kind = CulpritKind::kTensor,
                                   .op = place->second,
                                   .tensor = tie.target.path,
                                   .why = given + " is not the golden's " + tie.golden.path +
                                          (words.empty() ? "" : " (" + words + ")") + ": " +
                                          relation->text});
    }
}

}  // namespace npuscope::compare
