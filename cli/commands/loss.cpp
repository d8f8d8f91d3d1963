// npuscope loss GOLDEN TARGET…
#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/page_output.h"
#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "loss/report/drawing.h"
#include "loss/report/report.h"
#include "page/page.h"

namespace npuscope::cli {

namespace {

struct LossArguments {
    std::string golden;
    std::vector<std::string> targets;
    std::vector<std::string> like;
    std::string precision = "bfloat16";
    int64_t accumulation = 1;
    bool any_start = false;
    bool plot = false;
    std::string svg;
    std::string html;
};

int run_loss(const LossArguments& arguments, const Globals& globals) {
    loss::Options options;
    options.precision = loss::precision_named(arguments.precision);
    options.accumulation = arguments.accumulation;
    options.any_start = arguments.any_start;
    const loss::Comparison comparison =
        loss::compare_logs(arguments.golden, arguments.targets, arguments.like, options);
    if (!arguments.svg.empty()) {
        if (comparison.targets.size() > 1)
            throw Error(ErrorKind::kUsage, "--svg draws one target; --html takes several");
        write_text_file(arguments.svg, loss::to_svg(comparison, 0));
    }
    if (!arguments.html.empty())
        page::write_page(
            arguments.html,
            page::read_result(loss::to_json(comparison), "loss"),
            {.details = loss::curves_json(comparison), .command = globals.command_line});
    const bool plot = arguments.plot || (isatty(STDOUT_FILENO) == 1 && !globals.quiet);
    const std::string text =
        globals.json ? loss::to_json(comparison)
                     : loss::to_text(comparison, {use_color(globals, 1), globals.verbose, plot});
    std::fwrite(text.data(), 1, text.size(), stdout);
    return comparison.found() ? kFinding : kNoFinding;
}

std::function<int()> configure_loss(CLI::App& app, const Globals& globals) {
    auto options = std::make_shared<LossArguments>();
    app.add_option("GOLDEN", options->golden, "the trusted run's log")->required();
    app.add_option("TARGET", options->targets, "logs under test, each judged by the golden's")
        ->required();
    app.add_option("--like",
                   options->like,
                   "log of another run that is like the golden's: the noise is what these differ "
                   "by; may repeat")
        ->allow_extra_args(false);
    app.add_option("--precision",
                   options->precision,
                   "what both runs compute in: float32, float16 or bfloat16")
        ->capture_default_str();
    app.add_option("--accumulation",
                   options->accumulation,
                   "logged steps that share their weights, where each micro batch is logged")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--any-start",
                 options->any_start,
                 "seeds differ on purpose: how the runs part is no finding, where they go is");
    app.add_flag("--plot", options->plot, "draw the losses, also where the output is no terminal");
    app.add_option("--svg", options->svg, "file for a picture of the losses and their difference");
    add_page_option(app, options->html);
    app.footer(
        "Says where two training runs part (the start, the first update, a later step) or how one "
        "goes "
        "astray (drift, spike,\ndivergence, NaN), or that they are identical or within noise.\n"
        "Exit codes: 0 identical or within the noise of like runs, 1 a finding, 2 a log cannot be "
        "read, or no step is common.");
    return [options, &globals] { return run_loss(*options, globals); };
}

}  // namespace

extern const Command k_loss_command;
const Command k_loss_command = {
    "loss", "compare training logs: where and how two runs part", configure_loss};

}  // namespace npuscope::cli
