#include <nlohmann/json.hpp>

#include "compare/ci/ci_report.h"
#include "compare/report/accused.h"
#include "compare/report/beside_json.h"
#include "compare/report/judged.h"
#include "compare/report/report.h"
#include "core/base/json_value.h"
#include "core/base/version.h"

namespace npuscope::compare {

namespace {

using nlohmann::ordered_json;

/// What each side's op added itself.
void put_split(const Split& split, ordered_json& json) {
    if (split.target) {
        json["introduced"] = number_json(split.target->ratio);
        json["arithmetic"] = split.target->arithmetic;
        json["reordered"] = split.target->reordered;
    } else {
        json["why_not"] = split.why_not;
    }
    if (split.golden) json["golden_introduced"] = number_json(split.golden->ratio);
    json["inherited"] = number_json(split.inherited);
}

ordered_json tensor_json(const TensorResult& tensor, const Result& result) {
    ordered_json json = {{"target", tensor.target},
                         {"golden", tensor.golden},
                         {"direction", dumpfile::name_of(tensor.direction)},
                         {"dtype", tensor.dtype},
                         {"shape", to_string(tensor.shape)},
                         {"verdict", name_of(tensor.judgement.verdict)},
                         {"rule", tensor.judgement.rule},
                         {"bound", tensor.judgement.bound.source},
                         {"introduced", nullptr},
                         {"golden_introduced", nullptr},
                         {"inherited", nullptr},
                         {"arithmetic", nullptr},
                         {"reordered", false},
                         {"why_not", nullptr},
                         {"metrics", ordered_json::object()}};
    if (!tensor.relation.empty()) json["relation"] = tensor.relation;
    if (tensor.split) put_split(*tensor.split, json);
    for (size_t i = 0; i < tensor.metrics.size(); ++i)
        json["metrics"][std::string(all_metrics()[i]->name)] = number_json(tensor.metrics[i]);
    for (size_t i = 0; i < tensor.custom.size(); ++i)
        json["custom"][result.custom_names[i]] = {{"value", tensor.custom[i].value},
                                                  {"reason", tensor.custom[i].reason}};
    if (result.standard) json["standard"] = standard_json(tensor.standard);
    if (tensor.ignored > 0) json["ignored"] = tensor.ignored;
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
                         {"origin", text_or_null(op.origin)},
                         {"inherited", number_json(worst_error(op, dumpfile::Direction::kInput))},
                         {"introduced", number_json(worst_ratio(op))},
                         {"error", number_json(worst_error(op, dumpfile::Direction::kOutput))},
                         {"overflow", name_of(op.overflow)},
                         {"overflow_note", op.overflow_note},
                         {"tensors", ordered_json::array()}};
    if (result.standard) json["standard"] = standard_json(op.standard);
    for (const TensorResult& tensor : op.tensors)
        json["tensors"].push_back(tensor_json(tensor, result));
    return json;
}

/// Of the result that is furthest beyond what is allowed; null where none was computed again.
ordered_json elements_json(const Culprit& culprit, const OpResult& op) {
    const AccusedResult worst = accused_result(culprit, op);
    if (worst.error == nullptr) return nullptr;
    const Introduced& error = *worst.error;
    const bool of_golden = culprit.kind == CulpritKind::kGolden;
    ordered_json list = ordered_json::array();
    for (const ErrorElement& element : error.worst)
        list.push_back({{"index", element.index},
                        {"place", place_of_element(element.index, worst.tensor->shape)},
                        {"recorded", number_json(element.recorded)},
                        {"expected", number_json(element.expected)},
                        {"allowed", number_json(element.allowed)}});
    const std::string& tensor = of_golden                    ? worst.tensor->golden
                                : !error.step_result.empty() ? error.step_result
                                                             : worst.tensor->target;
    return {{"tensor", tensor},
            {"over", error.over},
            {"of", error.numel},
            {"ratio", number_json(error.ratio)},
            {"slope", number_json(error.slope)},
            {"lean", number_json(error.lean)},
            {"where", error.where},
            {"arithmetic", error.arithmetic},
            {"formula", error.formula},
            {"worst", std::move(list)}};
}

ordered_json culprit_json(const Culprit& culprit,
                          const Result& result,
                          const ReportOptions& options) {
    const OpResult& op = result.ops[culprit.op];
    ordered_json json = {{"kind", name_of(culprit.kind)},
                         {"path", accused_path(culprit, op)},
                         {"golden", op.golden},
                         {"tensor", nullptr},
                         {"argument", text_or_null(accused_argument(culprit, op))},
                         {"verdict", name_of(op.judgement.verdict)},
                         {"node", op.node},
                         {"module", op.module},
                         {"line", op.line},
                         {"why", culprit.why},
                         {"elements", elements_json(culprit, op)},
                         {"effect", number_json(culprit.effect)},
                         {"effect_on", text_or_null(culprit.effect_on)},
                         {"next", text_or_null(next_command(culprit, op, options))}};
    if (!culprit.tensor.empty()) json["tensor"] = culprit.tensor;
    return json;
}

ordered_json partings_json(const Result& result) {
    ordered_json list = ordered_json::array();
    for (const PartingResult& parting : result.partings)
        list.push_back({{"text", parting.text},
                        {"only_target", parting.only_target},
                        {"only_golden", parting.only_golden},
                        {"after", parting.after},
                        {"module", parting.module},
                        {"line", parting.line}});
    return list;
}

ordered_json spans_json(const Result& result) {
    ordered_json list = ordered_json::array();
    for (const SpanResult& span : result.spans)
        list.push_back({{"text", span.text},
                        {"only_target", span.only_target},
                        {"only_golden", span.only_golden},
                        {"entry", number_json(span.entry)},
                        {"exit", number_json(span.exit)}});
    return list;
}

ordered_json contradictions_json(const Result& result) {
    ordered_json list = ordered_json::array();
    for (const ArithmeticFinding& each : result.contradictions)
        list.push_back({{"text", each.text},
                        {"ops", each.found.ops},
                        {"found", each.found.found},
                        {"expected", each.found.expected},
                        {"because", text_or_null(each.found.because)},
                        {"sampled", each.found.sampled},
                        {"found_explains", each.found.found_explains},
                        {"expected_explains", each.found.expected_explains},
                        {"first", result.ops[each.op].target}});
    return list;
}

ordered_json judged_json(const Result& result) {
    const Judged judged = judged_ops(result);
    ordered_json reasons = ordered_json::object();
    for (const auto& [reason, count] : judged.not_provable)
        reasons[reason] = count;
    return {{"ops", judged.ops},
            {"of", judged.of},
            {"undefined", judged.undefined},
            {"incomparable", judged.incomparable},
            {"not_provable", std::move(reasons)}};
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
    ordered_json json = {{"version", 2},
                         {"npuscope", kVersion},
                         {"verdict", gated_verdict(result)},
                         {"target", options.target},
                         {"golden", options.golden},
                         {"load_mode", result.load_mode},
                         {"first_culprit", nullptr},
                         {"culprits", ordered_json::array()},
                         {"partings", partings_json(result)},
                         {"arithmetic", result.arithmetic},
                         {"contradictions", contradictions_json(result)},
                         {"judged", judged_json(result)},
                         {"overflow", overflow_json(result)}};
    if (!result.spans.empty()) json["spans"] = spans_json(result);
    if (!result.notes.empty()) json["notes"] = result.notes;
    if (result.standard) json["standard"] = summary_json(*result.standard, result);
    if (result.gate) json["gate"] = gate_json(*result.gate);
    for (const Culprit& culprit : result.culprits)
        json["culprits"].push_back(culprit_json(culprit, result, options));
    if (!result.culprits.empty()) json["first_culprit"] = json["culprits"].front();
    const Counts& counts = result.counts;
    json["counts"] = {{"ops", counts.ops},
                      {"only_target", counts.only_target},
                      {"only_golden", counts.only_golden},
                      {"tensors", counts.tensors},
                      {"not_recorded", counts.not_recorded},
                      {"partly_recorded", counts.partly_recorded},
                      {"casts_only_target", counts.casts_only_target},
                      {"casts_only_golden", counts.casts_only_golden}};
    if (counts.ignored_tensors > 0) {
        json["counts"]["ignored_tensors"] = counts.ignored_tensors;
        json["counts"]["ignored_elements"] = counts.ignored_elements;
    }
    for (size_t i = 0; i < kVerdicts; ++i)
        json["counts"][std::string(name_of(static_cast<Verdict>(i)))] = counts.by_verdict[i];
    json["ops"] = ordered_json::array();
    for (const OpResult& op : result.ops)
        json["ops"].push_back(op_json(op, result));
    json["options"] = ordered_json::object();
    for (const auto& [name, value] : options.options)
        json["options"][name] = value;
    // Names of a file may hold bytes that are no UTF-8.
    return npuscope::json_text(json, 1) + "\n";
}

}  // namespace

const Report k_json_report = {.name = "json",
                              .file_name = "verdicts.json",
                              .summary = "everything, for programs",
                              .write = json_text};

}  // namespace npuscope::compare
