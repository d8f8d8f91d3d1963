#include "compare/gate/gate.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "compare/compare.h"
#include "compare/gate/baseline.h"
#include "compare/gate/waivers.h"
#include "compare/report/accused.h"

namespace npuscope::compare {

namespace {

const std::string& path_of_op(const OpResult& op) {
    return op.target.empty() ? op.golden : op.target;
}

Finding finding_of(const Culprit& culprit, const OpResult& op) {
    Finding finding{
        .kind = std::string(name_of(culprit.kind)),
        .op = culprit.op,
        .path = path_of_op(op),
        .detail = culprit.tensor.empty() ? accused_argument(culprit, op) : culprit.tensor,
        .why = culprit.why};
    if (const AccusedResult worst = accused_result(culprit, op); worst.error != nullptr)
        finding.ratio = worst.error->ratio;
    return finding;
}

/// Whether it got worse; says how much.
bool got_worse(const Finding& finding, const Baseline::Known& before, std::string& because) {
    if (!finding.ratio || !before.ratio || !(*finding.ratio > kWorseTimes * *before.ratio))
        return false;
    because = fmt::format(
        "{:.3g} of what is allowed, {:.3g} in the baseline", *finding.ratio, *before.ratio);
    return true;
}

void compare_with(const Baseline& baseline, Gate& gate) {
    for (Finding& finding : gate.findings) {
        const Baseline::Known* before = baseline.known(finding);
        if (before == nullptr) continue;
        finding.is_known = true;
        finding.status = got_worse(finding, *before, finding.because) ? FindingStatus::kWorse
                                                                      : FindingStatus::kKnown;
    }
    gate.has_baseline = true;
    gate.gone = baseline.gone(gate.findings);
}

void waive(const Waivers& waivers, const Result& result, Gate& gate) {
    for (const Waiver& waiver : waivers.rows()) {
        if (waivers.is_expired(waiver)) {
            gate.expired.push_back(waiver.told() + " has expired");
            continue;
        }
        bool used = false;
        for (Finding& finding : gate.findings) {
            if (!waiver.covers(finding, result.ops[finding.op].module)) continue;
            used = true;
            if (finding.status == FindingStatus::kWaived) continue;
            finding.status = FindingStatus::kWaived;
            finding.because = waiver.told();
        }
        if (!used) gate.unused.push_back(waiver.told() + " meets no finding");
    }
}

}  // namespace

std::string_view name_of(FindingStatus status) {
    static constexpr std::array<std::string_view, 4> kNames = {
        "counts", "worse", "known", "waived"};
    return kNames[static_cast<size_t>(status)];
}

int64_t Gate::count(FindingStatus status) const {
    return std::ranges::count(findings, status, &Finding::status);
}

std::vector<Finding> findings_of(const Result& result) {
    std::vector<Finding> findings;
    std::set<size_t> told;
    for (const Culprit& culprit : result.culprits) {
        findings.push_back(finding_of(culprit, result.ops[culprit.op]));
        told.insert(culprit.op);
    }
    // A parting is one finding for all of its ops.
    std::set<std::string> parted;
    for (const PartingResult& parting : result.partings)
        for (const auto* side : {&parting.only_target, &parting.only_golden})
            parted.insert(side->begin(), side->end());
    for (size_t i = 0; i < result.ops.size(); ++i) {
        const OpResult& op = result.ops[i];
        if (told.contains(i) || parted.contains(path_of_op(op))) continue;
        for (const TensorResult& tensor : op.tensors) {
            if (!is_finding(tensor.judgement.verdict, result.allow_golden_at_fault)) continue;
            findings.push_back({.kind = std::string(name_of(tensor.judgement.verdict)),
                                .op = i,
                                .path = path_of_op(op),
                                .detail = tensor.target.empty() ? tensor.golden : tensor.target,
                                .why = tensor.judgement.rule});
        }
    }
    return findings;
}

Gate gate_of(const Result& result, const Waivers* waivers, const Baseline* baseline) {
    Gate gate{.findings = findings_of(result)};
    if (baseline != nullptr) compare_with(*baseline, gate);
    if (waivers != nullptr) waive(*waivers, result, gate);
    gate.exit_code = result.exit_code();
    const bool counts = gate.count(FindingStatus::kCounts) + gate.count(FindingStatus::kWorse) > 0;
    if (gate.exit_code == 1 && !counts && !gate.findings.empty())
        gate.exit_code = 2 * result.counts.not_provable > result.counts.ops ? 2 : 0;
    if (!gate.expired.empty() && gate.exit_code == 0) gate.exit_code = 1;
    return gate;
}

}  // namespace npuscope::compare
