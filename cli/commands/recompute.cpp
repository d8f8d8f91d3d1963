// npuscope recompute DUMP: every recorded op again, from its own recorded inputs.
#include "diagnose/recompute/recompute.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/options/device_options.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "diagnose/run/run.h"

namespace npuscope::cli {

namespace {

struct RecomputeArguments {
    std::string dump;
    DeviceOptions device;
};

bool is_within(const compare::TensorResult& result) {
    return !compare::is_finding(result.judgement.verdict);
}

bool passes(const diagnose::RecomputedOp& op) {
    return std::ranges::all_of(op.results, is_within);
}

/// The result that decides: the first that fails, else the one with the largest error.
const compare::TensorResult* deciding(const diagnose::RecomputedOp& op) {
    const auto weight = [](const compare::TensorResult& result) {
        return std::pair(!is_within(result), compare::relative_error(result));
    };
    const compare::TensorResult* found = nullptr;
    for (const compare::TensorResult& result : op.results)
        if (found == nullptr || weight(result) > weight(*found)) found = &result;
    return found;
}

/// Why a result could not be judged; "" otherwise.
std::string obstacle(const compare::TensorResult& result) {
    return result.judgement.verdict == compare::Verdict::kIncomparable ? result.judgement.rule
                                                                       : std::string();
}

std::string one_error(const char* of, const std::optional<double>& error) {
    return error ? fmt::format(", {} {:.1e}", of, *error) : std::string();
}

/// "; off by 3.1e-08, its dtype 3.0e-08, the device 2.1e-04: as expected".
std::string errors_text(const diagnose::RecomputedOp& op, const compare::TensorResult& result) {
    const auto place = static_cast<size_t>(&result - op.results.data());
    if (!op.errors[place]) return {};
    const diagnose::Errors& errors = *op.errors[place];
    return fmt::format("; off by {:.1e}{}{}: {}",
                       errors.recorded,
                       one_error("its dtype", errors.of_dtype),
                       one_error("the device", errors.of_device),
                       errors.word());
}

void print_op(const diagnose::RecomputedOp& op) {
    if (!op.skipped.empty() && op.results.empty()) {
        fmt::print("{:<36} skipped   {}\n", printable(op.path), printable(op.skipped));
        return;
    }
    const compare::TensorResult* result = deciding(op);
    if (result == nullptr) {
        fmt::print("{:<36} skipped   no result was recorded\n", printable(op.path));
        return;
    }
    const std::string why = obstacle(*result);
    const std::string found =
        why.empty() ? fmt::format("{:.2e}", compare::relative_error(*result)) : printable(why);
    fmt::print("{:<36} {:<9} {}: {} ({}){}\n",
               printable(op.path),
               passes(op) ? "pass" : "fail",
               printable(result->argument),
               found,
               result->judgement.bound.source,
               errors_text(op, *result));
}

struct Counts {
    int64_t passed = 0, failed = 0, skipped = 0;
};

Counts counts_of(const diagnose::RecomputeReport& report) {
    Counts counts;
    for (const diagnose::RecomputedOp& op : report.ops) {
        if (op.results.empty())
            ++counts.skipped;
        else
            ++(passes(op) ? counts.passed : counts.failed);
    }
    return counts;
}

void print_text(const diagnose::RecomputeReport& report, const Device& device, bool verbose) {
    fmt::print("device    {}\n", device.description());
    for (const std::string& note : report.notes)
        fmt::print("note      {}\n", printable(note));
    for (const std::string& line : report.arithmetic)
        fmt::print("computes  {}\n", line);
    for (const diagnose::RecomputedOp& op : report.ops)
        if (verbose || !op.skipped.empty() || op.results.empty() || !passes(op)) print_op(op);
    const Counts counts = counts_of(report);
    fmt::print("{} ops: {} pass, {} fail, {} skipped\n",
               report.ops.size(),
               counts.passed,
               counts.failed,
               counts.skipped);
    if (const diagnose::RecomputedOp* worst = report.worst())
        fmt::print(
            "worst     {}: {:.2e} of the largest value\n", printable(worst->path), worst->worst());
}

nlohmann::json finite_or_null(double value) {
    if (std::isfinite(value)) return value;
    return nullptr;
}

nlohmann::json to_json(const std::optional<diagnose::Errors>& errors) {
    if (!errors) return nullptr;
    const auto number = [](const std::optional<double>& value) {
        return value ? finite_or_null(*value) : nlohmann::json();
    };
    return {{"recorded", finite_or_null(errors->recorded)},
            {"of_dtype", number(errors->of_dtype)},
            {"of_device", number(errors->of_device)},
            {"word", errors->word()}};
}

nlohmann::json to_json(const diagnose::RecomputeReport& report, const Device& device) {
    const Counts counts = counts_of(report);
    nlohmann::json root = {{"version", 1},
                           {"device", device.description()},
                           {"passed", counts.passed},
                           {"failed", counts.failed},
                           {"skipped", counts.skipped},
                           {"missing", report.missing},
                           {"notes", report.notes},
                           {"arithmetic", report.arithmetic},
                           {"ops", nlohmann::json::array()}};
    for (const diagnose::RecomputedOp& op : report.ops) {
        nlohmann::json row = {{"path", op.path},
                              {"computed_as", op.computed_as},
                              {"skipped", op.skipped},
                              {"results", nlohmann::json::array()}};
        for (size_t i = 0; i < op.results.size(); ++i) {
            const compare::TensorResult& result = op.results[i];
            row["results"].push_back(
                {{"name", result.argument},
                 {"relative_error", finite_or_null(compare::relative_error(result))},
                 {"introduced",
                  result.split && result.split->target ? finite_or_null(result.split->target->ratio)
                                                       : nlohmann::json()},
                 {"within", is_within(result)},
                 {"bound", result.judgement.bound.source},
                 {"errors", to_json(op.errors[i])},
                 {"incomparable", obstacle(result)}});
        }
        root["ops"].push_back(std::move(row));
    }
    return root;
}

/// Throws what nothing was computed for.
[[noreturn]] void nothing_computed(const diagnose::RecomputeReport& report,
                                   const std::string& dump) {
    std::string text =
        in_quotes(dump) + ": no op could be computed again; was it dumped with its inputs?";
    for (const std::string& note : report.notes)
        text += "; " + note;
    for (const diagnose::RecomputedOp& op : report.ops)
        if (report.notes.empty() && !op.skipped.empty()) {
            text += "; the first: " + op.path + ": " + op.skipped;
            break;
        }
    throw Error(ErrorKind::kUsage, printable(text));
}

int run_recompute(const RecomputeArguments& arguments, const Globals& globals) {
    if (!std::filesystem::exists(arguments.dump)) require_regular_file(arguments.dump, "dump");
    const DeviceOptions& options = arguments.device;
    const Device device = diagnose::device_from_names(
        options.device, options.chip, options.reference, options.settings());
    const diagnose::RecomputeReport report = diagnose::recompute(arguments.dump, device);
    const Counts counts = counts_of(report);
    if (counts.passed + counts.failed == 0) nothing_computed(report, arguments.dump);
    if (globals.json)
        fmt::print("{}\n", json_text(to_json(report, device), 2));
    else
        print_text(report, device, globals.verbose);
    std::fflush(stdout);
    return counts.failed != 0 ? kFinding : kNoFinding;
}

std::function<int()> configure_recompute(CLI::App& app, const Globals& globals) {
    auto arguments = std::make_shared<RecomputeArguments>();
    app.add_option("DUMP",
                   arguments->dump,
                   "a dump (.h5) of any source, or a dump.json of msprobe or its folder, "
                   "with the tensors of its inputs")
        ->required();
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
