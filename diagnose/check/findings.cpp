#include "diagnose/check/findings.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/dumpfile/layout.h"

namespace npuscope::diagnose {

namespace {

void take_facts(const dumpfile::OpEntry* entry, OpFinding& op) {
    if (entry == nullptr) return;
    op.compute_type = entry->compute_type();
    dumpfile::OpFacts facts = entry->facts();
    op.node = std::move(facts.source.node);
    op.kernels = std::move(facts.kernels);
}

/// Both sides had the same inputs: what an honest op is off by, it made itself, and may. True where
/// that is beyond the tolerance of its precision.
bool take_as_honest(compare::TensorResult& tensor) {
    if (!tensor.split || !tensor.split->target || tensor.split->target->ratio > 1) return false;
    compare::Judgement& judgement = tensor.judgement;
    const bool coarse = judgement.verdict == compare::Verdict::kInherited;
    if (judgement.verdict != compare::Verdict::kPass && !coarse) return false;
    const compare::Introduced& own = *tensor.split->target;
    if (tensor.sums.nonfinite_differs > 0) {
        // Already an operand left the range, so that no exact result is there to leave it.
        judgement.verdict = compare::Verdict::kOutOfRange;
        judgement.rule =
            fmt::format("{} of {} elements are not finite: the range of {} is too small",
                        tensor.sums.nonfinite_differs,
                        tensor.sums.numel,
                        own.arithmetic);
        return false;
    }
    judgement.verdict = compare::Verdict::kPass;
    judgement.rule = own.ratio == 0
                         ? "exact"
                         : fmt::format("{:.2g} of what {} may be off", own.ratio, own.arithmetic);
    return coarse;
}

/// The isolated run's verdict, errors and outputs.
void take_isolated(compare::OpResult result, OpFinding& op) {
    op.introduced = compare::worst_error(result, dumpfile::Direction::kOutput);
    for (compare::TensorResult& tensor : result.tensors)
        if (tensor.direction == dumpfile::Direction::kOutput && take_as_honest(tensor))
            op.coarse = true;
    compare::conclude(result);
    op.judgement = std::move(result.judgement);
    op.standard = std::move(result.standard);
    for (compare::TensorResult& tensor : result.tensors) {
        if (tensor.direction != dumpfile::Direction::kOutput) continue;
        if (tensor.split && tensor.split->target &&
            !(tensor.split->target->ratio <= op.ratio.value_or(-1))) {
            op.ratio = tensor.split->target->ratio;
            op.arithmetic = tensor.split->target->arithmetic;
        }
        op.tensors.push_back(std::move(tensor));
    }
}

void take_free(const compare::OpResult& result, OpFinding& op) {
    op.inherited = compare::worst_error(result, dumpfile::Direction::kInput);
    op.free_error = compare::worst_error(result, dumpfile::Direction::kOutput);
}

/// The free run's own ops that are at fault; overflow is told by the float status.
void take_free_faults(const compare::Result& free_run, std::map<OpId, OpFinding>& ops) {
    for (const compare::Culprit& culprit : free_run.culprits) {
        const compare::OpResult& result = free_run.ops[culprit.op];
        const bool own = culprit.kind == compare::CulpritKind::kOp ||
                         culprit.kind == compare::CulpritKind::kArgument;
        const auto found = ops.find(result.id);
        if (!own || result.golden.empty() || found == ops.end()) continue;
        OpFinding& op = found->second;
        if (result.overflow == OverflowRole::kNone && op.overflow == OverflowRole::kNone &&
            op.free_fault.empty() && !op.fails())
            op.free_fault = culprit.why;
    }
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string note_of(const overflow::OverflowRecord& record, bool own) {
    if (own) return "raised by " + joined(record.kernels);
    std::string note = "received through " + record.via;
    if (!record.from.empty()) note += " from " + record.from;
    if (!record.origin.empty() && record.origin != record.from)
        note += ", where it began: " + record.origin;
    if (record.raised()) note += "; its own status is set too";
    return note;
}

void take_overflow(const Evidence& evidence, std::map<OpId, OpFinding>& ops) {
    std::set<OpId> alone;  // overflow on the golden's inputs too
    for (const overflow::OverflowRecord& record : evidence.isolated_overflow.records) {
        alone.insert(record.id);
        const auto found = ops.find(record.id);
        if (found == ops.end() || !record.raised() || !found->second.is(compare::Verdict::kFail))
            continue;
        // Saturated operands are beyond any arithmetic; the float status knows why.
        found->second.judgement = {
            compare::Verdict::kOutOfRange,
            "overflows on the golden's inputs, raised by " + joined(record.kernels)};
    }
    for (const auto* list : {&evidence.free_overflow.records, &evidence.free_overflow.receivers})
        for (const overflow::OverflowRecord& record : *list) {
            const auto found = ops.find(record.id);
            if (found == ops.end()) continue;
            OpFinding& op = found->second;
            op.overflow = dumpfile::overflow_role(
                {.raised = record.raised(),
                 .damaged_inputs = record.kind != overflow::OverflowKind::kIntroduced,
                 .raised_on_golden = alone.contains(op.id)});
            op.overflow_note = note_of(record, op.overflow == OverflowRole::kIntroduced);
        }
}

}  // namespace

std::vector<OpFinding> collect_findings(Evidence evidence) {
    std::map<OpId, OpFinding> ops;
    const auto op_of = [&](const OpId& id) -> OpFinding& {
        const auto [place, fresh] = ops.try_emplace(id);
        if (fresh) {
            place->second.id = id;
            take_facts(evidence.free_dump.find(id), place->second);
        }
        return place->second;
    };
    for (const compare::OpResult& result : evidence.free_run.ops)
        take_free(result, op_of(result.id));
    // The isolated run keeps the golden's seqids; the free run counts its own: both are 1, 2, 3… of
    // the same graph.
    for (compare::OpResult& result : evidence.isolated.ops) {
        OpFinding& op = op_of(result.id);
        take_isolated(std::move(result), op);
    }
    take_overflow(evidence, ops);
    take_free_faults(evidence.free_run, ops);
    std::vector<OpFinding> findings;
    findings.reserve(ops.size());
    for (auto& [id, op] : ops)
        findings.push_back(std::move(op));
    std::stable_sort(findings.begin(), findings.end(), [](const OpFinding& a, const OpFinding& b) {
        return a.id.seqid < b.id.seqid;
    });
    return findings;
}

}  // namespace npuscope::diagnose
