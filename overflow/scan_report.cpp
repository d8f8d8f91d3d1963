#include "overflow/scan_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "core/base/wrapped.h"
#include "overflow/flow_report.h"
#include "overflow/record_text.h"

namespace npuscope::overflow {

namespace {

using nlohmann::ordered_json;

constexpr size_t kShown = 20;

std::string bytes_text(int64_t bytes) {
    if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// Without a count where statistics tell of some only.
std::string finding_text(const Finding& finding, bool counted) {
    if (finding.detector->unit == "elements")
        return counted ? fmt::format("{:.0f} {}", finding.value, finding.detector->name)
                       : std::string(finding.detector->name);
    if (finding.detector->unit == "binades")
        return fmt::format("{} {:.2f} binades", finding.detector->name, finding.value);
    return std::string(finding.detector->name);
}

// "output/result float16 [8,10]: 3 inf, 1 saturated"
std::string tensor_text(const ScannedTensor& tensor) {
    std::string text = fmt::format("{} {} {}",
                                   printable(tensor.path),
                                   name_of(tensor.dtype),
                                   to_string(std::span<const int64_t>(tensor.shape)));
    for (size_t i = 0; i < tensor.findings.size(); ++i)
        text += (i == 0 ? ": " : ", ") +
                finding_text(tensor.findings[i], tensor.subject.census.counted);
    return text;
}

std::string input_text(const OverflowRecord& record) {
    return damage_text(
        record, "at the largest finite value", ", which is no output recorded before");
}

std::string kind_text(const ScannedOp& op) {
    switch (op.record.kind) {
        case OverflowKind::kIntroduced:
            return op.by_status ? "its inputs are undamaged: overflow began here"
                                : "its recorded inputs are clean: it began here";
        case OverflowKind::kReceived:
            if (op.record.via.starts_with("output/"))
                return "a module that gives out what is in it: " + input_text(op.record);
            return (op.record.raised() ? "received damage and overflowed too: input "
                                       : "received: input ") +
                   input_text(op.record);
        case OverflowKind::kInheritedFromInput:
            return "came in with argument " + input_text(op.record);
        case OverflowKind::kNonFiniteWithoutOverflow:
            return "made inf or nan, but its status shows no overflow (1/0, 0*inf, log 0)";
        case OverflowKind::kUndetermined:
            return "its inputs are not in the dump: made or received, this file cannot tell";
    }
    return {};
}

void append_op(std::string& text, const ScannedOp& op) {
    const OverflowRecord& record = op.record;
    text += wrapped(printable(record.path()) + place_text(record), 2, 4);
    text += wrapped(kind_text(op), 4, 6);
    if (record.raised()) {
        const std::string kernels = kernels_text(record);
        text += wrapped(
            "status: " + describe(record.status) + (kernels.empty() ? "" : "; kernels " + kernels),
            4,
            6);
    }
    for (const ScannedTensor& tensor : op.tensors)
        text += wrapped(tensor_text(tensor), 4, 6);
}

std::string judged_text(const ScanReport& report) {
    if (report.ops_with_status == report.ops) return "Judged by the float status of each op.";
    const std::string doubt =
        "an exact 65504 cannot be told from saturation there, nor 1/0 from overflow";
    if (report.ops_with_status == 0)
        return "Judged by values, since the dump has no float status: " + doubt + ".";
    return fmt::format("Judged by float status in {} ops and by values in the others: {}.",
                       report.ops_with_status,
                       doubt);
}

// A tensor of an op that a remark's detector found.
struct Remark {
    const ScannedOp* op;
    const ScannedTensor* tensor;
    double value;
};

std::vector<Remark> remarks_of(const ScanReport& report, const Detector& detector) {
    std::vector<Remark> remarks;
    for (const auto* list : {&report.damaged, &report.remarks})
        for (const ScannedOp& op : *list)
            for (const ScannedTensor& tensor : op.tensors) {
                if (tensor.path.rfind("output/", 0) != 0) continue;
                for (const Finding& finding : tensor.findings)
                    if (finding.detector == &detector)
                        remarks.push_back({&op, &tensor, finding.value});
            }
    return remarks;
}

void append_remarks(std::string& text,
                    const ScanReport& report,
                    const Detector& detector,
                    size_t limit) {
    std::vector<Remark> remarks = remarks_of(report, detector);
    if (remarks.empty()) return;
    std::stable_sort(remarks.begin(), remarks.end(), [&](const Remark& a, const Remark& b) {
        return detector.least_first ? a.value < b.value : a.value > b.value;
    });
    text += fmt::format("{}: {} tensor{}\n",
                        fmt::format(fmt::runtime(detector.title), report.latent_binades),
                        remarks.size(),
                        remarks.size() == 1 ? "" : "s");
    for (size_t i = 0; i < std::min(limit, remarks.size()); ++i)
        text +=
            wrapped(printable(remarks[i].op->record.path()) + place_text(remarks[i].op->record) +
                        " " + tensor_text(*remarks[i].tensor),
                    2,
                    4);
    if (remarks.size() > limit) text += fmt::format("  … and {} more\n", remarks.size() - limit);
}

std::string headline(const ScanReport& report, bool color) {
    const ScannedOp* first = report.first();
    if (first == nullptr && report.unreadable > 0)
        return fmt::format("No overflow found in what can be read; {} object{} cannot.\n",
                           report.unreadable,
                           report.unreadable == 1 ? "" : "s");
    if (first == nullptr) return "No overflow found.\n";
    const bool foreign = !report.found();
    const std::string path = printable(first->record.path());
    const std::string text = foreign
                                 ? fmt::format("No op overflowed; inf came in first at {}.", path)
                                 : fmt::format("First: {}{}", path, place_text(first->record));
    return (color && !foreign ? "\x1b[1;31m" + text + "\x1b[0m" : text) + "\n";
}

ordered_json json_of(const ScannedTensor& tensor) {
    ordered_json counts;
    for (const Detector* detector : all_detectors())
        if (const auto value = detector->measure(tensor.subject))
            counts[std::string(detector->name)] = *value;
    return {{"tensor", tensor.path},
            {"dtype", name_of(tensor.dtype)},
            {"shape", tensor.shape},
            {"max_finite", tensor.subject.census.max_finite},
            {"counted", tensor.subject.census.counted},
            {"detectors", counts}};
}

ordered_json json_of(const ScannedOp& op) {
    ordered_json object =
        record_json(op.record, {{"judged_by", op.by_status ? "status" : "values"}});
    object["tensors"] = ordered_json::array();
    for (const ScannedTensor& tensor : op.tensors)
        object["tensors"].push_back(json_of(tensor));
    return object;
}

ordered_json json_of(const std::vector<Remark>& remarks) {
    auto array = ordered_json::array();
    for (const Remark& remark : remarks)
        array.push_back({{"path", remark.op->record.path()},
                         {"node", text_or_null(remark.op->record.source.node)},
                         {"tensor", remark.tensor->path},
                         {"value", remark.value}});
    return array;
}

}  // namespace

std::string to_text(const ScanReport& report, const ScanTextOptions& options) {
    const size_t limit = options.all ? SIZE_MAX : kShown;
    std::string text = wrapped(fmt::format("{}: {} ops, {} floating-point tensors, {} scanned",
                                           printable(report.dump.string()),
                                           report.ops,
                                           report.tensors,
                                           bytes_text(report.scanned_bytes)),
                               0,
                               2);
    text += wrapped(judged_text(report), 0, 2);
    if (report.by_statistics > 0)
        text += wrapped(fmt::format("Of {} tensors the recording holds statistics only: how many "
                                    "elements are damaged it does not tell.",
                                    report.by_statistics),
                        0,
                        2);
    for (const std::string& note : report.notes)
        text += wrapped(printable(note), 0, 2);
    if (!report.has_inputs)
        text += wrapped(
            "The dump holds outputs only: who made a damage and who received it cannot be told.",
            0,
            2);
    text += headline(report, options.color);
    text += flow_text(report.flows, limit);
    if (!report.damaged.empty())
        text += fmt::format(
            "Damaged: {} op{}\n", report.damaged.size(), report.damaged.size() == 1 ? "" : "s");
    for (size_t i = 0; i < std::min(limit, report.damaged.size()); ++i)
        append_op(text, report.damaged[i]);
    if (report.damaged.size() > limit)
        text += fmt::format("  … and {} more\n", report.damaged.size() - limit);
    for (const Detector* detector : all_detectors())
        if (!detector->title.empty()) append_remarks(text, report, *detector, limit);
    for (const std::string& warning : report.warnings)
        text += wrapped("Warning: " + printable(warning), 0, 2);
    return text;
}

std::string to_json(const ScanReport& report) {
    ordered_json object = {{"version", 1},
                           {"dump", report.dump.string()},
                           {"ops", report.ops},
                           {"ops_with_status", report.ops_with_status},
                           {"tensors", report.tensors},
                           {"by_statistics", report.by_statistics},
                           {"complete", report.complete},
                           {"has_inputs", report.has_inputs},
                           {"latent_binades", report.latent_binades},
                           {"unreadable", report.unreadable},
                           {"found", report.found()}};
    const ScannedOp* first = report.first();
    object["first"] = first == nullptr ? ordered_json(nullptr) : ordered_json(first->record.path());
    object["overflow"] = ordered_json::array();
    for (const ScannedOp& op : report.damaged)
        object["overflow"].push_back(json_of(op));
    object["flows"] = flow_json(report.flows);
    for (const Detector* detector : all_detectors())
        if (!detector->key.empty())
            object[std::string(detector->key)] = json_of(remarks_of(report, *detector));
    object["notes"] = report.notes;
    object["warnings"] = report.warnings;
    return json_text(object, 2) + "\n";
}

}  // namespace npuscope::overflow
