#include "cli/compare_trees.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "cli/page_output.h"
#include "core/base/error.h"
#include "core/base/interrupted.h"
#include "core/base/json_value.h"
#include "core/base/printable.h"

namespace npuscope::cli {

namespace {

using compare::RunPair;
using Json = nlohmann::ordered_json;

std::string one_sided(const RunPair& pair) {
    return pair.text() + ": only the " + (pair.target ? "target" : "golden") + " has it";
}

Json side_json(const std::optional<RecordedRun>& run) {
    return run ? Json(run->path.string()) : Json();
}

Json to_json(const RunPair& pair, const ComparedRuns& compared) {
    const RecordedRun& run = pair.target ? *pair.target : *pair.golden;
    return {{"step", run.step ? Json(*run.step) : Json()},
            {"rank", run.rank},
            {"target", side_json(pair.target)},
            {"golden", side_json(pair.golden)},
            {"verdict", compared.verdict},
            {"first_culprit", compared.first.empty() ? Json() : Json(compared.first)},
            {"notes", compared.notes},
            {"result", compared.document.empty() ? Json() : Json::parse(compared.document)}};
}

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

/// Of a pair that both sides have; what goes wrong is told in place of its report, which goes to a
/// folder of its own below `output` unless that is "".
ComparedRuns compared_or_told(
    const RunPair& pair,
    const std::string& output,
    const std::function<ComparedRuns(const RunPair&, const std::string&)>& one,
    const NotCompared& not_compared) {
    try {
        return one(pair,
                   output.empty()
                       ? ""
                       : (std::filesystem::path(output) / pair.target->file_name()).string());
    } catch (Interrupted& stop) {
        std::error_code ignored;
        if (!output.empty() && std::filesystem::exists(output, ignored))
            stop.kept.push_back(in_quotes(output) + " with the reports of the runs before " +
                                pair.text());
        throw;
    } catch (const Error& failure) {
        not_compared(pair, failure.what());
        return {.exit_code = kNotDone,
                .verdict = "not compared",
                .first = "",
                .report = "",
                .document = "",
                .notes = {pair.text() + ": " + failure.what()}};
    }
}

}  // namespace

std::string first_path(const compare::Result& result) {
    const compare::OpResult& op = result.ops[result.culprits.front().op];
    return op.target.empty() ? op.golden : op.target;
}

void print_notes(const ComparedRuns& compared) {
    for (const std::string& note : compared.notes)
        std::fprintf(stderr, "npuscope: %s\n", note.c_str());
}

int compare_trees(const std::vector<RunPair>& pairs,
                  const ComparedTrees& trees,
                  const std::function<ComparedRuns(const RunPair&, const std::string& output)>& one,
                  const NotCompared& not_compared,
                  const Globals& globals) {
    int findings = 0;
    int failures = 0;
    std::string summary;
    std::string first;
    std::set<std::string> told;
    Json list = Json::array();
    for (const RunPair& pair : pairs) {
        ComparedRuns compared{.exit_code = kFinding,
                              .verdict = pair.target ? "missing_golden" : "missing_target",
                              .first = "",
                              .report = "",
                              .document = "",
                              .notes = {}};
        if (pair.target && pair.golden) {
            compared = compared_or_told(pair, trees.output, one, not_compared);
            summary += printable(pair.text() + ": " + compared.verdict +
                                 (compared.first.empty() ? "" : ", first " + compared.first)) +
                       "\n";
        } else {
            not_compared(pair, one_sided(pair));
            summary += printable(one_sided(pair)) + "\n";
        }
        findings += compared.exit_code == kFinding ? 1 : 0;
        failures += compared.exit_code == kNotDone ? 1 : 0;
        if (compared.exit_code == kFinding && first.empty())
            first = pair.text() + (compared.first.empty() ? "" : ": " + compared.first);
        // What all runs lack is told once.
        std::erase_if(compared.notes, [&](const std::string& note) { return told.contains(note); });
        told.insert(compared.notes.begin(), compared.notes.end());
        print_notes(compared);
        if (globals.json || !trees.html.empty()) list.push_back(to_json(pair, compared));
        if (!globals.json && !compared.report.empty() && !trees.is_silent) {
            print("== " + printable(pair.text()) + " ==\n" + compared.report + "\n");
        }
    }
    const int exit_code = findings > 0 ? kFinding : failures > 0 ? kNotDone : kNoFinding;
    const std::string verdict = exit_code == kFinding   ? "fail"
                                : exit_code == kNotDone ? "undecided"
                                                        : "pass";
    if (globals.json || !trees.html.empty()) {
        const Json all = {{"version", 2},
                          {"verdict", verdict},
                          {"target", trees.target},
                          {"golden", trees.golden},
                          {"first", first.empty() ? Json() : Json(first)},
                          {"runs", list}};
        const std::string document = json_text(all, 2) + "\n";
        write_page_of(trees.html, "compare", document, globals);
        if (globals.json) print(document);
    }
    if (!globals.json && !trees.is_silent) {
        print("== " + std::to_string(pairs.size()) + " runs ==\n" + summary +
              (first.empty() ? "" : "first difference: " + printable(first) + "\n") +
              "verdict: " + verdict + "\n");
    }
    return exit_code;
}

}  // namespace npuscope::cli
