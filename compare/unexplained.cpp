#include "compare/unexplained.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "compare/agreement.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// The index of the first op with a finding; of what the golden alone has, of the op before it.
size_t first_finding(const Result& result) {
    size_t first = std::numeric_limits<size_t>::max();
    for (const Culprit& culprit : result.culprits)
        if (culprit.kind != CulpritKind::kArithmetic) first = std::min(first, culprit.op);
    for (size_t i = 0; i < result.ops.size(); ++i) {
        const OpResult& op = result.ops[i];
        const bool is_pair = !op.target.empty() && !op.golden.empty();
        if (is_pair && (op.overflowed || is_finding(op.judgement.verdict))) {
            first = std::min(first, i);
            break;
        }
    }
    std::unordered_map<std::string_view, size_t> places;
    for (size_t i = 0; i < result.ops.size(); ++i)
        places.emplace(result.ops[i].target, i);
    for (const PartingResult& parting : result.partings) {
        const auto before = places.find(parting.after);
        const size_t own = parting.only_target.empty() && before != places.end()
                               ? before->second
                               : static_cast<size_t>(std::max(parting.op, 0));
        first = std::min(first, own);
    }
    return first;
}

/// Whether both were found to make the same, not known to compute the same.
bool is_of_other_kinds(const OpPair& pair) {
    const bool are_more = !pair.also_target.empty() || !pair.also_golden.empty();
    return are_of_two_kinds(pair) || (!pair.ties.empty() && are_more);
}

/// The first result, where it came in; what an op keeps beside it (a mean) may be paired by chance.
TensorResult* inherited_result(OpResult& op) {
    const auto first = std::ranges::find_if(op.tensors, [](const TensorResult& tensor) {
        return tensor.direction == Direction::kOutput && !tensor.metrics.empty();
    });
    if (first == op.tensors.end() || first->judgement.verdict != Verdict::kInherited ||
        first->sums.nonfinite_differs > 0)
        return nullptr;
    return &*first;
}

void accuse_pair(size_t place, TensorResult& output, double before, Result& result) {
    const std::string sentence = fmt::format(
        "off by {:.2g} max|g|, and nothing before it made that: what was compared before is off by "
        "{:.2g} at most, and each side's arithmetic is honest, so that the programs compute "
        "something else here",
        relative_error(output),
        before);
    output.judgement.verdict = Verdict::kFail;
    output.judgement.rule = sentence;
    OpResult& op = result.ops[place];
    conclude(op, result.allow_golden_at_fault);
    op.from_nothing = true;
    result.culprits.push_back(
        {.kind = CulpritKind::kProgram,
         .op = place,
         .why = op.target + " and the golden's " + op.golden + ": " + sentence});
}

}  // namespace

void accuse_unexplained(const Plan& plan, const std::optional<Grown>& grown, Result& result) {
    if (!plan.is_related) return;
    const size_t last = std::min(first_finding(result), plan.ops.size());
    double before = 0;
    for (size_t i = 0; i < last; ++i) {
        OpResult& op = result.ops[i];
        if (op.target.empty() || op.golden.empty()) continue;
        before = std::max(before, worst_error(op, Direction::kInput).value_or(0));
        TensorResult* output = inherited_result(op);
        if (output != nullptr && (!grown || grown->pairs.contains(i)) &&
            is_of_other_kinds(plan.ops[i]) &&
            relative_error(*output) > std::max(kChainNoise, kChainGrowth * before)) {
            accuse_pair(i, *output, before, result);
            return;
        }
        before = std::max(before, worst_error(op, Direction::kOutput).value_or(0));
    }
}

}  // namespace npuscope::compare
