#include "page/still.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace npuscope::page {

namespace {

using nlohmann::json;

bool has(const json& document, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
        if (!document.contains(key)) return false;
    return true;
}

/// Text or number at a key; "" where there is neither.
std::string text(const json& object, const char* key) {
    if (!object.is_object()) return {};
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return {};
    return found->is_string() ? found->get<std::string>() : found->dump();
}

const json& at(const json& object, const char* key) {
    static const json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

size_t size_at(const json& object, const char* key) {
    const json& list = at(object, key);
    return list.is_array() ? list.size() : 0;
}

Still still_of_check(const json& document) {
    Still still{.verdict = text(document, "verdict"), .headline = text(document, "headline")};
    const json& first = at(document, "first_culprit");
    still.culprit = text(first, "path");
    if (!still.culprit.empty()) {
        still.why = {text(at(first, "why"), "evidence")};
        still.next = text(first, "next");
    }
    for (const char* key : {"model", "device", "golden", "inputs"})
        still.facts.emplace_back(key, text(document, key));
    return still;
}

Still still_of_compare(const json& document) {
    Still still{.verdict = text(document, "verdict")};
    const json& first = at(document, "first_culprit");
    still.culprit = text(first, "path");
    if (first.is_object()) {
        const std::string tensor = text(first, "tensor");
        if (!tensor.empty()) still.culprit = tensor;
        still.why = {text(first, "why")};
        still.next = text(first, "next");
        still.facts = {{"module", text(first, "module")}, {"line", text(first, "line")}};
    }
    const json& judged = at(document, "judged");
    still.headline = fmt::format("{} of {} ops judged, {} findings",
                                 text(judged, "ops"),
                                 text(judged, "of"),
                                 size_at(document, "culprits"));
    still.facts.emplace_back("target", text(document, "target"));
    still.facts.emplace_back("golden", text(document, "golden"));
    return still;
}

/// Whether a gate lets every finding pass.
bool is_let_pass(const json& gate) {
    if (!gate.is_object() || size_at(gate, "expired") > 0) return false;
    for (const json& finding : at(gate, "findings")) {
        const std::string status = text(finding, "status");
        if (status == "counts" || status == "worse") return false;
    }
    return true;
}

Still still_of_recompute(const json& document) {
    Still still{.headline = fmt::format("{} ops pass, {} fail, {} skipped",
                                        text(document, "passed"),
                                        text(document, "failed"),
                                        text(document, "skipped")),
                .facts = {{"device", text(document, "device")}}};
    const json& ops = at(document, "ops");
    const auto is_within = [](const json& result) {
        return at(result, "within") == json(true) && text(result, "incomparable").empty();
    };
    for (const json& op : ops)
        for (const json& result : at(op, "results"))
            if (still.culprit.empty() && !is_within(result)) {
                still.culprit = text(op, "path");
                still.why = {text(result, "name") + ": " + text(result, "incomparable") +
                             text(result, "bound")};
            }
    still.verdict = is_let_pass(at(document, "gate")) ? "pass"
                    : text(document, "failed") != "0" ? "fail"
                    : text(document, "passed") != "0" ? "pass"
                                                      : "undecided";
    return still;
}

Still still_of_overflow(const json& document) {
    Still still{.verdict = at(document, "found") == json(true) ? "fail" : "pass",
                .headline = fmt::format("{} of {} ops hold inf, nan or saturation",
                                        size_at(document, "overflow"),
                                        text(document, "ops")),
                .culprit = text(document, "first"),
                .facts = {{"recording", text(document, "dump")}}};
    if (!still.culprit.empty())
        still.next = "npuscope inspect " + text(document, "dump") + " " + still.culprit;
    return still;
}

Still still_of_map(const json& document) {
    Still still{
        .verdict = "pass",
        .headline = fmt::format("{} ops and their kernels", size_at(document, "ops")),
        .facts = {{"source", text(document, "source")}, {"device", text(document, "device")}}};
    for (const json& op : at(document, "ops")) {
        const json& first = at(op, "first_culprit");
        if (!first.is_number_unsigned() || !still.culprit.empty()) continue;
        still.verdict = "fail";
        still.culprit = text(op, "path");
        const json& kernels = at(op, "kernels");
        if (first.get<size_t>() < kernels.size()) {
            const json& kernel = kernels[first.get<size_t>()];
            still.why = {text(kernel, "type") + ": " + text(kernel, "rule")};
        }
    }
    return still;
}

Still still_of_loss(const json& document) {
    Still still{.verdict = at(document, "found") == json(true) ? "fail" : "pass",
                .facts = {{"golden", text(at(document, "golden"), "path")}}};
    for (const json& target : at(document, "targets")) {
        if (still.culprit.empty()) still.culprit = text(target, "headline");
        for (const json& line : at(target, "evidence"))
            if (line.is_string()) still.why.push_back(line.get<std::string>());
    }
    return still;
}

/// Several runs of one kind: the worst, in one line each.
Still still_of_runs(const json& document, Still (*of_one)(const json&)) {
    const json& runs = at(document, "runs");
    Still still{.verdict = text(document, "verdict")};
    size_t failing = 0;
    for (const json& run : runs) {
        const json& result = at(run, "result");
        if (!result.is_object()) continue;
        Still one = of_one(result);
        if (one.verdict == "pass") continue;
        ++failing;
        if (!still.culprit.empty() || one.culprit.empty()) continue;
        const std::string step = text(run, "step");
        still.culprit =
            (step.empty() ? "" : "step " + step + ", ") + text(run, "rank") + ": " + one.culprit;
        still.why = one.why;
        still.next = one.next;
    }
    if (still.verdict.empty()) still.verdict = failing > 0 ? "fail" : "pass";
    still.headline = fmt::format("{} of {} runs do not pass", failing, runs.size());
    return still;
}

template <Still (*of_one)(const json&)>
Still one_or_runs(const json& document) {
    return document.contains("runs") ? still_of_runs(document, of_one) : of_one(document);
}

/// A tree's first run with a result; else the document.
const json& one_of(const json& document) {
    for (const json& run : at(document, "runs"))
        if (at(run, "result").is_object()) return run["result"];
    return document;
}

bool is_check(const json& document) {
    return has(document, {"headline", "dumps", "ops"});
}
bool is_compare(const json& document) {
    return has(one_of(document), {"culprits", "judged", "ops"});
}
bool is_recompute(const json& document) {
    return has(one_of(document), {"passed", "failed", "skipped", "ops"});
}
bool is_overflow(const json& document) {
    return has(one_of(document), {"found", "overflow", "flows"});
}
bool is_map(const json& document) {
    return has(document, {"source", "device", "reference", "ops", "debug_files"});
}
bool is_loss(const json& document) {
    return has(document, {"found", "golden", "targets"});
}

constexpr std::array<Kind, 6> kKinds = {
    Kind{"check", is_check, still_of_check},
    Kind{"compare", is_compare, one_or_runs<still_of_compare>},
    Kind{"recompute", is_recompute, one_or_runs<still_of_recompute>},
    Kind{"overflow", is_overflow, one_or_runs<still_of_overflow>},
    Kind{"map", is_map, still_of_map},
    Kind{"loss", is_loss, still_of_loss},
};

}  // namespace

const Kind& kind_named(const std::string& name) {
    std::string names;
    for (const Kind& kind : kKinds) {
        if (name == kind.name) return kind;
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    }
    throw Error(ErrorKind::kUsage, "a page shows results of " + names + ", not of '" + name + "'");
}

const Kind* kind_fitting(const json& document) {
    if (!document.is_object()) return nullptr;
    for (const Kind& kind : kKinds)
        if (kind.fits(document)) return &kind;
    return nullptr;
}

}  // namespace npuscope::page
