#include "diagnose/check/check_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/printable.h"
#include "diagnose/check/explanation.h"
#include "diagnose/report/number_text.h"

namespace npuscope::diagnose {

namespace {

/// How much further off than the sum of what the ops add an output may be. Ops amplify what comes
/// in (a difference of large numbers, a steep activation); ten is what inheritance allows one op.
constexpr double kMostAmplification = 10;

void count(CheckReport& report) {
    double worst_ratio = -1;
    for (size_t i = 0; i < report.ops.size(); ++i) {
        const OpFinding& op = report.ops[i];
        const bool judged = op.passes() || op.fails();
        report.compared += judged ? 1 : 0;
        report.passed += op.passes() ? 1 : 0;
        report.failed += op.fails() ? 1 : 0;
        report.not_judged += judged ? 0 : 1;
        report.overflow_introduced += op.overflow == OverflowRole::kIntroduced ? 1 : 0;
        report.overflow_received += op.overflow == OverflowRole::kReceived ? 1 : 0;
        const bool culprit = op.fails() || op.overflow == OverflowRole::kIntroduced;
        if (culprit && !report.first_culprit) report.first_culprit = i;
        if (op.introduced && op.tolerance > 0 && !(*op.introduced / op.tolerance <= worst_ratio)) {
            worst_ratio = *op.introduced / op.tolerance;
            report.worst = i;
        }
    }
}

/// What the ops' own errors may add up to at an output.
double explained_error(const CheckReport& report) {
    double sum = 0;
    double widest = 0;
    for (const OpFinding& op : report.ops) {
        if (op.introduced && std::isfinite(*op.introduced)) sum += *op.introduced;
        widest = std::max(widest, op.tolerance);
    }
    return std::max(kMostAmplification * sum, widest);
}

/// An integer output (a class, a place) jumps where two candidates are close: it is shown only.
const OutputDifference* unexplained_output(const CheckReport& report) {
    const double limit = explained_error(report);
    const auto found = std::ranges::find_if(report.outputs, [&](const OutputDifference& output) {
        return output.incomparable.empty() && output.is_float && !(output.relative <= limit);
    });
    return found == report.outputs.end() ? nullptr : &*found;
}

/// Why too little was judged; "" when enough was.
std::string undecided(const CheckReport& report) {
    const auto all = static_cast<int64_t>(report.ops.size());
    if (2 * report.compared < all)
        return fmt::format("only {} of {} ops could be judged", report.compared, all);
    const bool output = std::ranges::any_of(report.outputs, [](const OutputDifference& difference) {
        return difference.incomparable.empty();
    });
    if (!output) return "no output of the model could be judged";
    return {};
}

std::string label_of(const OpFinding& op) {
    return op.id.path() + (op.node.empty() ? "" : " (" + op.node + ")");
}

std::string culprit_headline(const CheckReport& report) {
    const OpFinding& op = report.ops[*report.first_culprit];
    if (op.overflow == OverflowRole::kIntroduced)
        return fmt::format("{} is the first op that overflows; {} op{} only received it",
                           label_of(op),
                           report.overflow_received,
                           report.overflow_received == 1 ? "" : "s");
    return fmt::format("{} is the first op over its tolerance: {}", label_of(op), op.rule());
}

std::string output_headline(const CheckReport& report, const OutputDifference& output) {
    return fmt::format(
        "output {} is off by {} of its largest value, although each op alone is within its "
        "tolerance: their errors explain {} at most",
        printable(output.name),
        percent_text(output.relative),
        percent_text(explained_error(report)));
}

std::string pass_headline(const CheckReport& report) {
    std::string text =
        fmt::format("all {} judged ops are within tolerance and none overflows", report.compared);
    if (report.worst) text += "; " + label_of(report.ops[*report.worst]) + " differs most";
    return text;
}

/// The first that applies names the verdict and the reason.
void judge(CheckReport& report) {
    const OutputDifference* output = unexplained_output(report);
    const std::string why_undecided = undecided(report);
    report.verdict = CheckVerdict::kFail;
    if (!report.bad_inputs.empty()) {
        report.headline = report.bad_inputs.front();
    } else if (!report.given.empty()) {
        report.headline = report.given.front();
        if (report.given_differ > 1)
            report.headline += fmt::format(" (and {} more)", report.given_differ - 1);
    } else if (report.first_culprit) {
        report.headline = culprit_headline(report);
    } else if (!why_undecided.empty()) {
        report.verdict = CheckVerdict::kUndecided;
        report.headline = why_undecided + ": this says neither pass nor fail";
    } else if (output != nullptr) {
        report.headline = output_headline(report, *output);
    } else {
        report.verdict = CheckVerdict::kPass;
        report.headline = pass_headline(report);
    }
}

Explanation explain_given(const std::string& fingerprint, const std::string& evidence) {
    return {.fingerprint = fingerprint, .confidence = 1, .evidence = evidence};
}

}  // namespace

std::string_view name_of(CheckVerdict verdict) {
    constexpr std::array<std::string_view, 3> kNames = {"pass", "fail", "undecided"};
    return kNames[static_cast<size_t>(verdict)];
}

std::string_view OpFinding::status() const {
    if (overflow == OverflowRole::kIntroduced) return "overflow";
    return passes() && overflow == OverflowRole::kReceived ? "received" : verdict_name();
}

void conclude(CheckReport& report, const dumpfile::Reader& golden, bool kept) {
    count(report);
    judge(report);
    const auto subject = report.first_culprit ? report.first_culprit : report.worst;
    if (!report.bad_inputs.empty()) {
        report.why = explain_given("nan-input", "what NaN reaches is NaN on both sides");
    } else if (!report.given.empty()) {
        report.why = explain_given(
            "other-weights",
            "no op computed this tensor, and the golden's is another: the two runs are not of "
            "one model with one input");
    } else if (subject && report.verdict != CheckVerdict::kUndecided) {
        report.why = explain(report.ops[*subject], golden);
    }
    if (subject && kept)
        report.next =
            "npuscope inspect " + report.free_dump.string() + " " + report.ops[*subject].id.path();
    for (size_t i = 1; i < report.given.size(); ++i)
        report.remarks.push_back(report.given[i]);
    if (report.not_judged > 0)
        report.remarks.push_back(
            fmt::format("{} of {} ops were not judged (constant, empty, missing or incomparable "
                        "results); the table says which",
                        report.not_judged,
                        report.ops.size()));
}

}  // namespace npuscope::diagnose
