#include "compare/report/beside_json.h"

#include <nlohmann/json.hpp>

#include "core/base/json_value.h"

namespace npuscope::compare {

using nlohmann::ordered_json;

ordered_json standard_json(const StandardVerdict& verdict) {
    ordered_json figures = ordered_json::object();
    for (const auto& [name, value] : verdict.figures)
        figures[std::string(name)] = number_json(value);
    return {{"level", name_of(verdict.level)},
            {"word", verdict.word},
            {"why", verdict.why},
            {"figures", std::move(figures)}};
}

ordered_json summary_json(const StandardSummary& summary, const Result& result) {
    ordered_json json = {{"name", summary.name},
                         {"level", name_of(summary.level)},
                         {"word", summary.word},
                         {"first", text_or_null(summary.first)},
                         {"tensors", ordered_json::object()},
                         {"notes", summary.notes},
                         {"disagreements", ordered_json::array()}};
    for (size_t i = 0; i < kStandardLevels; ++i)
        json["tensors"][std::string(name_of(static_cast<StandardLevel>(i)))] = summary.tensors[i];
    for (const StandardDisagreement& each : summary.disagreements)
        json["disagreements"].push_back(
            {{"path", result.ops[each.op].target}, {"text", each.text}});
    return json;
}

ordered_json gate_json(const Gate& gate) {
    ordered_json list = ordered_json::array();
    for (const Finding& finding : gate.findings)
        list.push_back({{"kind", finding.kind},
                        {"path", finding.path},
                        {"detail", text_or_null(finding.detail)},
                        {"status", name_of(finding.status)},
                        {"because", text_or_null(finding.because)}});
    return {{"findings", std::move(list)},
            {"expired", gate.expired},
            {"unused", gate.unused},
            {"gone", gate.gone}};
}

ordered_json findings_json(const Result& result) {
    ordered_json list = ordered_json::array();
    for (const Finding& finding : findings_of(result)) {
        ordered_json json = {{"kind", finding.kind},
                             {"path", finding.path},
                             {"tensor", text_or_null(finding.detail)},
                             {"why", finding.why},
                             {"elements", nullptr}};
        if (finding.ratio) json["elements"] = {{"ratio", number_json(*finding.ratio)}};
        list.push_back(std::move(json));
    }
    return list;
}

}  // namespace npuscope::compare
