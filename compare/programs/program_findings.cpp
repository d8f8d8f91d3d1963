#include "compare/programs/program_findings.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "compare/align/parting.h"
#include "compare/dataflow/changed_golden.h"
#include "compare/dataflow/givens.h"
#include "compare/dataflow/other_order.h"
#include "compare/dataflow/pair_remarks.h"
#include "compare/dataflow/recorded_givens.h"
#include "compare/dataflow/running_statistics.h"
#include "compare/dataflow/tied_givens.h"
#include "compare/dataflow/wiring.h"
#include "compare/growth/growth.h"
#include "compare/growth/results_alone.h"
#include "compare/origins/by_statistics.h"
#include "compare/origins/first_change.h"
#include "compare/origins/given_otherwise.h"
#include "compare/origins/inflow.h"
#include "compare/origins/origins.h"
#include "compare/origins/unexplained.h"
#include "compare/programs/forgive.h"
#include "compare/programs/recorded_kinds.h"
#include "compare/programs/sampled_recording.h"
#include "compare/programs/unknown_ops.h"
#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

/// Whether an op makes, in the forward pass, what nobody takes in.
bool makes_an_end(const Side& side, const std::vector<const SourceOp*>& ops) {
    return std::ranges::any_of(ops, [&](const SourceOp* op) {
        const auto index = static_cast<size_t>(op - side.source.ops.data());
        const auto begin = side.source.ops.begin();
        const auto is_gradient = [](const SourceOp& each) { return is_backward(each.id.op); };
        if (std::any_of(begin, begin + static_cast<ptrdiff_t>(index) + 1, is_gradient))
            return false;
        return !is_taken_in(side, index);
    });
}

bool makes_an_end(const PairedFlows& flows, const Parting& parting) {
    if (!parting.only_target.empty() && !parting.only_golden.empty()) return false;
    return makes_an_end(flows.target(), parting.only_target) ||
           makes_an_end(flows.golden(), parting.only_golden);
}

/// Whether anything that either side made was computed again.
bool is_any_computed(const Result& result) {
    return std::ranges::any_of(result.ops, [](const OpResult& op) {
        return std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
            return tensor.split && tensor.split->target;
        });
    });
}

/// And how many casts were seen through; count() keeps them. `flows` is nullptr where nothing was
/// traced.
void take_partings(const Plan& plan, const PairedFlows* flows, Result& result) {
    const std::unordered_map<const SourceOp*, size_t> places = places_of(plan);
    for (const Parting& parting : plan.partings) {
        const SourceOp& first = parting.first();
        const OpSource where = first.place ? first.place() : OpSource{};
        result.partings.push_back(
            {.text = to_text(parting),
             .only_target = paths_of(parting.only_target),
             .only_golden = paths_of(parting.only_golden),
             .after = parting.before_target == nullptr ? "" : parting.before_target->path,
             .module = where.module,
             .line = where.line,
             .op = static_cast<int>(places.at(&first)),
             .ends = flows != nullptr && makes_an_end(*flows, parting)});
    }
    for (const OpPair& cast : plan.casts)
        ++(cast.target != nullptr ? result.counts.casts_only_target
                                  : result.counts.casts_only_golden);
}

/// What no op computed, and what ops were given in place of what they should have been.
void take_given(PairedFlows& flows, int threads, Result& result) {
    const Givens givens = differing_givens(flows, threads);
    const GivenOtherwise otherwise(flows, result);
    for (const GivenFinding& finding : givens.findings) {
        if (otherwise.explains(finding)) continue;
        result.culprits.push_back({.kind = CulpritKind::kTensor,
                                   .op = finding.input.pair,
                                   .tensor = finding.target,
                                   .why = finding.text,
                                   .is_of_another = finding.is_of_another,
                                   .is_rearranged = finding.relation.likeness == Likeness::kMoved});
    }
    result.most_drifted = givens.most_drifted;
    if (flows.plan().load_mode)
        for (RecordedGiven& finding : recorded_givens(flows, result.notes))
            result.culprits.push_back(
                {.kind = finding.is_number ? CulpritKind::kArgument : CulpritKind::kTensor,
                 .op = finding.pair,
                 .tensor = finding.is_number ? "" : finding.path,
                 .why = finding.text,
                 .argument = finding.is_number ? finding.argument : ""});
    for (StatisticsFinding& finding : wrong_running_statistics(flows))
        result.culprits.push_back(
            {.kind = CulpritKind::kOp, .op = finding.pair, .why = std::move(finding.text)});
    std::vector<WiringFinding> wires = wrong_wires(flows, threads);
    std::ranges::move(inputs_changed_in_golden(flows), std::back_inserter(wires));
    for (const WiringFinding& finding : wires) {
        if (otherwise.are_exchanged(finding.input)) continue;
        result.culprits.push_back({.kind = CulpritKind::kTensor,
                                   .op = finding.input.pair,
                                   .tensor = finding.target,
                                   .why = finding.text,
                                   .is_rewired = true});
    }
    for (OtherOrder& finding : inputs_in_other_order(flows, result))
        result.culprits.push_back({.kind = CulpritKind::kTensor,
                                   .op = finding.pair,
                                   .tensor = std::move(finding.target),
                                   .why = std::move(finding.text)});
    result.notes.insert(result.notes.end(), givens.remarks.begin(), givens.remarks.end());
    const RecordedDevices devices{.target = flows.target().source.device,
                                  .golden = flows.golden().source.device};
    PairRemarks remarks = pair_remarks(flows, devices);
    result.hardly_pair = remarks.hardly_pair;
    for (std::string& remark : remarks.lines)
        result.notes.push_back(std::move(remark));
}

}  // namespace

void take_programs(
    std::optional<Traced>& traced, bool dataflow, int threads, Plan& plan, Result& result) {
    const auto grown = traced && dataflow ? judge_growth(*traced, plan, result) : std::nullopt;
    PairedFlows* flows = traced && traced->flows ? &*traced->flows : nullptr;
    if (dataflow) forgive_one_sided(traced ? &*traced : nullptr, plan, result);
    if (flows != nullptr)
        forget_unsampled(
            flows->target().source.sample, flows->golden().source.sample, plan, result);
    if (dataflow) forget_unrecorded_kinds(plan, result);
    take_partings(plan, flows, result);
    if (!dataflow) return;
    take_tied_givens(plan, grown ? grown->crossed : FailuresBehind{}, result);
    // Behind ops that were found to be another way to compute the same.
    if (flows != nullptr && !plan.is_related && !result.spans.empty() && result.partings.empty())
        judge_origins(*flows, threads, result);
    accuse_unexplained(plan, flows, grown, result);
}

void take_flow_findings(Traced& traced, int threads, Result& result) {
    PairedFlows& flows = *traced.flows;
    if (!traced.has_inputs() || (result.by_calls && !is_any_computed(result)))
        judge_results_alone(flows, result);
    else
        forgive_modules(flows.plan(), result);
    accuse_unknown_ops(flows.plan(), result);
    take_given(flows, threads, result);
    if (!result.load_mode && flows.has_statistics()) {
        judge_by_statistics(flows, result);
        accuse_first_change(flows, result);
    }
    judge_origins(flows, threads, result);
}

}  // namespace npuscope::compare
