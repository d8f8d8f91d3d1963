#include "cli/recompute_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compare/report/beside_json.h"
#include "compare/report/terminal/beside.h"
#include "core/base/printable.h"

namespace npuscope::cli {

namespace {

bool is_within(const compare::TensorResult& result) {
    return !compare::is_finding(result.judgement.verdict);
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

std::string line_of_op(const diagnose::RecomputedOp& op) {
    if (!op.skipped.empty() && op.results.empty()) {
        return fmt::format("{:<36} skipped   {}\n", printable(op.path), printable(op.skipped));
    }
    const compare::TensorResult* result = deciding(op);
    if (result == nullptr) {
        return fmt::format("{:<36} skipped   no result was recorded\n", printable(op.path));
    }
    const std::string why = obstacle(*result);
    const std::string found =
        why.empty() ? fmt::format("{:.2e}", compare::relative_error(*result)) : printable(why);
    return fmt::format("{:<36} {:<9} {}: {} ({}){}\n",
                       printable(op.path),
                       op.passes() ? "pass" : "fail",
                       printable(result->argument),
                       found,
                       result->judgement.bound.source,
                       errors_text(op, *result));
}

nlohmann::json finite_or_null(double value) {
    if (std::isfinite(value)) return value;
    return nullptr;
}

nlohmann::json errors_json(const std::optional<diagnose::Errors>& errors) {
    if (!errors) return nullptr;
    const auto number = [](const std::optional<double>& value) {
        return value ? finite_or_null(*value) : nlohmann::json();
    };
    return {{"recorded", finite_or_null(errors->recorded)},
            {"of_dtype", number(errors->of_dtype)},
            {"of_device", number(errors->of_device)},
            {"word", errors->word()}};
}

}  // namespace

RecomputeCounts counts_of(const diagnose::RecomputeReport& report) {
    RecomputeCounts counts;
    for (const diagnose::RecomputedOp& op : report.ops) {
        if (op.results.empty())
            ++counts.skipped;
        else
            ++(op.passes() ? counts.passed : counts.failed);
    }
    return counts;
}

const diagnose::RecomputedOp* first_failure(const diagnose::RecomputeReport& report) {
    const auto found =
        std::ranges::find_if(report.ops, [](const auto& op) { return !op.passes(); });
    return found == report.ops.end() ? nullptr : &*found;
}

std::string recompute_text(const diagnose::RecomputeReport& report,
                           const compare::Result& result,
                           const Device& device,
                           bool verbose) {
    std::string text;
    const auto put = std::back_inserter(text);
    fmt::format_to(put, "device    {}\n", device.description());
    for (const std::string& note : report.notes)
        fmt::format_to(put, "note      {}\n", printable(note));
    for (const std::string& line : report.arithmetic)
        fmt::format_to(put, "computes  {}\n", line);
    for (const diagnose::RecomputedOp& op : report.ops)
        if (verbose || !op.skipped.empty() || op.results.empty() || !op.passes())
            text += line_of_op(op);
    const RecomputeCounts counts = counts_of(report);
    fmt::format_to(put,
                   "{} ops: {} pass, {} fail, {} skipped\n",
                   report.ops.size(),
                   counts.passed,
                   counts.failed,
                   counts.skipped);
    if (const diagnose::RecomputedOp* worst = report.worst())
        fmt::format_to(put,
                       "worst     {}: {:.2e} of the largest value\n",
                       printable(worst->path),
                       worst->worst());
    if (result.counts.ignored_tensors > 0)
        fmt::format_to(put,
                       "ignored   {} elements of {} tensors\n",
                       result.counts.ignored_elements,
                       result.counts.ignored_tensors);
    return text + compare::standard_text(result, verbose) + compare::gate_text(result);
}

nlohmann::json recompute_json(const diagnose::RecomputeReport& report,
                              const compare::Result& result,
                              const Device& device) {
    const RecomputeCounts counts = counts_of(report);
    nlohmann::json root = {{"version", 1},
                           {"device", device.description()},
                           {"passed", counts.passed},
                           {"failed", counts.failed},
                           {"skipped", counts.skipped},
                           {"missing", report.missing},
                           {"notes", report.notes},
                           {"arithmetic", report.arithmetic},
                           {"culprits", compare::findings_json(result)},
                           {"ops", nlohmann::json::array()}};
    if (report.standard) root["standard"] = compare::summary_json(*report.standard, result);
    if (result.gate) root["gate"] = compare::gate_json(*result.gate);
    for (const diagnose::RecomputedOp& op : report.ops) {
        nlohmann::json row = {{"path", op.path},
                              {"computed_as", op.computed_as},
                              {"skipped", op.skipped},
                              {"results", nlohmann::json::array()}};
        for (size_t i = 0; i < op.results.size(); ++i) {
            const compare::TensorResult& tensor = op.results[i];
            nlohmann::json found = {
                {"name", tensor.argument},
                {"relative_error", finite_or_null(compare::relative_error(tensor))},
                {"introduced",
                 tensor.split && tensor.split->target ? finite_or_null(tensor.split->target->ratio)
                                                      : nlohmann::json()},
                {"within", is_within(tensor)},
                {"bound", tensor.judgement.bound.source},
                {"errors", errors_json(op.errors[i])},
                {"incomparable", obstacle(tensor)}};
            if (report.standard) found["standard"] = compare::standard_json(tensor.standard);
            if (tensor.ignored > 0) found["ignored"] = tensor.ignored;
            row["results"].push_back(std::move(found));
        }
        root["ops"].push_back(std::move(row));
    }
    return root;
}

}  // namespace npuscope::cli
