#include <nlohmann/json.hpp>

#include "compare/report/report.h"
#include "core/base/json_value.h"
#include "core/base/version.h"

namespace npuscope::compare {

namespace {

using nlohmann::ordered_json;

ordered_json tensor_json(const TensorResult& tensor, const Result& result) {
    ordered_json json = {{"target", tensor.target},
                         {"golden", tensor.golden},
                         {"direction", dumpfile::name_of(tensor.direction)},
                         {"dtype", tensor.dtype},
                         {"shape", to_string(tensor.shape)},
                         {"verdict", name_of(tensor.judgement.verdict)},
                         {"rule", tensor.judgement.rule},
                         {"bound", tensor.judgement.bound.source},
                         {"metrics", ordered_json::object()}};
    for (size_t i = 0; i < tensor.metrics.size(); ++i)
        json["metrics"][std::string(all_metrics()[i]->name)] = number_json(tensor.metrics[i]);
    for (size_t i = 0; i < tensor.custom.size(); ++i)
        json["custom"][result.custom_names[i]] = {{"value", tensor.custom[i].value},
                                                  {"reason", tensor.custom[i].reason}};
    return json;
}

ordered_json arguments_json(const OpResult& op) {
    ordered_json list = ordered_json::array();
    for (const ArgumentDifference& each : op.arguments)
        list.push_back({{"name", each.name}, {"target", each.target}, {"golden", each.golden}});
    return list;
}

ordered_json op_json(const OpResult& op, const Result& result) {
    ordered_json json = {{"path", op.target.empty() ? op.golden : op.target},
                         {"golden", op.golden},
                         {"node", op.node},
                         {"module", op.module},
                         {"line", op.line},
                         {"arguments", arguments_json(op)},
                         {"match", op.match},
                         {"verdict", name_of(op.judgement.verdict)},
                         {"rule", op.judgement.rule},
                         {"inherited", number_json(worst_error(op, dumpfile::Direction::kInput))},
                         {"introduced", nullptr},  // needs an isolated run
                         {"error", number_json(worst_error(op, dumpfile::Direction::kOutput))},
                         {"overflow", name_of(op.overflow)},
                         {"overflow_note", op.overflow_note},
                         {"tensors", ordered_json::array()}};
    for (const TensorResult& tensor : op.tensors)
        json["tensors"].push_back(tensor_json(tensor, result));
    return json;
}

ordered_json culprit_json(const Result& result, const ReportOptions& options) {
    if (result.first_fail < 0) return nullptr;
    const OpResult& op = result.ops[static_cast<size_t>(result.first_fail)];
    return {{"path", op.target},
            {"node", op.node},
            {"module", op.module},
            {"line", op.line},
            {"why", nullptr},
            {"next", "npuscope inspect " + options.target + " " + op.target}};
}

ordered_json overflow_json(const Result& result) {
    ordered_json list = ordered_json::array();
    for (const OpResult& op : result.ops)
        if (op.overflow != dumpfile::OverflowRole::kNone)
            list.push_back({{"path", op.target},
                            {"node", op.node},
                            {"kind", name_of(op.overflow)},
                            {"note", op.overflow_note}});
    return list;
}

std::string json_text(const Result& result, const ReportOptions& options) {
    ordered_json json = {{"version", 1},
                         {"npuscope", kVersion},
                         {"verdict", overall_verdict(result)},
                         {"target", options.target},
                         {"golden", options.golden},
                         {"load_mode", result.load_mode},
                         {"first_culprit", culprit_json(result, options)},
                         {"overflow", overflow_json(result)}};
    const Counts& counts = result.counts;
    json["counts"] = {{"ops", counts.ops},
                      {"only_target", counts.only_target},
                      {"only_golden", counts.only_golden},
                      {"tensors", counts.tensors},
                      {"not_recorded", counts.not_recorded},
                      {"partly_recorded", counts.partly_recorded}};
    for (size_t i = 0; i < kVerdicts; ++i)
        json["counts"][std::string(name_of(static_cast<Verdict>(i)))] = counts.by_verdict[i];
    json["ops"] = ordered_json::array();
    for (const OpResult& op : result.ops)
        json["ops"].push_back(op_json(op, result));
    json["options"] = ordered_json::object();
    for (const auto& [name, value] : options.options)
        json["options"][name] = value;
    // Names of a file may hold bytes that are no UTF-8.
    return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

const Report k_json_report = {.name = "json",
                              .file_name = "verdicts.json",
                              .summary = "everything, for programs",
                              .write = json_text};

}  // namespace npuscope::compare
