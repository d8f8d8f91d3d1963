// npuscope recompute DUMP.h5: every recorded op again, from its own recorded inputs.
#include "diagnose/flows/recompute.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/options/device_options.h"
#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "diagnose/flows/run.h"

namespace npuscope::cli {

namespace {

struct RecomputeArguments {
    std::string dump;
    DeviceOptions device;
};

bool passes(const diagnose::RecomputedOp& op) {
    return std::ranges::all_of(op.results, &diagnose::RecomputedResult::within);
}

std::string path_of(const diagnose::RecomputedOp& op) {
    return fmt::format("/{}/{}", op.op, op.seqid);
}

/// The result that decides: the first that fails, else the one with the largest error.
const diagnose::RecomputedResult* deciding(const diagnose::RecomputedOp& op) {
    const diagnose::RecomputedResult* found = nullptr;
    for (const diagnose::RecomputedResult& result : op.results)
        if (found == nullptr || (found->within && !result.within) ||
            (found->within == result.within && result.relative_error > found->relative_error))
            found = &result;
    return found;
}

void print_op(const diagnose::RecomputedOp& op) {
    if (!op.skipped.empty()) {
        fmt::print("{:<36} skipped   {}\n", printable(path_of(op)), printable(op.skipped));
        return;
    }
    const diagnose::RecomputedResult* result = deciding(op);
    if (result == nullptr) {
        fmt::print("{:<36} skipped   no result was recorded\n", printable(path_of(op)));
        return;
    }
    const std::string found = result->incomparable.empty()
                                  ? fmt::format("{:.2e}", result->relative_error)
                                  : printable(result->incomparable);
    fmt::print("{:<36} {:<9} {}: {} ({})\n",
               printable(path_of(op)),
               passes(op) ? "pass" : "fail",
               printable(result->name),
               found,
               result->bound);
}

struct Counts {
    int64_t passed = 0, failed = 0, skipped = 0;
};

Counts counts_of(const diagnose::RecomputeReport& report) {
    Counts counts;
    for (const diagnose::RecomputedOp& op : report.ops) {
        if (!op.skipped.empty() || op.results.empty())
            ++counts.skipped;
        else
            ++(passes(op) ? counts.passed : counts.failed);
    }
    return counts;
}

void print_text(const diagnose::RecomputeReport& report, const Device& device, bool verbose) {
    fmt::print("device    {}\n", device.description());
    for (const diagnose::RecomputedOp& op : report.ops)
        if (verbose || !op.skipped.empty() || op.results.empty() || !passes(op)) print_op(op);
    const Counts counts = counts_of(report);
    fmt::print("{} ops: {} pass, {} fail, {} skipped\n",
               report.ops.size(),
               counts.passed,
               counts.failed,
               counts.skipped);
    if (const diagnose::RecomputedOp* worst = report.worst())
        fmt::print("worst     {}: {:.2e} of the largest value\n",
                   printable(path_of(*worst)),
                   worst->worst());
}

nlohmann::json number(double value) {
    if (std::isfinite(value)) return value;
    return nullptr;
}

nlohmann::json to_json(const diagnose::RecomputeReport& report, const Device& device) {
    const Counts counts = counts_of(report);
    nlohmann::json root = {{"version", 1},
                           {"device", device.description()},
                           {"passed", counts.passed},
                           {"failed", counts.failed},
                           {"skipped", counts.skipped},
                           {"missing", report.missing},
                           {"ops", nlohmann::json::array()}};
    for (const diagnose::RecomputedOp& op : report.ops) {
        nlohmann::json row = {{"path", path_of(op)},
                              {"computed_as", op.computed_as},
                              {"skipped", op.skipped},
                              {"results", nlohmann::json::array()}};
        for (const diagnose::RecomputedResult& result : op.results)
            row["results"].push_back({{"name", result.name},
                                      {"relative_error", number(result.relative_error)},
                                      {"within", result.within},
                                      {"bound", result.bound},
                                      {"incomparable", result.incomparable}});
        root["ops"].push_back(std::move(row));
    }
    return root;
}

int run_recompute(const RecomputeArguments& arguments, const Globals& globals) {
    require_regular_file(arguments.dump, "dump");
    const DeviceOptions& options = arguments.device;
    const Device device = diagnose::device_from_names(
        options.device, options.chip, options.reference, options.settings());
    const diagnose::RecomputeReport report = diagnose::recompute(arguments.dump, device);
    if (globals.json)
        fmt::print("{}\n", to_json(report, device).dump(2));
    else
        print_text(report, device, globals.verbose);
    std::fflush(stdout);
    const Counts counts = counts_of(report);
    if (counts.passed + counts.failed == 0)
        throw Error(ErrorKind::kUsage,
                    "'" + arguments.dump +
                        "': no op could be computed again; was it dumped with its inputs?");
    return counts.failed != 0 ? kFinding : kNoFinding;
}

std::function<int()> configure_recompute(CLI::App& app, const Globals& globals) {
    auto arguments = std::make_shared<RecomputeArguments>();
    app.add_option("DUMP", arguments->dump, "a dump (.h5) of any source, with inputs")->required();
    add_device_options(app, arguments->device, true);
    app.footer(
        "Each op sees its own recorded inputs, so that no op answers for another.\n"
        "-v lists the ops that pass, too.\n"
        "Exit codes: 0 all that were computed pass, 1 some fail, 2 could not do the work.");
    return [arguments, &globals] { return run_recompute(*arguments, globals); };
}

}  // namespace

extern const Command k_recompute_command;
const Command k_recompute_command = {
    "recompute", "compute each op of a dump again from its recorded inputs", configure_recompute};

}  // namespace npuscope::cli
