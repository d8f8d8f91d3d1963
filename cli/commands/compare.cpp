// npuscope compare -m TARGET -g GOLDEN: verdicts for two dumps or two sets of arrays.
#include <cstdio>
#include <memory>
#include <optional>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/bitwise_command.h"
#include "cli/ci_output.h"
#include "cli/command.h"
#include "cli/compare_trees.h"
#include "cli/interrupts.h"
#include "cli/options/align_options.h"
#include "cli/options/judging_options.h"
#include "cli/page_output.h"
#include "compare/report/report.h"
#include "core/base/progress.h"
#include "core/recording/formats/format.h"
#include "custom_algorithms/runner.h"
#include "diagnose/comparison/comparison.h"
#include "npu_backend/chips/chip.h"

namespace npuscope::cli {

namespace {

struct CompareArguments {
    std::vector<std::filesystem::path> bitwise;
    std::string target;
    std::string golden;
    std::string output;
    std::string html;
    std::string custom;
    diagnose::ComparisonRequest request;
    bool no_inputs = false;
    bool no_divergence = false;
    bool worst_first = false;
    bool all = false;
    double custom_timeout = 600;
    AlignArguments align;
    CiArguments ci;
};

/// Once for all pairs of runs.
struct Job {
    diagnose::RecordingComparison& comparison;
    CiOutput& ci;
    compare::ReportOptions report;
    bool wants_page = false;
    const Globals& globals;
};

/// One run of each side, by its name in a tree or ""; reports go to `output` where it is not "".
ComparedRuns compare_runs(const Job& job,
                          const compare::RunPair& pair,
                          const std::string& name,
                          const std::string& output) {
    const Globals& globals = job.globals;
    compare::ReportOptions report = job.report;
    std::optional<Progress> progress;
    compare::Result result =
        job.comparison.compare(pair, [&](int64_t done, int64_t total, const std::string& op) {
            if (!progress) progress.emplace("compare", total, !globals.quiet);
            progress->update(done, op);
            Interrupts::check();
        });
    job.ci.judge(pair, result);
    progress.reset();
    report.target = pair.target->path.string();
    report.golden = pair.golden->path.string();
    std::string document;
    if (globals.json || job.wants_page)
        document = compare::report_named("json").write(result, report);
    if (!output.empty()) {
        compare::write_reports(result, report, output);
        write_page_of(output + "/report.html", "compare", document, globals);
    }
    job.ci.add({.name = name.empty() ? report.target + " against " + report.golden : name,
                .result = &result,
                .target = report.target});
    return {
        .exit_code = result.gate ? result.gate->exit_code : result.exit_code(),
        .verdict = std::string(compare::gated_verdict(result)),
        .first = result.culprits.empty() ? "" : first_path(result),
        .report = globals.json ? document : compare::report_named("terminal").write(result, report),
        .document = document,
        .notes = result.notes};
}

compare::ReportOptions report_options(const CompareArguments& arguments, const Globals& globals) {
    return {.color = use_color(globals, 1) && !globals.json,
            .graphic = ::isatty(STDOUT_FILENO) == 1,
            .worst_first = arguments.worst_first,
            .all_ops = arguments.all || globals.verbose,
            .options = diagnose::to_texts(arguments.request)};
}

int run_compare(CompareArguments& arguments, const Globals& globals) {
    if (!arguments.bitwise.empty())
        return run_bitwise(arguments.bitwise, arguments.request.judging, globals);
    const Interrupts interrupts;
    std::unique_ptr<custom_algorithms::Runner> custom;
    if (!arguments.custom.empty())
        custom = std::make_unique<custom_algorithms::Runner>(
            arguments.custom,
            custom_algorithms::RunnerOptions{
                .patience = std::chrono::milliseconds(
                    static_cast<int64_t>(arguments.custom_timeout * 1000))});
    arguments.request.custom = custom.get();
    arguments.request.inputs = !arguments.no_inputs;
    const bool wants_page = !arguments.html.empty() || !arguments.output.empty();
    // Nothing that is written for people shows the divergence, which takes longer than all else.
    arguments.request.divergence = !arguments.no_divergence && (globals.json || wants_page);
    take_alignment(arguments.align, arguments.request.align);
    CiOutput ci(arguments.ci, globals);
    diagnose::RecordingComparison comparison(arguments.request);
    const Job job{.comparison = comparison,
                  .ci = ci,
                  .report = report_options(arguments, globals),
                  .wants_page = wants_page,
                  .globals = globals};
    const std::vector<compare::RunPair> pairs =
        comparison.prepare(arguments.target, arguments.golden);
    int exit_code = 0;
    if (pairs.size() > 1) {
        exit_code = compare_trees(
            pairs,
            {.target = arguments.target,
             .golden = arguments.golden,
             .output = arguments.output,
             .html = arguments.html,
             .is_silent = ci.takes_stdout()},
            [&](const compare::RunPair& pair, const std::string& output) {
                return compare_runs(job, pair, pair.text(), output);
            },
            [&](const compare::RunPair& pair, const std::string& problem) {
                ci.add({.name = pair.text(), .problem = problem, .target = arguments.target});
            },
            globals);
    } else {
        const ComparedRuns compared = compare_runs(job, pairs.front(), "", arguments.output);
        print_notes(compared);
        write_page_of(arguments.html, "compare", compared.document, globals);
        if (!ci.takes_stdout())
            std::fwrite(compared.report.data(), 1, compared.report.size(), stdout);
        exit_code = compared.exit_code;
    }
    ci.write();
    return exit_code;
}

/// In place of -m and -g, which are required without it.
void add_bitwise_option(CLI::App& app, CompareArguments& arguments) {
    app.add_option("--bitwise",
                   arguments.bitwise,
                   "two or more runs that should repeat each other to the bit, in place of -m and "
                   "-g: the first op with equal inputs and unequal results, and in what manner "
                   "they differ; dumps of hashes will do, and so do trees by steps and ranks")
        ->type_name("RUN")
        ->expected(2, 1000);
    app.parse_complete_callback([&app, &arguments] {
        for (const char* name : {"--target", "--golden"}) {
            const bool is_given = app.count(name) != 0;
            if (arguments.bitwise.empty() && !is_given) throw CLI::RequiredError(name);
            if (!arguments.bitwise.empty() && is_given) throw CLI::ExcludesError("--bitwise", name);
        }
    });
}

std::function<int()> configure_compare(CLI::App& app, const Globals& globals) {
    const auto arguments = std::make_shared<CompareArguments>();
    diagnose::ComparisonRequest& request = arguments->request;
    app.add_option(
        "-m,--target",
        arguments->target,
        "the side under test: " + all_recordings_text() + "; or a tree of them by steps and ranks");
    app.add_option(
        "-g,--golden", arguments->golden, "the trusted side, of the same kind or another");
    add_bitwise_option(app, *arguments);
    app.add_option(
        "-o,--output", arguments->output, "folder for result.csv, verdicts.json and report.html");
    add_page_option(app, arguments->html);
    app.add_option("--tolerance",
                   arguments->request.tolerance,
                   "allowed max|t-g| / max|g| of every float tensor; without it: by ComputeType")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--tolerance-factor",
                   arguments->request.tolerance_factor,
                   "scales the tolerances by ComputeType")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--judge",
                   arguments->request.judge,
                   "exact: every op is computed again; quick: those beyond their tolerance, what "
                   "made their inputs, and the program's outputs; off: none, by distance only")
        ->check(CLI::IsMember({"exact", "quick", "off"}))
        ->capture_default_str();
    std::string chips;
    for (const Chip& row : all_chips())
        chips += (chips.empty() ? "" : ", ") + std::string(row.name);
    app.add_option("--chip",
                   arguments->request.chip,
                   "what the target ran on, so that other arithmetic is a finding: " + chips +
                       "; without it: what its dump says");
    app.add_option(
        "--target-class",
        arguments->request.target_class,
        "the arithmetic that the target should have, a class of `npuscope help classes`");
    add_judging_options(app,
                        request.judging,
                        {.third = "the third chip's recording of the same run; golden: the golden "
                                  "side is the third chip; emulated: float32 arithmetic here "
                                  "stands in",
                         .third_default = "golden",
                         .repeated = "the golden's run"});
    app.add_flag("--allow-golden-at-fault",
                 arguments->request.allow_golden_at_fault,
                 "ops on which the golden is wrong and the target is not are no findings");
    app.add_flag("--no-inputs", arguments->no_inputs, "compare outputs only");
    app.add_flag("--no-kl",
                 arguments->no_divergence,
                 "leave the Kullback-Leibler divergence out of reports and JSON; it needs a second "
                 "pass");
    app.add_flag("--worst-first", arguments->worst_first, "order by severity");
    app.add_flag("--all", arguments->all, "show ops that pass, too");
    app.add_option(
           "--threads", arguments->request.threads, "0: all cores; results do not depend on it")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--custom",
                   arguments->custom,
                   "folder with own algorithms: DIR/algorithm/alg_<Name>.py, each with "
                   "compare(my, golden, params) -> (value, reason); runs these scripts with "
                   "/usr/bin/python3");
    app.add_option("--custom-timeout",
                   arguments->custom_timeout,
                   "seconds that own algorithms may take for one tensor")
        ->check(CLI::Range(0.001, 1e6))
        ->capture_default_str();
    add_align_options(app, arguments->align);
    add_ci_options(app, arguments->ci);
    return [arguments, &globals] { return run_compare(*arguments, globals); };
}

}  // namespace

extern const Command k_compare_command;
const Command k_compare_command = {
    "compare",
    "compare two dumps, folders of dumps or sets of arrays tensor by tensor",
    configure_compare};

}  // namespace npuscope::cli
