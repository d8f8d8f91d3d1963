#include "compare/program_findings.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/align/parting.h"
#include "compare/by_statistics.h"
#include "compare/dataflow/givens.h"
#include "compare/dataflow/pair_remarks.h"
#include "compare/dataflow/recorded_givens.h"
#include "compare/dataflow/tied_givens.h"
#include "compare/dataflow/wiring.h"
#include "compare/first_change.h"
#include "compare/given_otherwise.h"
#include "compare/growth/growth.h"
#include "compare/growth/results_alone.h"
#include "compare/inflow.h"
#include "compare/origins.h"
#include "compare/spans.h"
#include "compare/unexplained.h"
#include "compare/unknown_ops.h"

namespace npuscope::compare {

std::vector<std::string> paths_of(const std::vector<const SourceOp*>& ops) {
    std::vector<std::string> paths;
    paths.reserve(ops.size());
    for (const SourceOp* op : ops)
        paths.push_back(op->path);
    return paths;
}

bool Traced::has_inputs() const {
    const auto is_input = [](const TracedTensor& tensor) {
        return tensor.direction == dumpfile::Direction::kInput && tensor.content;
    };
    return std::ranges::any_of(target.tensors, is_input) ||
           std::ranges::any_of(golden.tensors, is_input);
}

void take_contradictions(const Plan& plan,
                         std::vector<ArithmeticContradiction> contradictions,
                         Result& result) {
    for (ArithmeticContradiction& each : contradictions) {
        const auto op = static_cast<size_t>(each.first - plan.ops.data());
        each.first = nullptr;
        std::string text =
            fmt::format("all {} behave like {} ({} of {} sampled); expected {}{} ({} of {})",
                        each.ops,
                        each.found,
                        each.found_explains,
                        each.sampled,
                        each.expected,
                        each.because.empty() ? "" : " of " + each.because,
                        each.expected_explains,
                        each.sampled);
        result.culprits.push_back({.kind = CulpritKind::kArithmetic, .op = op, .why = text});
        result.contradictions.push_back(
            {.found = std::move(each), .text = std::move(text), .op = op});
    }
}

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

bool is_compared(const OpResult& op) {
    return !op.target.empty() && !op.golden.empty() &&
           std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
               return tensor.direction == dumpfile::Direction::kOutput &&
                      (!tensor.metrics.empty() || tensor.by_statistics);
           });
}

/// How far off any tensor of the pair is: its statistics, or of its norm.
double distance_in(const OpResult& op) {
    double worst = 0;
    for (const TensorResult& tensor : op.tensors)
        worst =
            std::max(worst, tensor.by_statistics ? tensor.deviation : norm_of(tensor).value_or(0));
    return worst;
}

bool has_findings(const Plan& plan, const Result& result) {
    if (!result.culprits.empty()) return true;
    for (size_t place = 0; place < plan.ops.size(); ++place)
        if (plan.ops[place].target != nullptr && plan.ops[place].golden != nullptr &&
            is_finding(result.ops[place].judgement.verdict))
            return true;
    return false;
}

/// Where no pair has a finding: whether the next pairs behind the op of one side are hardly farther
/// off than those before it.
bool agrees_all_behind(const Plan& plan, const Result& result, const SourceOp& op, bool of_target) {
    constexpr int kNext = 3;
    constexpr double kNoise = 0x1p-7;
    constexpr double kGrowth = 4;
    double before = 0;
    double next = 0;
    int behind = 0;
    for (size_t place = 0; place < plan.ops.size(); ++place) {
        const OpPair& pair = plan.ops[place];
        if (pair.target == nullptr || pair.golden == nullptr) continue;
        const OpResult& compared = result.ops[place];
        if (!is_compared(compared)) continue;
        const bool is_behind = (of_target ? pair.target : pair.golden) > &op;
        if (!is_behind)
            before = std::max(before, distance_in(compared));
        else if (++behind <= kNext)
            next = std::max(next, distance_in(compared));
    }
    return behind >= kNext && next <= std::max(kNoise, kGrowth * before);
}

/// Of recordings whose tensors tell no dataflow, ops that one side alone has are another way to
/// compute the same where all that was compared agrees.
void forgive_partings(Plan& plan, Result& result) {
    const std::unordered_map<const SourceOp*, size_t> places = places_of(plan);
    std::erase_if(plan.partings, [&](const Parting& parting) {
        if (!agrees_all_behind(plan, result, parting.first(), !parting.only_target.empty()))
            return false;
        mark_span(parting, 0, std::nullopt, places, result);
        return true;
    });
}

/// Whether a call of the target's only shows something: a number, or what it was given, and no op
/// takes that in.
bool only_shows(const Side& side, const SourceOp& op) {
    const auto index = static_cast<size_t>(&op - side.source.ops.data());
    const auto tensors = side.flow.of_op(index);
    const auto is_shown = [&](const TracedTensor& result) {
        return result.content && (result.content->numel == 1 ||
                                  std::ranges::any_of(tensors, [&](const TracedTensor& input) {
                                      return input.direction == dumpfile::Direction::kInput &&
                                             input.content &&
                                             same_content(*input.content, *result.content);
                                  }));
    };
    return !tensors.empty() && std::ranges::all_of(tensors, [&](const TracedTensor& tensor) {
        return tensor.direction == dumpfile::Direction::kInput || is_shown(tensor);
    }) && std::ranges::none_of(tensors, [&](const TracedTensor& tensor) {
        return tensor.direction == dumpfile::Direction::kInput && is_written_over(side, tensor);
    }) && !is_taken_in(side, index);
}

/// Likewise of calls; where the dataflow is known, what the target only shows. `flows` is nullptr
/// where it is not.
void forgive_calls(const PairedFlows* flows, const Plan& plan, Result& result) {
    int64_t forgiven = 0;
    for (size_t place = 0; place < result.ops.size(); ++place) {
        OpResult& op = result.ops[place];
        const bool of_target = op.golden.empty();
        if (op.target.empty() == op.golden.empty() || op.in_span || !op.unmatched.empty()) continue;
        const SourceOp& own = *(of_target ? plan.ops[place].target : plan.ops[place].golden);
        if (flows != nullptr && (!of_target || !only_shows(flows->target(), own))) continue;
        if (!agrees_all_behind(plan, result, own, of_target)) continue;
        op.in_span = true;
        conclude(op, result.allow_golden_at_fault);
        ++forgiven;
    }
    if (forgiven > 0)
        result.notes.push_back(fmt::format(
            "{} op{} that one side alone has {} no finding: all that was compared agrees",
            forgiven,
            forgiven == 1 ? "" : "s",
            forgiven == 1 ? "is" : "are"));
}

bool is_of_statistics(const Result& result) {
    return std::ranges::any_of(result.ops, [](const OpResult& op) {
        return std::ranges::any_of(op.tensors, &TensorResult::by_statistics);
    });
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
                                   .is_of_another = finding.is_of_another});
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
    for (const WiringFinding& finding : wrong_wires(flows, threads))
        result.culprits.push_back({.kind = CulpritKind::kTensor,
                                   .op = finding.input.pair,
                                   .tensor = finding.target,
                                   .why = finding.text});
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
    const bool tells_no_flow = flows == nullptr ? is_of_statistics(result) : !traced->has_inputs();
    if (dataflow && !plan.is_related && !has_findings(plan, result)) {
        if (tells_no_flow) forgive_partings(plan, result);
        if (result.by_calls && (tells_no_flow || flows != nullptr))
            forgive_calls(tells_no_flow ? nullptr : flows, plan, result);
    }
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
        judge_results_alone(flows.plan(), result);
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
