#include "compare/report/terminal/beside.h"

#include <fmt/format.h>

#include "compare/report/accused.h"
#include "compare/report/terminal/layout.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

/// Disagreements that are told without being asked for all.
constexpr size_t kMostDisagreements = 5;

}  // namespace

std::string counted_ops(int64_t count) {
    return fmt::format("{} op{}", count, count == 1 ? "" : "s");
}

std::string standard_text(const Result& result, bool all) {
    if (!result.standard) return {};
    const StandardSummary& summary = *result.standard;
    std::string text =
        fmt::format("{}: {}", summary.name, summary.word.empty() ? "not judged" : summary.word);
    const char* separator = "; tensors: ";
    for (size_t i = 0; i < kStandardLevels; ++i) {
        if (summary.tensors[i] == 0) continue;
        text += fmt::format(
            "{}{} {}", separator, summary.tensors[i], name_of(static_cast<StandardLevel>(i)));
        separator = ", ";
    }
    if (!summary.first.empty()) text += "; first " + printable(summary.first);
    text = wrapped(text, 0, 2);
    for (const std::string& note : summary.notes)
        text += wrapped(note, 2, 4);
    const std::vector<StandardDisagreement>& other = summary.disagreements;
    if (!other.empty())
        text += fmt::format("  it is of another mind about {}:\n",
                            counted_ops(static_cast<int64_t>(other.size())));
    for (size_t i = 0; i < other.size(); ++i) {
        if (i == kMostDisagreements && !all) {
            text += fmt::format("  and {} more\n", other.size() - i);
            break;
        }
        text +=
            wrapped(label_text(result.ops[other[i].op]) + ": " + printable(other[i].text), 4, 6);
    }
    return text;
}

std::string gate_text(const Result& result) {
    if (!result.gate) return {};
    const Gate& gate = *result.gate;
    std::string text;
    for (const Finding& finding : gate.findings) {
        if (finding.status == FindingStatus::kCounts) continue;
        text +=
            wrapped(fmt::format("{}: {} {}{}",
                                name_of(finding.status),
                                finding.kind,
                                printable(finding.detail.empty() ? finding.path : finding.detail),
                                finding.because.empty() ? "" : ", " + printable(finding.because)),
                    2,
                    4);
    }
    for (const auto* list : {&gate.expired, &gate.unused})
        for (const std::string& line : *list)
            text += wrapped(printable(line), 2, 4);
    return fmt::format(
               "findings that count: {} of {}{}\n",
               gate.count(FindingStatus::kCounts) + gate.count(FindingStatus::kWorse) +
                   static_cast<int64_t>(gate.expired.size()),
               gate.findings.size() + gate.expired.size(),
               gate.gone > 0 ? fmt::format("; {} of the baseline are gone", gate.gone) : "") +
           text;
}

}  // namespace npuscope::compare
