#include "compare/report/terminal/findings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/report/accused.h"
#include "compare/report/terminal/layout.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

/// With the first culprit.
constexpr size_t kMostFindings = 20;
/// Mean error over its standard error: more has a cause.
constexpr double kLeans = 8;
/// A slope nearer to 1 is not told.
constexpr double kSlopeTold = 1e-3;

struct FindingLine {
    std::string text;
    std::string brief{};   ///< the same in fewer words; "" where there are none
    std::string effect{};  ///< what it does to the last outputs, where findings are ranked by that
    Verdict verdict = Verdict::kFail;
    std::string label{};  ///< what stands before what is the same of findings that are alike
    std::string kind{};   ///< of those: the same; "" of a finding that is like no other
    size_t like = 0;      ///< findings like it that are not shown
};

/// Of several that are alike (an optimizer's number, parameter by parameter) the first, with how
/// many there are.
std::vector<FindingLine> with_likes(std::vector<FindingLine> lines) {
    std::vector<FindingLine> shown;
    for (FindingLine& line : lines) {
        const auto like = std::ranges::find_if(shown, [&](const FindingLine& other) {
            return !line.kind.empty() && other.kind == line.kind;
        });
        if (like == shown.end())
            shown.push_back(std::move(line));
        else
            ++like->like;
    }
    for (FindingLine& line : shown) {
        std::string& text = line.brief.empty() ? line.text : line.brief;
        if (line.like > 0 && text.starts_with(line.label))
            text.insert(line.label.size(), fmt::format(" and {} like it", line.like));
    }
    return shown;
}

/// How the ops before and behind it fared: "16 of 16 ops before it are honest".
std::string order_text(const Result& result, size_t place) {
    int64_t before = 0;
    int64_t unjudged = 0;
    int64_t received = 0;
    for (size_t i = 0; i < result.ops.size(); ++i) {
        const OpResult& op = result.ops[i];
        if (!op.is_pair()) continue;
        const Verdict verdict = op.judgement.verdict;
        if (i < place) {
            ++before;
            unjudged += verdict == Verdict::kNotProvable || verdict == Verdict::kUndefined ? 1 : 0;
        } else if (i > place && verdict == Verdict::kInherited) {
            ++received;
        }
    }
    std::string text = before == 0   ? "no op runs before it"
                       : before == 1 ? "the op before it is not at fault"
                                     : fmt::format("{} ops before it, none at fault", before);
    if (unjudged > 0) text += fmt::format(" as far as known ({} not judged)", unjudged);
    if (received > 0)
        text += fmt::format("; inherited by {} op{} behind it", received, received == 1 ? "" : "s");
    return text;
}

bool are_ranked(const Result& result) {
    return result.culprits.size() > 1 && result.culprits.front().effect.has_value();
}

/// What the first culprit does to the last outputs and gradients, of several.
std::string effect_text(const Culprit& culprit) {
    if (culprit.effect_on.empty())
        return "none at the last outputs and gradients that both sides have";
    return fmt::format("{:.2g} of max|g| at {}, the most at a last output or gradient",
                       *culprit.effect,
                       printable(culprit.effect_on));
}

std::string field(const std::string& name, const std::string& text) {
    return wrapped(name + ": " + text, 2, 4);
}

std::string number_text(double value) {
    return fmt::format("{:.7g}", value);
}

