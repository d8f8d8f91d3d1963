// Markdown for a build's summary: verdict, findings, counts.
#include <algorithm>

#include <fmt/format.h>

#include "compare/ci/ci_report.h"
#include "compare/report/accused.h"
#include "compare/report/judged.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

constexpr size_t kMostFindings = 50;

/// In a cell of a table.
std::string cell_text(const std::string& text) {
    std::string safe;
    for (const char sign : printable(text)) {
        if (std::string_view("\\`*_{}[]<>#|").find(sign) != std::string_view::npos) safe += '\\';
        safe += sign;
    }
    return safe;
}

std::string findings_table(const Gate& gate, const Result& result) {
    if (gate.findings.empty()) return {};
    std::string text = "\n| | finding | where | why |\n|---|---|---|---|\n";
    size_t row = 0;
    for (const Finding& finding : gate.findings) {
        if (row++ == kMostFindings) {
            text += fmt::format("\nand {} more\n", gate.findings.size() - kMostFindings);
            break;
        }
        const std::string why =
            finding.why + (finding.because.empty() ? "" : " (" + finding.because + ")");
        text += fmt::format("| {} | {} {} | {} | {} |\n",
                            name_of(finding.status),
                            cell_text(finding.kind),
                            cell_text(finding.detail.empty() ? finding.path : finding.detail),
                            cell_text(place_text(result.ops[finding.op])),
                            cell_text(why));
    }
    return text;
}

std::string list_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += "- " + cell_text(line) + "\n";
    return text.empty() ? text : "\n" + text;
}

std::string markdown_section(const CiRun& run) {
    std::string text = "## " + cell_text(run.name) + "\n\n";
    if (run.result == nullptr) return text + "**not compared**: " + cell_text(run.problem) + "\n";
    const Gate gate = gate_or_all(*run.result);
    const Judged judged = judged_ops(*run.result);
    text += fmt::format("**{}**: {} ops compared, {} judged; findings: {} count",
                        gated_verdict(*run.result),
                        judged.of,
                        judged.ops,
                        gate.count(FindingStatus::kCounts) + gate.count(FindingStatus::kWorse));
    if (gate.has_baseline)
        text += fmt::format(" ({} got worse), {} known, {} gone",
                            gate.count(FindingStatus::kWorse),
                            gate.count(FindingStatus::kKnown),
                            gate.gone);
    if (const int64_t waived = gate.count(FindingStatus::kWaived); waived > 0)
        text += fmt::format(", {} waived", waived);
    text += "\n" + findings_table(gate, *run.result) + list_of(gate.expired) + list_of(gate.unused);
    if (run.result->standard)
        text += fmt::format("\n{}: {}\n",
                            cell_text(run.result->standard->name),
                            cell_text(run.result->standard->word));
    return text;
}

std::string markdown_document(const std::vector<std::string>& parts) {
    std::string text = "# npuscope\n";
    for (const std::string& part : parts)
        text += "\n" + part;
    return text;
}

}  // namespace

const CiReport k_markdown_ci_report = {
    .name = "markdown",
    .summary = "Markdown, for a build's summary",
    .part = markdown_section,
    .whole = markdown_document,
};

}  // namespace npuscope::compare
