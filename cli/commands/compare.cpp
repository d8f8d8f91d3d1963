// npuscope compare -m TARGET -g GOLDEN: verdicts for two dumps or two sets of arrays.
#include <cstdio>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "cli/align_arguments.h"
#include "cli/bitwise_command.h"
#include "cli/ci_output.h"
#include "cli/command.h"
#include "cli/compare_trees.h"
#include "cli/interrupts.h"
#include "compare/files.h"
#include "compare/noise.h"
#include "compare/pair_runs.h"
#include "compare/report/report.h"
#include "compare/standards/standard.h"
#include "compare/tolerances.h"
#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/progress.h"
#include "core/recording/formats/format.h"
#include "core/recording/tree.h"
#include "custom_algorithms/runner.h"
#include "diagnose/apis/api_calls.h"
#include "diagnose/judge/split.h"
#include "diagnose/judge/sum_bounds.h"
#include "npu_backend/chips/chip.h"

namespace npuscope::cli {

namespace {

struct CompareArguments {
    std::vector<std::filesystem::path> bitwise;
    std::string target;
    std::string golden;
    std::string output;
    std::string custom;
    std::string chip;
    std::string target_class;
    std::string standard;
    std::string third = "golden";
    std::string judge = "exact";
    bool allow_golden_at_fault = false;
    std::optional<double> tolerance;
    double factor = 1;
    bool no_inputs = false;
    bool no_divergence = false;
    bool worst_first = false;
    bool all = false;
    int threads = 0;
    double custom_timeout = 600;
    std::string tolerances;
    std::vector<std::string> repeats;
    std::string noise;
    std::string noise_out;
    AlignArguments align;
    CiArguments ci;
};

/// What the options say, once for all pairs of runs.
struct Job {
    compare::Options options;
    diagnose::ExpectedArithmetic expected;
    std::unique_ptr<compare::Bounds> bounds;
    std::unique_ptr<compare::Bounds> written;  ///< over `bounds`
    compare::Noise noise;
    std::unique_ptr<custom_algorithms::Runner> custom;
    compare::ReportOptions report;
    bool run_names = false;  ///< runs are called by step and rank
    JoinedRanks ranks{};     ///< of sides that are compared as one
};

void take_standard(const CompareArguments& arguments, Job& job) {
    compare::StandardOptions& options = job.options.standard;
    if (!arguments.standard.empty())
        options.standard = &compare::standard_named(arguments.standard);
    if (arguments.third == "golden") return;
    if (options.standard == nullptr || !options.standard->takes_third)
        throw Error(ErrorKind::kUsage,
                    "--third is for standards that hold errors against a third chip's: cann-L0, "
                    "cann-L1, cann-L2");
    if (arguments.third == "emulated") {
        options.third_is_plain = true;
    } else {
        options.third = arguments.third;
    }
}

Job job_of(const CompareArguments& arguments, const Globals& globals) {
    Job job{.options = {},
            .expected = {arguments.chip.empty() ? nullptr : &chip(arguments.chip),
                         arguments.target_class},
            .bounds = {},
            .written = {},
            .noise = {},
            .custom = {},
            .report = {}};
    job.options.threads = arguments.threads;
    job.options.inputs = !arguments.no_inputs;
    job.options.divergence = !arguments.no_divergence;
    if (!arguments.custom.empty())
        job.custom = std::make_unique<custom_algorithms::Runner>(
            arguments.custom,
            custom_algorithms::RunnerOptions{
                .patience = std::chrono::milliseconds(
                    static_cast<int64_t>(arguments.custom_timeout * 1000))});
    job.options.custom = job.custom.get();
    job.options.judging = arguments.tolerance || !arguments.tolerances.empty()
                              ? compare::Judging::kOff
                              : compare::judging_named(arguments.judge);
    job.options.allow_golden_at_fault = arguments.allow_golden_at_fault;
    if (job.expected.is_anything() && job.options.judging == compare::Judging::kOff)
        throw Error(ErrorKind::kUsage,
                    "--chip and --target-class say what arithmetic to expect; nothing is computed "
                    "that shows it with --judge off or --tolerance");
    take_standard(arguments, job);
    job.options.on_open = diagnose::describe_calls;
    take_alignment(arguments.align, job.options.align);
    if (arguments.tolerance) {
        job.bounds = std::make_unique<compare::FixedBounds>(*arguments.tolerance);
    } else {
        job.bounds = std::make_unique<compare::PrecisionBounds>(arguments.factor);
    }
    if (!arguments.tolerances.empty())
        job.written = std::make_unique<compare::WrittenBounds>(*job.bounds, arguments.tolerances);
    job.report.color = use_color(globals, 1) && !globals.json;
    job.report.worst_first = arguments.worst_first;
    job.report.all_ops = arguments.all || globals.verbose;
    job.report.options = {
        {"tolerance",
         arguments.tolerance ? std::to_string(*arguments.tolerance) : "by compute type"},
        {"tolerance_factor", std::to_string(arguments.factor)},
        {"inputs", arguments.no_inputs ? "no" : "yes"},
        {"judge", job.options.judging == compare::Judging::kOff ? "off" : arguments.judge},
        {"chip", arguments.chip},
        {"target_class", arguments.target_class},
        {"standard", arguments.standard},
        {"third", arguments.third},
        {"allow_golden_at_fault", arguments.allow_golden_at_fault ? "yes" : "no"}};
    return job;
}

/// One run of each side; reports go to `output` where it is not "".
ComparedRuns compare_runs(Job& job,
                          const compare::RunPair& pair,
                          const std::string& output,
                          CiOutput& ci,
                          const Globals& globals) {
    const std::string target = pair.target->path.string();
    const std::string golden = pair.golden->path.string();
    diagnose::RecomputingSplitter splitter(job.options.threads, {}, job.expected);
    job.options.splitter = &splitter;
    std::optional<Progress> progress;
    job.options.on_op = [&](int64_t done, int64_t total, const std::string& op) {
        if (!progress) progress.emplace("compare", total, !globals.quiet);
        progress->update(done, op);
        Interrupts::check();
    };
    const diagnose::SumBounds sums(job.written ? *job.written : *job.bounds, target, golden);
    const compare::NoisyBounds noisy(sums, job.noise);
    compare::Result result =
        job.ranks.target.empty()
            ? compare::compare_files(target, golden, noisy, job.options)
            : compare::compare_ranks(job.ranks.target, job.ranks.golden, noisy, job.options);
    if (job.noise.size() > 0 && !noisy.was_of_use())
        result.notes.push_back("the noise is of no tensor here: nothing is told apart by it");
    ci.judge(pair, result);
    progress.reset();
    job.report.target = target;
    job.report.golden = golden;
    if (job.expected.is_anything() && result.arithmetic.empty())
        std::fprintf(stderr, "npuscope: no op could be computed that shows the arithmetic\n");
    if (!output.empty()) compare::write_reports(result, job.report, output);
    ci.add({.name = job.run_names ? pair.text() : target + " against " + golden,
            .result = &result,
            .target = target});
    return {.exit_code = result.gate ? result.gate->exit_code : result.exit_code(),
            .verdict = std::string(compare::gated_verdict(result)),
            .first = result.culprits.empty() ? "" : first_path(result),
            .report =
                compare::report_named(globals.json ? "json" : "terminal").write(result, job.report),
            .notes = result.notes};
}

/// Of the golden's repetitions, and of a file.
void take_noise(const CompareArguments& arguments, Job& job) {
    if (!arguments.noise_out.empty() && arguments.repeats.empty())
        throw Error(ErrorKind::kUsage, "--noise-out writes what --repeat shows; give a recording");
    if (!arguments.noise.empty()) job.noise = compare::Noise(arguments.noise);
    compare::Noise measured;
    compare::Options options;
    options.threads = arguments.threads;
    options.divergence = false;
    options.judging = compare::Judging::kOff;
    options.on_open = diagnose::describe_calls;
    for (const std::string& repeat : arguments.repeats)
        measured.add(
            compare::compare_files(repeat, arguments.golden, compare::PrecisionBounds(), options));
    if (!arguments.repeats.empty() && measured.size() == 0)
        throw Error(ErrorKind::kUsage, "--repeat: no tensor of the golden side is in them");
    if (!arguments.noise_out.empty()) write_text_file(arguments.noise_out, measured.to_json());
    job.noise.merge(measured);
}

int run_compare(const CompareArguments& arguments, const Globals& globals) {
    if (!arguments.bitwise.empty()) return run_bitwise(arguments.bitwise, globals);
    const Interrupts interrupts;
    Job job = job_of(arguments, globals);
    CiOutput ci(arguments.ci, globals);
    job.ranks = ranks_to_join(arguments.align, arguments.target, arguments.golden);
    const std::vector<compare::RunPair> pairs =
        job.ranks.target.empty()
            ? compare::pair_runs(recorded_runs(arguments.target), recorded_runs(arguments.golden))
            : std::vector<compare::RunPair>{};
    job.run_names = pairs.size() > 1;
    if (job.run_names && !job.options.standard.third.empty())
        throw Error(ErrorKind::kUsage,
                    "--third FILE goes with one run of each side; these are trees of several");
    if (job.run_names && !arguments.repeats.empty())
        throw Error(ErrorKind::kUsage,
                    "--repeat goes with one run of each side; these are trees of several");
    take_noise(arguments, job);
    int exit_code = 0;
    if (job.run_names) {
        exit_code = compare_trees(
            pairs,
            {.target = arguments.target,
             .golden = arguments.golden,
             .output = arguments.output,
             .is_silent = ci.takes_stdout()},
            [&](const compare::RunPair& pair, const std::string& output) {
                return compare_runs(job, pair, output, ci, globals);
            },
            [&](const compare::RunPair& pair, const std::string& problem) {
                ci.add({.name = pair.text(), .problem = problem, .target = arguments.target});
            },
            globals);
    } else {
        compare::RunPair pair = pairs.empty() ? compare::RunPair{} : pairs.front();
        if (!pair.target) pair.target.emplace();
        if (!pair.golden) pair.golden.emplace();
        // As they were named.
        pair.target->path = arguments.target;
        pair.golden->path = arguments.golden;
        const ComparedRuns compared = compare_runs(job, pair, arguments.output, ci, globals);
        print_notes(compared);
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
                   "they differ; dumps of hashes will do")
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
    app.add_option(
        "-m,--target",
        arguments->target,
        "the side under test: " + all_recordings_text() + "; or a tree of them by steps and ranks");
    app.add_option(
        "-g,--golden", arguments->golden, "the trusted side, of the same kind or another");
    add_bitwise_option(app, *arguments);
    app.add_option("-o,--output", arguments->output, "folder for result.csv and verdicts.json");
    app.add_option("--tolerance",
                   arguments->tolerance,
                   "allowed max|t-g| / max|g| of every float tensor; without it: by ComputeType")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--tolerances",
                   arguments->tolerances,
                   "JSON file of tolerances by tensor (a regular expression) and dtype; as with "
                   "--tolerance nothing is computed again");
    app.add_option("--tolerance-factor", arguments->factor, "scales the tolerances by ComputeType")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--judge",
                   arguments->judge,
                   "exact: every op is computed again; quick: those beyond their tolerance, what "
                   "made their inputs, and the program's outputs; off: none, by distance only")
        ->check(CLI::IsMember({"exact", "quick", "off"}))
        ->capture_default_str();
    std::string chips;
    for (const Chip& row : all_chips())
        chips += (chips.empty() ? "" : ", ") + std::string(row.name);
    app.add_option("--chip",
                   arguments->chip,
                   "what the target ran on, so that other arithmetic is a finding: " + chips +
                       "; without it: what its dump says");
    app.add_option(
        "--target-class",
        arguments->target_class,
        "the arithmetic that the target should have, a class of `npuscope help classes`");
    std::string standards;
    for (const compare::Standard& row : compare::all_standards())
        standards += (standards.empty() ? "" : ", ") + std::string(row.name);
    app.add_option("--standard",
                   arguments->standard,
                   "what another project's rule says, beside the verdicts: " + standards);
    app.add_option("--third",
                   arguments->third,
                   "with cann-L0, -L1, -L2: the third chip's recording of the same run; golden: "
                   "the golden side is the third chip; emulated: float32 arithmetic here stands in")
        ->capture_default_str();
    app.add_flag("--allow-golden-at-fault",
                 arguments->allow_golden_at_fault,
                 "ops on which the golden is wrong and the target is not are no findings");
    app.add_flag("--no-inputs", arguments->no_inputs, "compare outputs only");
    app.add_flag("--no-kl",
                 arguments->no_divergence,
                 "leave out the Kullback-Leibler divergence, which needs a second pass");
    app.add_flag("--worst-first", arguments->worst_first, "order by severity");
    app.add_flag("--all", arguments->all, "show ops that pass, too");
    app.add_option("--threads", arguments->threads, "0: all cores; results do not depend on it")
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
    app.add_option(
        "--repeat",
        arguments->repeats,
        "further recordings of the golden's run: how far they are apart is noise, and no "
        "finding; may repeat");
    app.add_option("--noise-out", arguments->noise_out, "file for the noise that --repeat shows");
    add_align_options(app, arguments->align);
    app.add_option("--noise", arguments->noise, "file of noise from an earlier --noise-out");
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