/// A table of the worst elements.
std::string worst_text(const AccusedResult& accused) {
    std::vector<std::vector<std::string>> rows = {{"at", "recorded", "expected", "allowed"}};
    for (const ErrorElement& element : accused.error->worst)
        rows.push_back({place_of_element(element.index, accused.tensor->shape),
                        number_text(element.recorded),
                        number_text(element.expected),
                        fmt::format("{:.3g}", element.allowed)});
    std::vector<size_t> widths(rows.front().size());
    for (const auto& row : rows)
        for (size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    std::string text;
    for (const auto& row : rows) {
        std::string line = "   ";
        for (size_t i = 0; i < row.size(); ++i)
            line += " " + padded(row[i], i + 1 == row.size() ? 0 : widths[i] + 1);
        text += line + "\n";
    }
    return text;
}

/// The sentence, without the elements that are listed below it.
std::string why_text(const Culprit& culprit, const OpResult& op, const AccusedResult& accused) {
    if (accused.error == nullptr || !accused.error->told.empty() ||
        culprit.why != op.judgement.rule)
        return printable(culprit.why);
    const std::string whose = culprit.kind == CulpritKind::kGolden ? "the golden's " : "its ";
    if (!std::isfinite(accused.error->ratio))
        return whose + "own arithmetic is at fault: no honest one gives this for these inputs";
    return whose + "own arithmetic is at fault: " +
           fmt::format("{:.3g} times the error that honest arithmetic makes of these inputs",
                       accused.error->ratio);
}

std::string elements_text(const AccusedResult& accused) {
    const Introduced& error = *accused.error;
    std::string text = fmt::format("{} of {} over what is allowed", error.over, error.numel);
    if (!error.where.empty()) text += ", " + error.where;
    if (std::abs(error.slope - 1) > kSlopeTold)
        text += fmt::format("; on the whole {:.4g} of the expected", error.slope);
    if (std::abs(error.lean) > kLeans)
        text += fmt::format("; they lean to one side ({:.2g} standard errors)", error.lean);
    return field("elements of " + printable(accused.tensor->argument), text) + worst_text(accused);
}

/// Ops with a finding that no culprit tells: an input beyond a given tolerance, say.
void add_untold(const Result& result, std::vector<FindingLine>& lines) {
    std::set<std::string> told;
    for (const Culprit& culprit : result.culprits)
        told.insert(result.ops[culprit.op].target + " " + result.ops[culprit.op].golden);
    for (const PartingResult& parting : result.partings) {
        for (const std::string& path : parting.only_target)
            told.insert(path + " ");
        for (const std::string& path : parting.only_golden)
            told.insert(" " + path);
    }
    for (const OpResult& op : result.ops) {
        if (told.contains(op.target + " " + op.golden)) continue;
        if (is_finding(op.judgement.verdict, result.allow_golden_at_fault)) {
            lines.push_back({.text = label_text(op) + ": " + printable(op.judgement.rule),
                             .verdict = op.judgement.verdict});
            continue;
        }
        const auto tensor = std::ranges::find_if(op.tensors, [&](const TensorResult& each) {
            return is_finding(each.judgement.verdict, result.allow_golden_at_fault);
        });
        if (tensor != op.tensors.end())
            lines.push_back({.text = label_text(op) + ": " +
                                     std::string(dumpfile::name_of(tensor->direction)) + " " +
                                     printable(tensor->argument + ": " + tensor->judgement.rule),
                             .verdict = tensor->judgement.verdict});
    }
}

/// Sentences about a tensor name the op, and where it stands.
std::string sentence_text(const Culprit& culprit, const OpResult& op) {
    std::string why = printable(culprit.why);
    if (culprit.kind == CulpritKind::kTensor || culprit.kind == CulpritKind::kArithmetic)
        return why;
    if (culprit.kind == CulpritKind::kProgram)
        return (culprit.behind ? "behind " : "") +
               printable(op.target.empty() ? op.golden : op.target) + ": " + why;
    return label_text(culprit, op) + ": " + why;
}

std::string brief_text(const Culprit& culprit, const OpResult& op) {
    constexpr std::string_view kParting = "the programs part here: ";
    if (culprit.kind == CulpritKind::kProgram && culprit.why.starts_with(kParting))
        return (culprit.behind ? "behind " : "") + label_text(op) + ": " +
               printable(culprit.why.substr(kParting.size()));
    const AccusedResult accused = accused_result(culprit, op);
    if (accused.error == nullptr) return {};
    const Introduced& error = *accused.error;
    if (!error.told.empty()) return label_text(culprit, op) + ": " + printable(error.told);
    std::string text =
        fmt::format("{}: {} of {} elements over", label_text(culprit, op), error.over, error.numel);
    if (std::isfinite(error.ratio)) text += fmt::format(", {:.3g} times too far", error.ratio);
    if (!error.where.empty()) text += ", " + error.where;
    return text;
}

std::vector<FindingLine> other_findings(const Result& result) {
    std::vector<FindingLine> lines;
    const bool ranked = are_ranked(result);
    for (size_t i = 1; i < result.culprits.size(); ++i) {
        const Culprit& culprit = result.culprits[i];
        const OpResult& op = result.ops[culprit.op];
        const Verdict verdict = op.judgement.verdict;
        lines.push_back(
            {.text = sentence_text(culprit, op),
             .brief = brief_text(culprit, op),
             .effect = ranked ? fmt::format("{:.2g}", culprit.effect.value_or(0)) : "",
             .verdict = is_finding(verdict) ? verdict : Verdict::kFail,
             .label = label_text(culprit, op),
             .kind = culprit.kind == CulpritKind::kArgument ? op.id.op + " " + culprit.why : ""});
    }
    add_untold(result, lines);
    return lines;
}

}  // namespace

