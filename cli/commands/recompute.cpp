// npuscope recompute DUMP: every recorded op again, from its own recorded inputs.
#include "diagnose/recompute/recompute.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/ci_output.h"
#include "cli/command.h"
#include "cli/options/device_options.h"
#include "cli/options/judging_options.h"
#include "cli/page_output.h"
#include "cli/recompute_report.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/recording/source.h"
#include "core/recording/tree.h"
#include "diagnose/comparison/tree_runs.h"
#include "diagnose/run/run.h"

namespace npuscope::cli {

namespace {

struct RecomputeArguments {
    std::string dump;
    DeviceOptions device;
    diagnose::JudgingRequest judging;
    CiArguments ci;
    std::string html;
};

/// What all runs are judged by, and where findings go.
class Recomputation {
  public:
    /// Measures the noise of repetitions. Errors: those of JudgingFiles and CiOutput.
    Recomputation(const RecomputeArguments& arguments,
                  const Globals& globals,
                  const Device& device,
                  const std::vector<RecordedRun>& runs)
        : device_(device),
          ci_(arguments.ci, globals),
          files_(arguments.judging),
          is_emulated_(arguments.judging.third.empty()) {
        const diagnose::JudgingRequest& judging = arguments.judging;
        if (judging.third == "golden")
            throw Error(ErrorKind::kUsage,
                        "there is no golden side here that could be the third chip; name a "
                        "recording, or emulated");
        if (judging.third_is_recording())
            thirds_ = diagnose::runs_like(judging.third, runs, "the third recording");
        files_.measure_repeats(judging.repeats, runs);
    }

    struct Run {
        diagnose::RecomputeReport report;
        compare::Result result;  ///< the same, with what counts
    };
    /// One of the runs. Errors: those of recompute() and Baseline.
    [[nodiscard]] Run run(const RecordedRun& recorded) const {
        const compare::PrecisionBounds plain;
        const diagnose::JudgingBounds bounds(plain, files_, recorded);
        compare::StandardOptions standard = files_.standard();
        standard.third_is_plain = standard.third_is_plain || is_emulated_;
        std::optional<Source> third;
        if (const auto found = thirds_.find(recorded.path); found != thirds_.end()) {
            third.emplace(open_source(found->second));
            standard.third_source = &*third;
        }
        Run made{
            .report = diagnose::recompute(
                recorded.path,
                device_,
                {.bounds = &bounds.bounds(), .ignored = files_.ignored(), .standard = standard}),
            .result = {}};
        if (files_.noise().size() > 0 && !bounds.bounds().was_of_use())
            made.report.notes.emplace_back(diagnose::kNoiseOfNoUse);
        made.result = diagnose::as_comparison(made.report);
        ci_.judge({.target = recorded, .golden = {}}, made.result);
        return made;
    }
    [[nodiscard]] CiOutput& ci() { return ci_; }

  private:
    const Device& device_;
    CiOutput ci_;
    diagnose::JudgingFiles files_;
    bool is_emulated_;
    std::map<std::filesystem::path, std::filesystem::path> thirds_;
};

bool counts(const Recomputation::Run& run) {
    return run.result.gate ? run.result.gate->exit_code == kFinding : !run.result.culprits.empty();
}

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
    bool is_finding = false;
    nlohmann::json report{};
};

RunOfTree recompute_run(const RecordedRun& run,
                        Recomputation& all,
                        const Device& device,
                        const Globals& globals) {
    RunOfTree made{.run = run};
    try {
        const Recomputation::Run found = all.run(run);
        made.counts = counts_of(found.report);
        made.is_finding = counts(found);
        if (made.counts.nothing_computed()) made.problem = nothing_computed(found.report);
        if (const diagnose::RecomputedOp* op = first_failure(found.report)) made.first = op->path;
        if (made.problem.empty())
            all.ci().add(
                {.name = run.text(), .result = &found.result, .target = run.path.string()});
        made.report = recompute_json(found.report, found.result, device);
        if (!globals.json && made.problem.empty() && !all.ci().takes_stdout())
            fmt::print("{}",
                       "== " + printable(run.text()) + " ==\n" +
                           recompute_text(found.report, found.result, device, globals.verbose) +
                           "\n");
    } catch (const Error& failure) {
        made.problem = failure.what();
    }
    std::fflush(stdout);
    if (!made.problem.empty()) {
        all.ci().add({.name = run.text(), .problem = made.problem, .target = run.path.string()});
        fmt::print(stderr, "npuscope: {}: {}\n", printable(run.text()), printable(made.problem));
    }
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
                   Recomputation& all,
                   const Device& device,
                   const std::string& html,
                   const Globals& globals) {
    bool any_fails = false;
    bool any_problem = false;
    std::string lines = fmt::format("== {} runs ==\n", runs.size());
    nlohmann::json list = nlohmann::json::array();
    for (const RecordedRun& each : runs) {
        const RunOfTree made = recompute_run(each, all, device, globals);
        any_fails = any_fails || made.is_finding;
        any_problem = any_problem || !made.problem.empty();
        lines += line_of_run(made);
        list.push_back(json_of_run(made));
    }
    const std::string document =
        json_text(nlohmann::json{{"version", 1}, {"tree", tree}, {"runs", list}}, 2) + "\n";
    write_page_of(html, "recompute", document, globals);
    if (globals.json) lines = document;
    if (!all.ci().takes_stdout()) fmt::print("{}", lines);
    all.ci().write();
    return any_fails ? kFinding : any_problem ? kNotDone : kNoFinding;
}

int run_recompute(const RecomputeArguments& arguments, const Globals& globals) {
    if (!std::filesystem::exists(arguments.dump)) require_regular_file(arguments.dump, "dump");
    const DeviceOptions& options = arguments.device;
    const Device device = diagnose::device_from_names(
        options.device, options.chip, options.reference, options.settings());
    const std::vector<RecordedRun> runs = recorded_runs(arguments.dump);
    if (runs.size() > 1) {
        Recomputation all(arguments, globals, device, runs);
        return recompute_tree(arguments.dump, runs, all, device, arguments.html, globals);
    }
    const RecordedRun alone{.path = arguments.dump};
    Recomputation all(arguments, globals, device, {alone});
    const Recomputation::Run run = all.run(alone);
    if (counts_of(run.report).nothing_computed())
        throw Error(ErrorKind::kUsage,
                    in_quotes(arguments.dump) + ": " + nothing_computed(run.report));
    const std::string document =
        json_text(recompute_json(run.report, run.result, device), 2) + "\n";
    write_page_of(arguments.html, "recompute", document, globals);
    if (!all.ci().takes_stdout())
        fmt::print("{}",
                   globals.json ? document
                                : recompute_text(run.report, run.result, device, globals.verbose));
    all.ci().add({.name = arguments.dump, .result = &run.result, .target = arguments.dump});
    all.ci().write();
    return counts(run) ? kFinding : kNoFinding;
}

std::function<int()> configure_recompute(CLI::App& app, const Globals& globals) {
    auto arguments = std::make_shared<RecomputeArguments>();
    app.add_option("DUMP",
                   arguments->dump,
                   "a dump (.h5) of any source, or a dump.json of msprobe, its folder or a tree of "
                   "steps and ranks, with the tensors of its inputs")
        ->required();
    add_device_options(app, arguments->device, true);
    add_judging_options(app,
                        arguments->judging,
                        {.third = "a third chip's recording of the same run; emulated: float32 "
                                  "arithmetic here stands in",
                         .third_default = "emulated",
                         .repeated = "this run"});
    add_ci_options(app, arguments->ci);
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
