#include "cli/bitwise_command.h"

#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/interrupts.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "core/base/progress.h"
#include "core/recording/tree.h"
#include "diagnose/bitwise/bitwise.h"

namespace npuscope::cli {

namespace {

using Paths = std::vector<std::filesystem::path>;
using Json = nlohmann::ordered_json;

void to_stdout(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

diagnose::BitwiseReport report_of(const Paths& paths,
                                  const IgnoredRegions& ignored,
                                  const Globals& globals) {
    std::optional<Progress> progress;
    diagnose::BitwiseReport report = diagnose::compare_bitwise(
        paths, ignored, [&](int64_t done, int64_t total, const std::string& op) {
            if (!progress) progress.emplace("bitwise", total, !globals.quiet);
            progress->update(done, op);
            Interrupts::check();
        });
    progress.reset();
    if (!globals.quiet)
        for (const std::string& note : report.notes)
            std::fprintf(stderr, "npuscope: %s\n", printable(note).c_str());
    return report;
}

/// One step and rank of all trees.
struct TreeRun {
    RecordedRun run;        ///< the first tree's, else the first that has it
    Paths paths{};          ///< of the trees that have it, in their order
    std::string problem{};  ///< why it was not compared; "" where it was
    std::string report{};   ///< as JSON
    bool equal = false;
};

/// By step and rank, in their order.
std::vector<TreeRun> runs_of(const Paths& trees, const std::vector<std::vector<RecordedRun>>& all) {
    std::map<std::pair<std::optional<int64_t>, std::string>, TreeRun> runs;
    for (size_t i = 0; i < trees.size(); ++i)
        for (const RecordedRun& run : all[i]) {
            TreeRun& found = runs[{run.step, run.rank}];
            if (found.paths.empty()) found.run = run;
            found.paths.push_back(run.path);
        }
    std::vector<TreeRun> list;
    for (auto& [key, run] : runs) {
        if (run.paths.size() < trees.size()) run.problem = "not all trees have it";
        list.push_back(std::move(run));
    }
    return list;
}

void compare_tree_run(TreeRun& run, const IgnoredRegions& ignored, const Globals& globals) {
    if (!run.problem.empty()) return;
    try {
        const diagnose::BitwiseReport report = report_of(run.paths, ignored, globals);
        run.equal = report.equal();
        if (globals.json)
            run.report = diagnose::bitwise_json(report);
        else
            to_stdout("== " + printable(run.run.text()) + " ==\n" + diagnose::bitwise_text(report) +
                      "\n");
    } catch (const Error& failure) {
        run.problem = failure.what();
    }
}

std::string word_of(const TreeRun& run) {
    return !run.problem.empty() ? "not compared" : run.equal ? "equal" : "different";
}

int compare_trees_bitwise(const Paths& trees,
                          std::vector<TreeRun> runs,
                          const IgnoredRegions& ignored,
                          const Globals& globals) {
    std::string lines = "== " + std::to_string(runs.size()) + " runs ==\n";
    Json list = Json::array();
    bool all_equal = true;
    bool any_compared = false;
    for (TreeRun& run : runs) {
        compare_tree_run(run, ignored, globals);
        all_equal = all_equal && run.equal;
        any_compared = any_compared || run.problem.empty();
        lines += printable(run.run.text() + ": " + word_of(run) +
                           (run.problem.empty() ? "" : ", " + run.problem)) +
                 "\n";
        list.push_back({{"step", run.run.step ? Json(*run.run.step) : Json()},
                        {"rank", run.run.rank},
                        {"verdict", word_of(run)},
                        {"problem", text_or_null(run.problem)},
                        {"result", run.report.empty() ? Json() : Json::parse(run.report)}});
    }
    const std::string verdict = !any_compared ? "not compared" : all_equal ? "equal" : "different";
    if (globals.json) {
        Json paths = Json::array();
        for (const std::filesystem::path& tree : trees)
            paths.push_back(tree.string());
        lines = json_text(Json{{"version", 1},
                               {"trees", std::move(paths)},
                               {"verdict", verdict},
                               {"runs", std::move(list)}},
                          2) +
                "\n";
    } else {
        lines += "verdict: " + verdict + "\n";
    }
    to_stdout(lines);
    return !any_compared ? kNotDone : all_equal ? kNoFinding : kFinding;
}

}  // namespace

int run_bitwise(const Paths& paths,
                const diagnose::JudgingRequest& request,
                const Globals& globals) {
    const Interrupts interrupts;
    const diagnose::JudgingFiles files(
        {.tolerances = request.tolerances, .ignore = request.ignore});
    const IgnoredRegions ignored = files.ignored() == nullptr ? IgnoredRegions() : *files.ignored();
    std::vector<std::vector<RecordedRun>> runs;
    bool is_tree = false;
    for (const std::filesystem::path& path : paths) {
        runs.push_back(recorded_runs(path));
        is_tree = is_tree || runs.back().size() > 1;
    }
    if (is_tree) return compare_trees_bitwise(paths, runs_of(paths, runs), ignored, globals);
    const diagnose::BitwiseReport report = report_of(paths, ignored, globals);
    to_stdout(globals.json ? diagnose::bitwise_json(report) : diagnose::bitwise_text(report));
    return report.equal() ? kNoFinding : kFinding;
}

}  // namespace npuscope::cli
