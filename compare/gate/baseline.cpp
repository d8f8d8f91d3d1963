#include "compare/gate/baseline.h"

#include <algorithm>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "compare/gate/read_text.h"
#include "compare/verdict.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

using nlohmann::json;

/// Of the JSON of compare and check, and of recompute.
constexpr int kCompareVersion = 2;
constexpr int kRecomputeVersion = 1;

/// A number, or an infinity as its text.
std::optional<double> number_at(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return std::nullopt;
    if (found->is_number()) return found->get<double>();
    if (*found == "inf") return std::numeric_limits<double>::infinity();
    return std::nullopt;
}

bool is_finding_named(const std::string& verdict) {
    for (const VerdictRow& row : all_verdicts())
        if (row.name == verdict) return row.is_finding;
    return false;
}

const json& list_at(const json& object, const char* key) {
    static const json kNone = json::array();
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? *found : kNone;
}

const json* run_of(const json& all, std::optional<int64_t> step, const std::string& rank) {
    for (const json& run : list_at(all, "runs")) {
        if (!run.is_object() || text_at(run, "rank") != rank) continue;
        const auto found = run.find("step");
        const bool has_step = found != run.end() && found->is_number_integer();
        if (has_step != step.has_value() || (step && found->get<int64_t>() != *step)) continue;
        const auto result = run.find("result");
        return result != run.end() && result->is_object() ? &*result : nullptr;
    }
    return nullptr;
}

}  // namespace

Baseline::Baseline(const std::filesystem::path& path,
                   std::optional<int64_t> step,
                   const std::string& rank)
    : name_(path.string()) {
    take(small_text(path, kLargeText), step, rank);
}

Baseline::Baseline(const std::string& text,
                   const std::string& name,
                   std::optional<int64_t> step,
                   const std::string& rank)
    : name_(name) {
    take(text, step, rank);
}

void Baseline::take(const std::string& text, std::optional<int64_t> step, const std::string& rank) {
    const auto all = parse_json<json>(text);
    const bool is_ours = all.is_object() && all.contains("version") &&
                         (all.contains("culprits") || all.contains("runs"));
    if (!is_ours)
        throw Error(
            ErrorKind::kFormat,
            in_quotes(name_) + " is no JSON that npuscope compare, check or recompute printed");
    const bool is_recomputed = all.contains("passed") || all.contains("tree");
    const int version = is_recomputed ? kRecomputeVersion : kCompareVersion;
    if (all["version"] != version)
        throw Error(ErrorKind::kFormat,
                    in_quotes(name_) + " is of another version than " + std::to_string(version) +
                        ", which is read here");
    // A run that was not compared then has no findings to know.
    const json* run = all.contains("runs") ? run_of(all, step, rank) : &all;
    if (run == nullptr) return;
    for (const json& culprit : list_at(*run, "culprits")) {
        if (!culprit.is_object()) continue;
        const std::string tensor = text_at(culprit, "tensor");
        Known known;
        if (const auto elements = culprit.find("elements");
            elements != culprit.end() && elements->is_object())
            known.ratio = number_at(*elements, "ratio");
        findings_[{text_at(culprit, "kind"),
                   text_at(culprit, "path"),
                   tensor.empty() ? text_at(culprit, "argument") : tensor}] = known;
    }
    for (const json& op : list_at(*run, "ops")) {
        if (!op.is_object()) continue;
        for (const json& tensor : list_at(op, "tensors")) {
            if (!tensor.is_object()) continue;
            const std::string verdict = text_at(tensor, "verdict");
            if (!is_finding_named(verdict)) continue;
            const std::string target = text_at(tensor, "target");
            more_[{
                verdict, text_at(op, "path"), target.empty() ? text_at(tensor, "golden") : target}];
        }
    }
}

const Baseline::Known* Baseline::known(const Finding& finding) const {
    const std::vector<std::string> key = {finding.kind, finding.path, finding.detail};
    if (const auto found = findings_.find(key); found != findings_.end()) return &found->second;
    const auto found = more_.find(key);
    return found == more_.end() ? nullptr : &found->second;
}

int64_t Baseline::gone(const std::vector<Finding>& findings) const {
    std::set<std::vector<std::string>> met;
    for (const Finding& finding : findings)
        met.insert({finding.kind, finding.path, finding.detail});
    return std::ranges::count_if(findings_,
                                 [&](const auto& known) { return !met.contains(known.first); });
}

}  // namespace npuscope::compare
