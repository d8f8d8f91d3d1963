#include <fmt/format.h>

#include "compare/csv_line.h"
#include "compare/report/report.h"

namespace npuscope::compare {

namespace {

std::string number(double value) {
    return value != value ? "nan" : fmt::format("{:.9g}", value);
}

/// One line per tensor; an op of one side has one line without a tensor.
std::string write(const Result& result, const ReportOptions&) {
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
    const size_t columns = cells.size();
    std::string text = csv_line(cells);
    for (const OpResult& op : result.ops) {
        if (op.tensors.empty()) {
            cells = {std::to_string(op.seqid), op.target, op.golden, op.node, op.match, "", "", ""};
            cells.emplace_back(name_of(op.judgement.verdict));
            cells.push_back(op.judgement.rule);
            cells.resize(columns);
            text += csv_line(cells);
        }
        for (const TensorResult& tensor : op.tensors) {
            cells = {std::to_string(op.seqid),
                     tensor.target,
                     tensor.golden,
                     op.node,
                     op.match,
                     std::string(dumpfile::name_of(tensor.direction)),
                     tensor.dtype,
                     to_string(tensor.shape),
                     std::string(name_of(tensor.judgement.verdict)),
                     tensor.judgement.rule,
                     tensor.bound};
            for (const double value : tensor.metrics)
                cells.push_back(number(value));
            for (const custom_algorithms::Outcome& outcome : tensor.custom) {
                cells.push_back(outcome.value);
                cells.push_back(outcome.reason);
            }
            cells.resize(columns);
            text += csv_line(cells);
        }
    }
    return text;
}

}  // namespace

extern const Report k_csv_report;
const Report k_csv_report = {.name = "csv",
                             .file_name = "result.csv",
                             .summary = "one line per tensor with all metrics",
                             .write = write};

}  // namespace npuscope::compare
