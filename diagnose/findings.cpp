#include "diagnose/findings.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"
#include "core/dumpfile/layout.h"

namespace npuscope::diagnose {

namespace {

void take_facts(const dumpfile::OpEntry* entry, OpFinding& op) {
    if (entry == nullptr) return;
    for (const dumpfile::Entry& tensor : entry->entries)
        if (!tensor.compute_type.empty()) op.compute_type = tensor.compute_type;
    const auto facts = parse_json<nlohmann::json>(entry->facts_json);
    if (!facts.is_object()) return;
    if (facts.contains("node") && facts["node"].is_string()) op.node = facts["node"];
    if (facts.contains("kernels") && facts["kernels"].is_array())
        for (const auto& kernel : facts["kernels"])
            if (kernel.is_string()) op.kernels.push_back(kernel);
}

TensorFinding finding_of(const compare::TensorResult& tensor) {
    TensorFinding found{tensor.target,
                        tensor.golden,
                        tensor.dtype,
                        to_string(tensor.shape),
                        std::string(compare::name_of(tensor.judgement.verdict)),
                        tensor.judgement.rule,
                        {}};
    const auto metrics = compare::all_metrics();
    for (size_t i = 0; i < tensor.metrics.size() && i < metrics.size(); ++i)
        found.metrics.emplace_back(metrics[i]->name, tensor.metrics[i]);
    return found;
}

void raise(std::optional<double>& worst, double error) {
    if (!worst || !(error <= *worst)) worst = error;
}

/// What the comparison allowed; 0 where it asked for equality.
double tolerance_of(const compare::TensorResult& tensor, const std::string& compute_type) {
    const auto dtype = dtype_from_name(tensor.dtype);
    if (!dtype) return 0;
    const compare::Bound bound =
        compare::PrecisionBounds{}.bound({tensor.target, tensor.golden, *dtype, compute_type});
    return bound.exact ? 0 : bound.tolerance;
}

/// The isolated run's verdict, errors and tensors.
void take_isolated(const compare::OpResult& result, OpFinding& op) {
    op.verdict = compare::name_of(result.judgement.verdict);
    op.rule = result.judgement.rule;
    for (const compare::TensorResult& tensor : result.tensors) {
        if (tensor.direction != dumpfile::Direction::kOutput) continue;
        if (tensor.sums.numel > 0) {
            raise(op.introduced, compare::relative_error(tensor));
            op.tolerance = std::max(op.tolerance, tolerance_of(tensor, op.compute_type));
        }
        op.tensors.push_back(finding_of(tensor));
    }
}

void take_free(const compare::OpResult& result, OpFinding& op) {
    for (const compare::TensorResult& tensor : result.tensors) {
        if (tensor.sums.numel == 0) continue;
        raise(tensor.direction == dumpfile::Direction::kInput ? op.inherited : op.free_error,
              compare::relative_error(tensor));
    }
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

void take_overflow(const Evidence& evidence, std::map<std::string, OpFinding>& ops) {
    std::set<std::string> alone;  // overflow on the golden's inputs too
    for (const overflow::OverflowRecord& record : evidence.isolated_overflow.records)
        alone.insert(record.path());
    const auto mark = [&](const overflow::OverflowRecord& record) {
        const auto found = ops.find(record.path());
        if (found == ops.end()) return;
        OpFinding& op = found->second;
        op.overflow = dumpfile::overflow_role(
            {.raised = record.raised(),
             .damaged_inputs = record.kind != overflow::OverflowKind::kIntroduced,
             .raised_on_golden = alone.count(op.path) > 0});
        const bool own = op.overflow == OverflowRole::kIntroduced;
        op.overflow_note = own ? "raised by " + joined(record.kernels)
                               : "received through " + record.via +
                                     (record.from.empty() ? "" : " from " + record.from) +
                                     (record.origin.empty() || record.origin == record.from
                                          ? ""
                                          : ", where it began: " + record.origin) +
                                     (record.raised() ? "; its own status is set too" : "");
    };
    for (const overflow::OverflowRecord& record : evidence.free_overflow.records)
        mark(record);
    for (const overflow::OverflowRecord& record : evidence.free_overflow.receivers)
        mark(record);
}

}  // namespace

std::vector<OpFinding> collect_findings(const Evidence& evidence) {
    std::map<std::string, OpFinding> ops;
    const auto op_of = [&](const std::string& path) -> OpFinding& {
        const auto [place, fresh] = ops.try_emplace(path);
        OpFinding& op = place->second;
        if (fresh) {
            const auto id = dumpfile::parse_op_path(path);
            op.path = path;
            if (id) {
                op.name = id->op;
                op.seqid = id->seqid;
                take_facts(evidence.free_dump.find(*id), op);
            }
        }
        return op;
    };
    for (const compare::OpResult& result : evidence.free_run.ops)
        take_free(result, op_of(result.target.empty() ? result.golden : result.target));
    // The isolated run keeps the golden's seqids; the free run counts its own: both are 1, 2, 3… of
    // the same graph.
    for (const compare::OpResult& result : evidence.isolated.ops)
        take_isolated(result, op_of(result.target.empty() ? result.golden : result.target));
    take_overflow(evidence, ops);
    std::vector<OpFinding> findings;
    for (auto& [path, op] : ops) {
        if (op.verdict.empty()) op.verdict = "unjudged";
        findings.push_back(std::move(op));
    }
    std::stable_sort(findings.begin(), findings.end(), [](const OpFinding& a, const OpFinding& b) {
        return a.seqid < b.seqid;
    });
    return findings;
}

}  // namespace npuscope::diagnose
