#include <fmt/format.h>

#include "compare/report/report.h"
#include "core/base/csv_line.h"

namespace npuscope::compare {

namespace {

std::string cell_of(double value) {
    return value != value ? "nan" : fmt::format("{:.9g}", value);
}

/// Columns of the standard that was asked for.
std::vector<std::string> standard_columns(const Result& result) {
    if (!result.standard) return {};
    const std::string& name = result.standard->name;
    return {name, name + ":level", name + ":why"};
}

/// What the dumps tell of the op, from column `first` on, how a tensor was paired, and what a
/// standard says.
void add_facts(const OpResult& op,
               const std::string& relation,
               const StandardVerdict* standard,
               size_t first,
               std::vector<std::string>& cells) {
    cells.resize(first);
    cells.insert(
        cells.end(),
        {op.module, op.line, to_text(op.arguments), std::string(name_of(op.overflow)), relation});
    if (standard != nullptr)
        cells.insert(cells.end(),
                     {standard->word, std::string(name_of(standard->level)), standard->why});
}

/// One line per tensor; an op of one side has one line without a tensor.
std::string csv_text(const Result& result, const ReportOptions&) {
    std::vector<std::string> cells = {"seqid",
                                      "target",
                                      "golden",
                                      "node",
                                      "match",
                                      "direction",
                                      "dtype",
                                      "shape",
                                      "verdict",
                                      "rule",
                                      "bound"};
    for (const Metric* metric : all_metrics())
        cells.emplace_back(metric->name);
    for (const std::string& name : result.custom_names) {
        cells.push_back("custom:" + name);
        cells.push_back("custom:" + name + ":reason");
    }
    // Behind the columns of earlier versions, so that these keep their places.
    const size_t measured = cells.size();
    cells.insert(cells.end(), {"module", "line", "arguments", "overflow", "relation"});
    for (std::string& column : standard_columns(result))
        cells.push_back(std::move(column));
    const bool has_standard = result.standard.has_value();
    std::string text = csv_line(cells);
    for (const OpResult& op : result.ops) {
        if (op.tensors.empty()) {
            cells = {
                std::to_string(op.id.seqid), op.target, op.golden, op.node, op.match, "", "", ""};
            cells.emplace_back(name_of(op.judgement.verdict));
            cells.push_back(op.judgement.rule);
            add_facts(op, "", has_standard ? &op.standard : nullptr, measured, cells);
            text += csv_line(cells);
        }
        for (const TensorResult& tensor : op.tensors) {
            cells = {std::to_string(op.id.seqid),
                     tensor.target,
                     tensor.golden,
                     op.node,
                     op.match,
                     std::string(dumpfile::name_of(tensor.direction)),
                     tensor.dtype,
                     to_string(tensor.shape),
                     std::string(name_of(tensor.judgement.verdict)),
                     tensor.judgement.rule,
                     tensor.judgement.bound.source};
            for (const double value : tensor.metrics)
                cells.push_back(cell_of(value));
            for (const custom_algorithms::Outcome& outcome : tensor.custom) {
                cells.push_back(outcome.value);
                cells.push_back(outcome.reason);
            }
            add_facts(
                op, tensor.relation, has_standard ? &tensor.standard : nullptr, measured, cells);
            text += csv_line(cells);
        }
    }
    return text;
}

}  // namespace

const Report k_csv_report = {.name = "csv",
                             .file_name = "result.csv",
                             .summary = "one line per tensor with all metrics",
                             .write = csv_text};

}  // namespace npuscope::compare
