// npuscope recompute DUMP: every recorded op again, from its own recorded inputs.
#include "diagnose/recompute/recompute.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/options/device_options.h"
#include "cli/page_output.h"
#include "cli/recompute_report.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/recording/tree.h"
#include "diagnose/run/run.h"

namespace npuscope::cli {

namespace {

struct RecomputeArguments {
    std::string dump;
    DeviceOptions device;
    std::string html;
};

/// Why nothing was computed.
std::string nothing_computed(const diagnose::RecomputeReport& report) {
    std::string text = "no op could be computed again; was it dumped with its inputs?";
    for (const std::string& note : report.notes)
        text += "; " + note;
    for (const diagnose::RecomputedOp& op : report.ops)
        if (report.notes.empty() && !op.skipped.empty()) {
            text += "; the first: " + op.path + ": " + op.skipped;
            break;
        }
    return printable(text);
}

/// One run of a tree.
struct RunOfTree {
    RecordedRun run;
    std::string problem{};  ///< why nothing was computed; "" where something was
    RecomputeCounts counts{};
    std::string first{};  ///< path of the first op that fails
    nlohmann::json report{};
};

RunOfTree recompute_run(const RecordedRun& run, const Device& device, const Globals& globals) {
    RunOfTree made{.run = run};
    try {
        const diagnose::RecomputeReport report = diagnose::recompute(run.path, device);
        made.counts = counts_of(report);
        if (made.counts.nothing_computed()) made.problem = nothing_computed(report);
        if (const diagnose::RecomputedOp* op = first_failure(report)) made.first = op->path;
        made.report = recompute_json(report, device);
        if (!globals.json && made.problem.empty())
            fmt::print("{}",
                       "== " + printable(run.text()) + " ==\n" +
                           recompute_text(report, device, globals.verbose) + "\n");
    } catch (const Error& failure) {
        made.problem = failure.what();
    }
    std::fflush(stdout);
    if (!made.problem.empty())
        fmt::print(stderr, "npuscope: {}: {}\n", printable(run.text()), printable(made.problem));
    return made;
}

std::string line_of_run(const RunOfTree& run) {
    const std::string name = printable(run.run.text());
    if (!run.problem.empty()) return name + ": not computed\n";
    return fmt::format("{}: {} pass, {} fail, {} skipped{}\n",
                       name,
                       run.counts.passed,
                       run.counts.failed,
                       run.counts.skipped,
                       run.first.empty() ? "" : ", first " + printable(run.first));
}

nlohmann::json json_of_run(const RunOfTree& run) {
    const auto text = [](const std::string& word) {
        return word.empty() ? nlohmann::json() : nlohmann::json(word);
    };
    return {{"step", run.run.step ? nlohmann::json(*run.run.step) : nlohmann::json()},
            {"rank", run.run.rank},
            {"problem", text(run.problem)},
            {"first", text(run.first)},
            {"result", run.report}};
}

/// Every step and rank in its turn; one that cannot be read is told, and the others go on.
int recompute_tree(const std::string& tree,
                   const std::vector<RecordedRun>& runs,
                   const Device& device,
                   const std::string& html,
                   const Globals& globals) {
    bool any_fails = false;
    bool any_problem = false;
    std::string lines = fmt::format("== {} runs ==\n", runs.size());
    nlohmann::json list = nlohmann::json::array();
    for (const RecordedRun& each : runs) {
        const RunOfTree made = recompute_run(each, device, globals);
        any_fails = any_fails || made.counts.failed != 0;
        any_problem = any_problem || !made.problem.empty();
        lines += line_of_run(made);
        list.push_back(json_of_run(made));
    }
    if (globals.json || !html.empty()) {
        const std::string document =
            json_text(nlohmann::json{{"version", 1}, {"tree", tree}, {"runs", list}}, 2) + "\n";
        write_page_of(html, "recompute", document, globals);
        if (globals.json) lines = document;
    }
    fmt::print("{}", lines);
    return any_fails ? kFinding : any_problem ? kNotDone : kNoFinding;
}

int run_recompute(const RecomputeArguments& arguments, const Globals& globals) {
    if (!std::filesystem::exists(arguments.dump)) require_regular_file(arguments.dump, "dump");
    const DeviceOptions& options = arguments.device;
    const Device device = diagnose::device_from_names(
        options.device, options.chip, options.reference, options.settings());
    const std::vector<RecordedRun> runs = recorded_runs(arguments.dump);
    if (runs.size() > 1)
        return recompute_tree(arguments.dump, runs, device, arguments.html, globals);
    const diagnose::RecomputeReport report = diagnose::recompute(arguments.dump, device);
    const RecomputeCounts counts = counts_of(report);
    if (counts.nothing_computed())
        throw Error(ErrorKind::kUsage, in_quotes(arguments.dump) + ": " + nothing_computed(report));
    const std::string document = json_text(recompute_json(report, device), 2) + "\n";
    write_page_of(arguments.html, "recompute", document, globals);
    fmt::print("{}", globals.json ? document : recompute_text(report, device, globals.verbose));
    return counts.failed != 0 ? kFinding : kNoFinding;
}

std::function<int()> configure_recompute(CLI::App& app, const Globals& globals) {
    auto arguments = std::make_shared<RecomputeArguments>();
    app.add_option("DUMP",
                   arguments->dump,
                   "a dump (.h5) of any source, or a dump.json of msprobe, its folder or a tree of "
                   "steps and ranks, with the tensors of its inputs")
        ->required();
    add_device_options(app, arguments->device, true);
    add_page_option(app, arguments->html);
    app.footer(
        "Each op sees its own recorded inputs, so that no op answers for another.\n"
        "Every step and rank of a tree has its report. -v lists the ops that pass, too.\n"
        "Exit codes: 0 all that were computed pass, 1 some fail, 2 could not do the work.");
    return [arguments, &globals] { return run_recompute(*arguments, globals); };
}

}  // namespace

extern const Command k_recompute_command;
const Command k_recompute_command = {
    "recompute", "compute each op of a dump again from its recorded inputs", configure_recompute};

}  // namespace npuscope::cli