std::string first_culprit_text(const Result& result, const ReportOptions& options) {
    if (result.culprits.empty()) return {};
    const Culprit& culprit = result.culprits.front();
    const OpResult& op = result.ops[culprit.op];
    const std::string what =
        (culprit.kind == CulpritKind::kArithmetic ? "arithmetic of the target, from "
         : culprit.behind                         ? "behind "
                                                  : "") +
        label_text(culprit, op);
    std::string text = wrapped("first culprit: " + in_color(options, kRed, what), 0, 2);
    const AccusedResult accused = accused_result(culprit, op);
    text += wrapped(why_text(culprit, op, accused), 2, 4);
    if (culprit.kind != CulpritKind::kArithmetic)
        text += field("order", order_text(result, culprit.op));
    if (are_ranked(result)) text += field("effect", effect_text(culprit));
    if (accused.error != nullptr && accused.error->formula != "equal")
        text +=
            field("held to", accused.error->arithmetic + "; allowed is " + accused.error->formula);
    if (accused.error != nullptr && accused.error->formula == "equal")
        text += field("held to", "whole numbers, which must be equal");
    if (!op.arguments.empty() && culprit.kind != CulpritKind::kArithmetic)
        text += field("arguments", printable(to_text(op.arguments)));
    if (accused.error != nullptr && !accused.error->worst.empty()) text += elements_text(accused);
    const std::string next = next_command(culprit, op, options);
    if (!next.empty()) text += wrapped("next: " + in_color(options, kBold, next), 2, 4);
    return text;
}

std::string other_findings_text(const Result& result, const ReportOptions& options) {
    std::vector<FindingLine> lines = other_findings(result);
    if (lines.empty()) return {};
    if (options.worst_first)
        std::ranges::stable_sort(lines, std::ranges::greater{}, &FindingLine::verdict);
    if (!options.all_ops) lines = with_likes(std::move(lines));
    const size_t first = result.culprits.empty() ? 0 : 1;
    const size_t most = options.all_ops ? lines.size() : kMostFindings - first;
    std::string text = first == 0           ? "findings:\n"
                       : are_ranked(result) ? "other findings, by what they do to the last outputs "
                                              "and gradients (of max|g|):\n"
                                            : "other findings:\n";
    size_t width = 0;
    for (const FindingLine& line : lines)
        width = std::max(width, line.effect.size());
    const size_t indent = width == 0 ? 2 : width + 4;
    for (size_t i = 0; i < std::min(lines.size(), most); ++i) {
        const FindingLine& line = lines[i];
        const std::string& brief = line.brief.empty() ? line.text : line.brief;
        const std::string margin = width == 0 ? "" : padded(line.effect, width + 2);
        text += options.all_ops
                    ? wrapped(margin + line.text, 2, indent + 2)
                    : "  " + margin + shortened(brief, kTerminalColumns - indent) + "\n";
    }
    if (lines.size() > most) text += fmt::format("  {} more with -v\n", lines.size() - most);
    return text;
}

}  // namespace npuscope::compare
