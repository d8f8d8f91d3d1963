#include "diagnose/check/check_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/base/shell_word.h"
#include "diagnose/check/explanation.h"
#include "diagnose/report/number_text.h"

namespace npuscope::diagnose {

namespace {

void count(CheckReport& report) {
    double most = 0;
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
        if (op.introduced && op.ratio && !(*op.introduced <= most)) {
            most = *op.introduced;
            report.worst = i;
        }
    }
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
    if (op.is(compare::Verdict::kGoldenAtFault))
        return fmt::format("{}: the golden is at fault: {}", label_of(op), op.rule());
    return fmt::format(
        "{} is the first op beyond what its arithmetic explains: {}", label_of(op), op.rule());
}

/// The free run is not the golden's program, or was not given the golden's tensors.
std::string program_headline(const CheckReport& report) {
    const std::string more =
        report.program.size() > 1 ? fmt::format(" (and {} more)", report.program.size() - 1) : "";
    return "in the free run, " + report.program.front() + more;
}

std::string pass_headline(const CheckReport& report) {
    std::string text =
        fmt::format("all {} judged ops keep what their arithmetic promises and none overflows",
                    report.compared);
    if (report.worst) text += "; " + label_of(report.ops[*report.worst]) + " differs most";
    return text;
}

/// Ops that are honest, but whose arithmetic does not suit these values.
std::string coarse_remark(const CheckReport& report) {
    const OpFinding* first = nullptr;
    int64_t coarse = 0;
    for (const OpFinding& op : report.ops) {
        if (!op.coarse || !op.passes()) continue;
        if (first == nullptr) first = &op;
        ++coarse;
    }
    if (first == nullptr) return {};
    return fmt::format(
        "{} op{} off by more than {} results usually are, although the arithmetic is honest: the "
        "values are too small, or cancel; first {}, by {} of its largest value",
        coarse,
        coarse == 1 ? " is" : "s are",
        name_of(first->compute_type),
        label_of(*first),
        percent_text(first->introduced));
}

/// The first that applies names the verdict and the reason.
void judge(CheckReport& report) {
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
    } else if (!report.program.empty()) {
        report.headline = program_headline(report);
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
        report.next = "npuscope inspect " + shell_word(report.free_dump.string()) + " " +
                      shell_word(report.ops[*subject].id.path());
    for (size_t i = 1; i < report.given.size(); ++i)
        report.remarks.push_back(report.given[i]);
    for (const std::string& sentence : report.program)
        if (report.headline.find(sentence) == std::string::npos && report.given.empty())
            report.remarks.push_back("in the free run, " + sentence);
    if (const std::string remark = coarse_remark(report); !remark.empty())
        report.remarks.push_back(remark);
    if (report.not_judged > 0)
        report.remarks.push_back(
            fmt::format("{} of {} ops were not judged (constant, empty, missing or incomparable "
                        "results); the table says which",
                        report.not_judged,
                        report.ops.size()));
}

}  // namespace npuscope::diagnose
