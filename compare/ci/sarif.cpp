// SARIF 2.1.0: a run of the tool a comparison, a result a finding.
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compare/ci/ci_report.h"
#include "core/base/json_value.h"
#include "core/base/version.h"
#include "core/base/words.h"

namespace npuscope::compare {

namespace {

using nlohmann::ordered_json;

struct SarifRule {
    std::string_view id;
    std::string_view text;
};

/// Kinds of finding; what is none of them goes by its verdict, the second last.
constexpr std::array<SarifRule, 8> kSarifRules = {
    {{"op", "the target's op adds more than honest arithmetic makes of its inputs"},
     {"argument", "an op was called with other numbers than the golden's, and they matter"},
     {"tensor", "a tensor that no op computed, or that was given to an op, is not the golden's"},
     {"program", "one side has ops that the other lacks"},
     {"golden", "the golden's op is beyond what honest arithmetic makes of its inputs"},
     {"arithmetic", "all ops of a kind compute otherwise than expected"},
     {"verdict", "a tensor is missing, cannot be compared, or is beyond its tolerance"},
     {"waiver", "a waiver has expired"}}};
constexpr size_t kVerdictRule = kSarifRules.size() - 2;
constexpr size_t kWaiverRule = kSarifRules.size() - 1;

size_t rule_index(std::string_view kind) {
    for (size_t i = 0; i < kVerdictRule; ++i)
        if (kSarifRules[i].id == kind) return i;
    return kVerdictRule;
}

/// A path as a URI reference: what RFC 3986 does not allow there is percent-encoded.
std::string uri_of(const std::string& path) {
    static constexpr std::string_view kAllowed = "-._~/!$&'()*+,;=@";
    std::string uri;
    for (const char sign : path) {
        const auto byte = static_cast<unsigned char>(sign);
        if (std::isalnum(byte) != 0 || kAllowed.find(sign) != std::string_view::npos) {
            uri += sign;
        } else {
            uri += fmt::format("%{:02X}", byte);
        }
    }
    return uri;
}

/// "net.py:20" as a file and a line; the target's file where a dump tells none.
ordered_json place_json(const OpResult& op, const std::string& target) {
    const size_t colon = op.line.rfind(':');
    if (colon != std::string::npos && colon > 0)
        if (const auto line = natural(op.line.substr(colon + 1)); line && *line > 0)
            return {{"artifactLocation", {{"uri", uri_of(op.line.substr(0, colon))}}},
                    {"region", {{"startLine", *line}}}};
    return {{"artifactLocation", {{"uri", uri_of(target)}}}};
}

/// The same finding in two runs has the same one. FNV-1a, 64 bits.
std::string fingerprint_of(const Finding& finding) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (const std::string* text : {&finding.kind, &finding.path, &finding.detail})
        for (const char sign : *text + '\n')
            hash = (hash ^ static_cast<unsigned char>(sign)) * 0x100000001b3U;
    return fmt::format("{:016x}", hash);
}

const char* baseline_state(const Finding& finding) {
    if (!finding.is_known) return "new";
    return finding.status == FindingStatus::kWorse ? "updated" : "unchanged";
}

ordered_json result_json(const Finding& finding, const CiRun& run, const Gate& gate) {
    const OpResult& op = run.result->ops[finding.op];
    const size_t rule = rule_index(finding.kind);
    std::string text = finding.path + ": " + finding.why;
    if (finding.status == FindingStatus::kWorse) text += " (" + finding.because + ")";
    ordered_json logical = ordered_json::array(
        {{{"fullyQualifiedName", finding.detail.empty() ? finding.path : finding.detail},
          {"kind", "function"}}});
    if (!op.module.empty())
        logical.push_back({{"fullyQualifiedName", op.module}, {"kind", "module"}});
    ordered_json json = {
        {"ruleId", kSarifRules[rule].id},
        {"ruleIndex", rule},
        {"level", finding.status == FindingStatus::kKnown ? "note" : "error"},
        {"message", {{"text", std::move(text)}}},
        {"locations",
         ordered_json::array({{{"physicalLocation", place_json(op, run.target)},
                               {"logicalLocations", std::move(logical)}}})},
        {"partialFingerprints", {{"npuscopeFinding/v1", fingerprint_of(finding)}}}};
    // All results of a run have it, or none.
    if (gate.has_baseline) json["baselineState"] = baseline_state(finding);
    if (finding.status == FindingStatus::kWaived)
        json["suppressions"] = ordered_json::array(
            {{{"kind", "external"}, {"status", "accepted"}, {"justification", finding.because}}});
    json["properties"] = {{"finding", finding.kind}};
    if (finding.ratio) json["properties"]["ratio"] = number_json(*finding.ratio);
    return json;
}

ordered_json expired_json(const std::string& waiver, const CiRun& run, const Gate& gate) {
    ordered_json json = {
        {"ruleId", kSarifRules[kWaiverRule].id},
        {"ruleIndex", kWaiverRule},
        {"level", "error"},
        {"message", {{"text", waiver}}},
        {"locations",
         ordered_json::array(
             {{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(run.target)}}}}}}})}};
    if (gate.has_baseline) json["baselineState"] = "new";
    return json;
}

std::string sarif_run(const CiRun& run) {
    ordered_json rules = ordered_json::array();
    for (const SarifRule& rule : kSarifRules)
        rules.push_back({{"id", rule.id}, {"shortDescription", {{"text", rule.text}}}});
    ordered_json json = {
        {"tool", {{"driver", {{"name", "npuscope"}, {"version", kVersion}, {"rules", rules}}}}},
        {"automationDetails", {{"id", "npuscope/" + run.name}}},
        {"results", ordered_json::array()}};
    ordered_json invocation = {{"executionSuccessful", run.result != nullptr}};
    if (run.result == nullptr) {
        invocation["toolExecutionNotifications"] =
            ordered_json::array({{{"level", "error"}, {"message", {{"text", run.problem}}}}});
    } else {
        const Gate gate = gate_or_all(*run.result);
        for (const Finding& finding : gate.findings)
            json["results"].push_back(result_json(finding, run, gate));
        for (const std::string& waiver : gate.expired)
            json["results"].push_back(expired_json(waiver, run, gate));
        json["properties"] = {{"verdict", gated_verdict(*run.result)}};
    }
    json["invocations"] = ordered_json::array({std::move(invocation)});
    return json_text(json, 1);
}

std::string sarif_document(const std::vector<std::string>& parts) {
    std::string text =
        "{\n\"$schema\": "
        "\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
        "sarif-schema-2.1.0.json\",\n\"version\": \"2.1.0\",\n\"runs\": [";
    for (size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + parts[i];
    return text + "\n]\n}\n";
}

}  // namespace

const CiReport k_sarif_ci_report = {
    .name = "sarif",
    .summary = "SARIF 2.1.0, a result a finding",
    .part = sarif_run,
    .whole = sarif_document,
};

}  // namespace npuscope::compare
