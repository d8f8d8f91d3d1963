#include "compare/report/terminal/table.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "compare/report/terminal/layout.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

std::string metric_text(const TensorResult* tensor, const char* name, const char* format) {
    const int index = metric_index(name);
    if (tensor == nullptr || tensor->metrics.empty() || index < 0) return "-";
    const double value = tensor->metrics[static_cast<size_t>(index)];
    return value != value ? "-" : fmt::format(fmt::runtime(format), value);
}

/// The worst of its results: what the op itself added, over what honest arithmetic may add.
std::string own_text(const OpResult& op) {
    std::optional<double> worst;
    for (const TensorResult& tensor : op.tensors)
        if (tensor.split && tensor.split->target)
            worst = std::max(worst.value_or(0), tensor.split->target->ratio);
    return worst ? fmt::format("{:.2g}", *worst) : "-";
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
                 own_text(op),
                 metric_text(tensor, "cosine_similarity", "{:.6f}"),
                 metric_text(tensor, "max_absolute_error", "{:.3g}")};
    for (size_t i = 0; i < result.custom_names.size(); ++i)
        line.push_back(
            tensor == nullptr || tensor->custom.empty() ? "-" : printable(tensor->custom[i].value));
    return line;
}

/// What decided, where the op stands in the program, and what else differs.
std::string details_of(const OpResult& op) {
    std::string text = wrapped(printable(op.judgement.rule), 2, 4);
    if (op.overflow != dumpfile::OverflowRole::kNone)
        text += wrapped(
            "overflow " + std::string(name_of(op.overflow)) + ": " + printable(op.overflow_note),
            2,
            4);
    std::string place;
    for (const auto& [what, value] :
         {std::pair("node ", &op.node), {"module ", &op.module}, {"line ", &op.line}})
        if (!value->empty()) place += (place.empty() ? "" : ", ") + (what + printable(*value));
    const bool passes = op.judgement.verdict == Verdict::kPass && !introduced_overflow(op);
    if (!place.empty() && !passes) text += wrapped(place, 2, 4);
    if (!op.arguments.empty())
        text += wrapped("argument " + printable(to_text(op.arguments)), 2, 4);
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

}  // namespace

std::string ops_table(const Result& result, const ReportOptions& options) {
    const std::vector<const OpResult*> ops = chosen_ops(result, options);
    if (ops.empty()) return {};
    std::vector<Line> lines = {{"verdict", "target", "golden", "own", "cosine", "max|t-g|"}};
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

}  // namespace npuscope::compare
