// npuscope check [MODEL.onnx]: the main job.
#include "diagnose/check/check.h"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/builtin_sample.h"
#include "cli/ci_output.h"
#include "cli/command.h"
#include "cli/interrupts.h"
#include "cli/options/device_options.h"
#include "cli/options/input_options.h"
#include "cli/options/judging_options.h"
#include "compare/report/terminal/beside.h"
#include "core/base/error.h"
#include "diagnose/check/check_files.h"
#include "diagnose/run/run.h"

namespace npuscope::cli {

namespace {

struct CheckArguments {
    diagnose::CheckOptions check;
    DeviceOptions device;
    std::vector<std::string> input_shapes;
    CiArguments ci;
};

void print_text(const diagnose::CheckReport& report,
                const compare::Result& result,
                const std::filesystem::path& output,
                const Globals& globals) {
    fmt::print("{}", diagnose::to_text(report, use_color(globals, 1), globals.verbose));
    for (const std::string& block :
         {compare::standard_text(result, globals.verbose), compare::gate_text(result)})
        if (!block.empty()) fmt::print("\n{}", block);
    if (!output.empty()) fmt::print("  report      {}\n", (output / "report.html").string());
}

int run_check(CheckArguments& arguments, const Globals& globals) {
    const Interrupts interrupts;
    CiOutput ci(arguments.ci, globals);
    diagnose::CheckOptions& options = arguments.check;
    options.device = Device::npu(chip(arguments.device.chip), arguments.device.settings());
    options.reference = diagnose::device_from_names("cpu", "", arguments.device.reference);
    options.input_shapes = diagnose::parse_input_shapes(arguments.input_shapes);
    options.progress = !globals.quiet;
    options.between_steps = Interrupts::check;
    const std::unique_ptr<BuiltinSample> sample =
        options.model.empty() ? std::make_unique<BuiltinSample>() : nullptr;
    if (sample) {
        options.model = sample->model();
        if (options.input.empty()) {
            options.input = sample->inputs();
            options.input_name = "64 handwritten digits (built in)";
        }
    }
    const diagnose::CheckReport report = diagnose::check(options);
    compare::Result result = diagnose::as_comparison(report);
    ci.judge({}, result);
    const compare::Gate* gate = result.gate ? &*result.gate : nullptr;
    const std::string document =
        options.output.empty()
            ? diagnose::to_json(report, gate)
            : diagnose::write_check_files(report, gate, options.output, globals.command_line);
    if (!ci.takes_stdout()) {
        if (globals.json)
            fmt::print("{}", document);
        else
            print_text(report, result, options.output, globals);
    }
    ci.add({.name = report.model + " on " + report.device,
            .result = &result,
            .target = options.model.string()});
    ci.write();
    if (result.gate) return result.gate->exit_code;
    if (report.verdict == diagnose::CheckVerdict::kUndecided) return kNotDone;
    return report.verdict == diagnose::CheckVerdict::kPass ? kNoFinding : kFinding;
}

std::function<int()> configure_check(CLI::App& app, const Globals& globals) {
    const auto arguments = std::make_shared<CheckArguments>();
    diagnose::CheckOptions& check = arguments->check;
    app.add_option(
        "model", check.model, "ONNX model; without it: the built-in sample, a digits classifier");
    add_device_options(app, arguments->device, false);
    add_input_options(app, check.input, check.seed, arguments->input_shapes, check.limits);
    app.add_option("--golden", check.golden, ".h5 of a golden run to use instead of the reference");
    app.add_option(
        "-o,--output", check.output, "folder for the dumps, verdicts.json and report.html");
    add_judging_options(app,
                        check.judging,
                        {.third = "a third chip's recording of the same model and input; golden: "
                                  "the golden run; emulated: float32 arithmetic here stands in",
                         .third_default = "golden with --golden, else emulated",
                         .repeated = "the golden's run"});
    add_ci_options(app, arguments->ci);
    return [arguments, &globals] { return run_check(*arguments, globals); };
}

}  // namespace

extern const Command k_check_command;
const Command k_check_command = {
    "check", "find the first op that differs on a chip, and why", configure_check};

}  // namespace npuscope::cli
