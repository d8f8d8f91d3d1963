// npuscope overflow RECORDING
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/page_output.h"
#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/progress.h"
#include "overflow/scan.h"
#include "overflow/scan_report.h"
#include "overflow/tree_scan.h"

namespace npuscope::cli {

namespace {

struct OverflowArguments {
    std::string dump;
    double headroom = overflow::kLatentBinades;
    int threads = 0;
    std::string html;
};

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

int scan_runs(const OverflowArguments& options,
              const Globals& globals,
              const std::vector<RecordedRun>& runs,
              const overflow::ScanOptions& scan) {
    const overflow::TreeReport report = overflow::scan_tree(options.dump, runs, scan);
    if (!options.html.empty())
        write_page_of(options.html, "overflow", overflow::to_json(report), globals);
    print(globals.json ? overflow::to_json(report)
                       : overflow::to_text(report, use_color(globals, 1), globals.verbose));
    if (report.first() != nullptr) return kFinding;
    return report.has_problem() ? kNotDone : kNoFinding;
}

int run_overflow(const OverflowArguments& options, const Globals& globals) {
    Progress progress("scanning", 0, !globals.quiet);
    overflow::ScanOptions scan;
    scan.latent_binades = options.headroom;
    scan.threads = options.threads;
    scan.on_op = [&](int64_t done, int64_t, const std::string& path) {
        progress.update(done, path);
    };
    const std::vector<RecordedRun> runs = recorded_runs(options.dump);
    if (runs.size() > 1) return scan_runs(options, globals, runs, scan);
    const overflow::ScanReport report = overflow::scan_dump(options.dump, scan);
    if (!options.html.empty())
        write_page_of(options.html, "overflow", overflow::to_json(report), globals);
    print(globals.json ? overflow::to_json(report)
                       : overflow::to_text(report, {use_color(globals, 1), globals.verbose}));
    // A recorded status is a judgement even where no tensor is left to scan.
    if (report.tensors == 0 && report.ops_with_status == 0)
        throw Error(
            ErrorKind::kUsage,
            "'" + options.dump + "' holds no floating-point tensor to scan; is it a dump of ops?");
    if (report.found()) return kFinding;
    return report.unreadable > 0 ? kNotDone : kNoFinding;
}

std::function<int()> configure_overflow(CLI::App& app, const Globals& globals) {
    auto options = std::make_shared<OverflowArguments>();
    app.add_option("DUMP",
                   options->dump,
                   "a dump (.h5), files of arrays, a folder of CANN's or msprobe's dumps")
        ->required();
    app.add_option("--headroom",
                   options->headroom,
                   "binades below the largest finite value that count as latent overflow")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--threads", options->threads, "0: all cores")->check(CLI::NonNegativeNumber);
    add_page_option(app, options->html);
    app.footer(
        "Names the op where inf, nan or saturation began, those that only received it, and those "
        "that hid it.\n"
        "-v lists everything; npuscope help detectors explains the counts.\n"
        "Exit codes: 0 no finding, 1 overflow found (or inf or nan made by an op, or nan in "
        "outputs), 2 could not do the work, or nothing was found and not all could be read.");
    return [options, &globals] { return run_overflow(*options, globals); };
}

}  // namespace

extern const Command k_overflow_command;
const Command k_overflow_command = {
    "overflow",
    "find where inf, nan and saturation began in a recording, and where they went",
    configure_overflow};

}  // namespace npuscope::cli
