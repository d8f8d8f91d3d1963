#include <nlohmann/json.hpp>

#include "compare/report/beside_json.h"
#include "core/base/json_value.h"
#include "core/base/version.h"
#include "diagnose/check/check_report.h"

namespace npuscope::diagnose {

namespace {

using nlohmann::json;

json tensor_json(const compare::TensorResult& tensor, bool with_standard) {
    json metrics = json::object();
    for (size_t i = 0; i < tensor.metrics.size(); ++i)
        metrics[std::string(compare::all_metrics()[i]->name)] = number_json(tensor.metrics[i]);
    json found = {{"target", tensor.target},
                  {"golden", tensor.golden},
                  {"dtype", tensor.dtype},
                  {"shape", to_string(tensor.shape)},
                  {"verdict", name_of(tensor.judgement.verdict)},
                  {"rule", tensor.judgement.rule},
                  {"metrics", metrics}};
    if (with_standard) found["standard"] = compare::standard_json(tensor.standard);
    return found;
}

json kernel_json(const MappedKernel& kernel) {
    return {{"type", kernel.type},
            {"change", kernel.change},
            {"status", kernel.status},
            {"overflow", kernel.overflow},
            {"verdict", kernel.verdict_name()},
            {"rule", kernel.rule()},
            {"introduced", number_json(kernel.introduced())},
            {"total", number_json(kernel.total())},
            {"files", kernel.files}};
}

json op_json(const OpFinding& op, bool with_standard) {
    json kernel_rows = json::array();
    for (const MappedKernel& kernel : op.kernel_rows)
        kernel_rows.push_back(kernel_json(kernel));
    json tensors = json::array();
    for (const compare::TensorResult& tensor : op.tensors)
        tensors.push_back(tensor_json(tensor, with_standard));
    return {{"path", op.id.path()},
            {"node", op.node},
            {"verdict", op.verdict_name()},
            {"rule", op.rule()},
            {"compute_type", name_of(op.compute_type)},
            {"kernels", op.kernels},
            {"introduced", number_json(op.introduced)},
            {"ratio", number_json(op.ratio)},
            {"arithmetic", op.arithmetic},
            {"free_fault", op.free_fault},
            {"inherited", number_json(op.inherited)},
            {"free", number_json(op.free_error)},
            {"overflow", name_of(op.overflow)},
            {"overflow_note", op.overflow_note},
            {"tensors", tensors},
            {"kernel_rows", kernel_rows},
            {"first_kernel", op.first_kernel ? json(*op.first_kernel) : json(nullptr)},
            {"kernel_folder", op.kernel_folder.empty() ? json(nullptr) : json(op.kernel_folder)}};
}

json culprit_json(const CheckReport& report) {
    if (!report.first_culprit) return nullptr;
    return {{"path", report.ops[*report.first_culprit].id.path()},
            {"node", report.ops[*report.first_culprit].node},
            {"why",
             {{"fingerprint", report.why.fingerprint},
              {"confidence", report.why.confidence},
              {"evidence", report.why.evidence}}},
            {"next", report.next}};
}

}  // namespace

std::string to_json(const CheckReport& report, const compare::Gate* gate) {
    json root = {{"version", 2},
                 {"npuscope", kVersion},
                 {"verdict",
                  gate != nullptr && gate->exit_code == 0 ? std::string("pass")
                                                          : std::string(name_of(report.verdict))},
                 {"headline", report.headline},
                 {"model", report.model},
                 {"device", report.device},
                 {"golden", report.golden},
                 {"inputs", report.inputs},
                 {"first_culprit", culprit_json(report)},
                 {"counts",
                  {{"compared", report.compared},
                   {"passed", report.passed},
                   {"failed", report.failed},
                   {"not_judged", report.not_judged},
                   {"overflow_introduced", report.overflow_introduced},
                   {"overflow_received", report.overflow_received}}},
                 {"given", {{"differ", report.given_differ}, {"first", report.given}}},
                 {"program", report.program},
                 {"arithmetic", report.arithmetic},
                 {"bad_inputs", report.bad_inputs},
                 {"remarks", report.remarks},
                 {"dumps",
                  {{"golden", report.golden_dump.string()},
                   {"free", report.free_dump.string()},
                   {"isolated", report.isolated_dump.string()}}}};
    root["options"] = json::object();
    for (const auto& [key, value] : report.options)
        root["options"][key] = value;
    root["outputs"] = json::array();
    for (const OutputDifference& output : report.outputs)
        root["outputs"].push_back({{"name", output.name},
                                   {"max_abs", number_json(output.max_abs)},
                                   {"relative", number_json(output.relative)},
                                   {"incomparable", output.incomparable}});
    root["changed_predictions"] =
        report.changed ? json({{"changed", *report.changed}, {"samples", report.samples}})
                       : json(nullptr);
    root["overflow"] = json::array();
    root["ops"] = json::array();
    for (const OpFinding& op : report.ops) {
        root["ops"].push_back(op_json(op, report.standard.has_value()));
        if (op.overflow != OverflowRole::kNone)
            root["overflow"].push_back({{"path", op.id.path()},
                                        {"node", op.node},
                                        {"kind", name_of(op.overflow)},
                                        {"note", op.overflow_note}});
    }
    const compare::Result result = as_comparison(report);
    root["culprits"] = compare::findings_json(result);
    if (report.standard) root["standard"] = compare::summary_json(*report.standard, result);
    if (gate != nullptr) root["gate"] = compare::gate_json(*gate);
    if (report.ignored_tensors > 0) {
        root["counts"]["ignored_tensors"] = report.ignored_tensors;
        root["counts"]["ignored_elements"] = report.ignored_elements;
    }
    return json_text(root, 2) + "\n";
}

}  // namespace npuscope::diagnose
