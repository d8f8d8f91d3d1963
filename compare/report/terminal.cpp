#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compare/report/report.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

constexpr const char* kRed = "\x1b[31m";
constexpr const char* kYellow = "\x1b[33m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kPlain = "\x1b[0m";

const char* color_of(Verdict verdict) {
    if (is_finding(verdict)) return kRed;
    return verdict == Verdict::kPass ? kGreen : kYellow;
}

std::string in_color(const ReportOptions& options, const char* color, const std::string& text) {
    return options.color ? color + text + kPlain : text;
}

/// Code points, which is what a column's width is (names are rarely wider).
size_t width_of(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string padded(const std::string& text, size_t width) {
    const size_t used = width_of(text);
    return used >= width ? text : text + std::string(width - used, ' ');
}

std::string metric_text(const TensorResult* tensor, const char* name, const char* format) {
    const int index = metric_index(name);
    if (tensor == nullptr || tensor->metrics.empty() || index < 0) return "-";
    const double value = tensor->metrics[static_cast<size_t>(index)];
    return value != value ? "-" : fmt::format(fmt::runtime(format), value);
}

using Line = std::vector<std::string>;

bool introduced_overflow(const OpResult& op) {
    return op.overflow == dumpfile::OverflowRole::kIntroduced;
}

const char* color_of(const OpResult& op) {
    return introduced_overflow(op) ? kRed : color_of(op.judgement.verdict);
}

/// Custom algorithms' columns come last.
Line line_of(const OpResult& op, const Result& result) {
    const TensorResult* tensor = deciding_tensor(op);
    const bool same = !op.golden.empty() && op.golden == op.target;
    Line line = {introduced_overflow(op) ? "overflow" : std::string(name_of(op.judgement.verdict)),
                 printable(op.target.empty() ? "-" : op.target),
                 same                ? "same"
                 : op.golden.empty() ? "-"
                                     : printable(op.golden),
                 metric_text(tensor, "cosine_similarity", "{:.6f}"),
                 metric_text(tensor, "max_absolute_error", "{:.3g}")};
    for (size_t i = 0; i < result.custom_names.size(); ++i)
        line.push_back(
            tensor == nullptr || tensor->custom.empty() ? "-" : printable(tensor->custom[i].value));
    return line;
}

/// Below an op's line: words on lines of at most kWidth columns, where they are not longer.
std::string detail(const std::string& text) {
    constexpr size_t kWidth = 80;
    constexpr size_t kIndent = 2;
    constexpr size_t kContinued = 4;
    std::string lines;
    std::string line;
    size_t at = 0;
    while (at < text.size()) {
        const size_t space = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, space - at);
        const bool fits = width_of(line) + 1 + width_of(word) <= kWidth;
        if (!line.empty() && !fits) {
            lines += line + "\n";
            line.clear();
        }
        line += line.empty() ? std::string(lines.empty() ? kIndent : kContinued, ' ') + word
                             : " " + word;
        at = space + 1;
    }
    return lines + line + "\n";
}

/// What decided, where the op stands in the program, and what else differs.
std::string details_of(const OpResult& op) {
    std::string text = detail(printable(op.judgement.rule));
    if (op.overflow != dumpfile::OverflowRole::kNone)
        text += detail("overflow " + std::string(name_of(op.overflow)) + ": " +
                       printable(op.overflow_note));
    std::string place;
    for (const auto& [what, value] :
         {std::pair("node ", &op.node), {"module ", &op.module}, {"line ", &op.line}})
        if (!value->empty()) place += (place.empty() ? "" : ", ") + (what + printable(*value));
    const bool passes = op.judgement.verdict == Verdict::kPass && !introduced_overflow(op);
    if (!place.empty() && !passes) text += detail(place);
    if (!op.arguments.empty()) text += detail("argument " + printable(to_text(op.arguments)));
    return text;
}

double relative_error(const OpResult& op) {
    const TensorResult* tensor = deciding_tensor(op);
    return tensor == nullptr ? 0 : relative_error(*tensor);
}

/// What was not recorded is counted below the table.
bool is_not_recorded(const OpResult& op) {
    const TensorResult* tensor = deciding_tensor(op);
    return op.judgement.verdict == Verdict::kUndefined && tensor != nullptr &&
           tensor->missing_statistics > 0;
}

bool is_worth_a_line(const OpResult& op) {
    if (introduced_overflow(op)) return true;
    return op.judgement.verdict != Verdict::kPass && op.judgement.verdict != Verdict::kInherited &&
           !is_not_recorded(op);
}

Verdict severity_of(const OpResult& op) {
    return introduced_overflow(op) ? Verdict::kFail : op.judgement.verdict;
}

std::vector<const OpResult*> chosen_ops(const Result& result, const ReportOptions& options) {
    std::vector<const OpResult*> ops;
    for (const OpResult& op : result.ops)
        if (options.all_ops || is_worth_a_line(op)) ops.push_back(&op);
    if (options.worst_first)
        std::stable_sort(ops.begin(), ops.end(), [](const OpResult* a, const OpResult* b) {
            if (severity_of(*a) != severity_of(*b)) return severity_of(*a) > severity_of(*b);
            return relative_error(*a) > relative_error(*b);
        });
    return ops;
}

std::string table(const std::vector<const OpResult*>& ops,
                  const Result& result,
                  const ReportOptions& options) {
    std::vector<Line> lines = {{"verdict", "target", "golden", "cosine", "max|t-g|"}};
    lines[0].insert(lines[0].end(), result.custom_names.begin(), result.custom_names.end());
    const size_t columns = lines[0].size();
    for (const OpResult* op : ops)
        lines.push_back(line_of(*op, result));
    std::vector<size_t> widths(columns);
    for (const Line& line : lines)
        for (size_t i = 0; i < columns; ++i)
            widths[i] = std::max(widths[i], width_of(line[i]));
    std::string text;
    for (size_t row = 0; row < lines.size(); ++row) {
        for (size_t i = 0; i < columns; ++i) {
            const std::string cell =
                i + 1 == columns ? lines[row][i] : padded(lines[row][i], widths[i]) + "  ";
            text += row > 0 && i == 0 ? in_color(options, color_of(*ops[row - 1]), cell) : cell;
        }
        text += "\n";
        if (row > 0) text += details_of(*ops[row - 1]);
    }
    return text;
}

std::string summary(const Result& result, const ReportOptions& options) {
    const Counts& counts = result.counts;
    std::string text =
        fmt::format("{} ops compared, {} tensors measured", counts.ops, counts.tensors);
    const char* separator = ": ";
    for (size_t i = 0; i < kVerdicts; ++i) {
        const auto verdict = static_cast<Verdict>(i);
        if (counts.by_verdict[i] == 0) continue;
        text += separator;
        separator = ", ";
        text += fmt::format("{} {}",
                            counts.by_verdict[i],
                            in_color(options, color_of(verdict), std::string(name_of(verdict))));
    }
    if (counts.only_target > 0)
        text += fmt::format("; {} ops only in the target", counts.only_target);
    if (counts.only_golden > 0)
        text += fmt::format("; {} ops only in the golden", counts.only_golden);
    text += "\n";
    if (counts.not_recorded + counts.partly_recorded > 0)
        text += fmt::format(
            "not recorded on both sides: any statistic of {} tensors, some statistics of {}\n",
            counts.not_recorded,
            counts.partly_recorded);
    if (counts.overflow_introduced + counts.overflow_received > 0)
        text += fmt::format("overflow in the target only: {} ops introduced it, {} received it\n",
                            counts.overflow_introduced,
                            counts.overflow_received);
    return text;
}

std::string label_of(const OpResult& op) {
    return printable(op.target.empty() ? op.golden : op.target) + (op.node.empty() ? "" : " (" + printable(op.node) + ")");
}

/// Ops that the table leaves out may have been called with other arguments as well.
std::string unlisted_arguments(const Result& result, const std::vector<const OpResult*>& listed) {
    const std::set<const OpResult*> seen(listed.begin(), listed.end());
    int64_t count = 0;
    const OpResult* first = nullptr;
    for (const OpResult& op : result.ops) {
        if (op.arguments.empty() || seen.contains(&op)) continue;
        if (count++ == 0) first = &op;
    }
    if (first == nullptr) return {};
    return fmt::format("arguments differ in {} ops that are not listed, first {}: {}\n",
                       count,
                       label_of(*first),
                       printable(to_text(first->arguments)));
}

std::string first_line(const Result& result, const ReportOptions& options) {
    const Culprit& culprit = result.culprits.front();
    const OpResult& op = result.ops[culprit.op];
    return "first culprit: " + in_color(options, kRed, label_of(op)) + ", " +
           printable(culprit.why) + "\n";
}

std::string terminal_text(const Result& result, const ReportOptions& options) {
    std::string text = printable(options.target) + " against " + printable(options.golden) +
                       (result.load_mode ? ", matched by seqid (load mode)" : "") + "\n";
    const std::vector<const OpResult*> ops = chosen_ops(result, options);
    if (!ops.empty()) text += "\n" + table(ops, result, options) + "\n";
    text += summary(result, options);
    text += unlisted_arguments(result, ops);
    if (!result.culprits.empty()) text += first_line(result, options);
    const int code = result.exit_code();
    const char* color = code == 0 ? kGreen : kRed;
    text += "verdict: " + in_color(options, color, std::string(overall_verdict(result))) + "\n";
    return text;
}

}  // namespace

const Report k_terminal_report = {.name = "terminal",
                                  .file_name = "",
                                  .summary = "an aligned table of what does not pass",
                                  .write = terminal_text};

}  // namespace npuscope::compare
