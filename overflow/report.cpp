#include "overflow/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "overflow/record_text.h"

namespace npuscope::overflow {

namespace {

// "MatMul: Cube accumulator (bit 10)"
std::string cause_of(const OverflowRecord& record) {
    const std::string kernels = kernels_text(record);
    return (kernels.empty() ? "a kernel that is not known" : kernels) + ": " +
           describe(record.status);
}

std::string way_of(const OverflowRecord& record) {
    return "input " + damage_text(record, "with saturated values", " that no op made");
}

std::string first_lines(const OverflowRecord& first) {
    const bool introduced = first.kind == OverflowKind::kIntroduced;
    std::string text =
        fmt::format("First overflow: {}{}\n", printable(first.path()), place_text(first));
    text += fmt::format("  raised by  {}\n", cause_of(first));
    text += introduced ? "  inputs     finite, and none from an op that overflowed: it began here\n"
                       : fmt::format("  inputs     damaged before: {}\n", way_of(first));
    if (!first.source.line.empty())
        text += fmt::format("  source     {}\n", printable(first.source.line));
    return text;
}

void append_more(std::string& text, int64_t count, size_t shown) {
    if (count > static_cast<int64_t>(shown))
        text += fmt::format("  … and {} more\n", count - static_cast<int64_t>(shown));
}

}  // namespace

std::string line_of(const OverflowRecord& record) {
    const std::string head =
        fmt::format("IR: {} SeqId: {} overflow", printable(record.id.op), record.id.seqid);
    if (record.kind == OverflowKind::kIntroduced)
        return fmt::format("{} introduced by {}", head, cause_of(record));
    return fmt::format(
        "{} raised by {}; damage came through {}", head, cause_of(record), way_of(record));
}

std::string to_text(const OverflowReport& report) {
    std::string text;
    if (const OverflowRecord* first = report.first()) {
        text += first_lines(*first);
        text += fmt::format(
            "{} of {} ops overflowed: {} introduced it, {} on inputs damaged before; {} more only "
            "received damage.\n",
            report.records_count,
            report.ops_seen,
            report.introduced_count,
            report.records_count - report.introduced_count,
            report.receivers_count);
    } else {
        text += fmt::format("No overflow in {} ops.\n", report.ops_seen);
    }
    for (const OverflowRecord& record : report.records) {
        text += fmt::format("  {:<28} {:<10} {}{}\n",
                            printable(record.path()),
                            name_of(record.kind),
                            cause_of(record),
                            place_text(record));
        if (!record.via.empty()) text += fmt::format("  {:<28} through {}\n", "", way_of(record));
    }
    append_more(text, report.records_count, report.records.size());
    if (report.receivers_count > 0) text += "Received damage, raised nothing themselves:\n";
    for (const OverflowRecord& record : report.receivers)
        text += fmt::format(
            "  {:<28} {}{}\n", printable(record.path()), way_of(record), place_text(record));
    append_more(text, report.receivers_count, report.receivers.size());
    if (report.foreign_count > 0) text += "Inf or nan that is no overflow:\n";
    for (const OverflowRecord& record : report.foreign)
        text += fmt::format("  {:<28} {}{}\n",
                            printable(record.path()),
                            way_of(record),
                            record.from.empty() ? "" : ", whose status shows no overflow");
    append_more(text, report.foreign_count, report.foreign.size());
    return text;
}

std::string to_json(const OverflowReport& report) {
    auto array = nlohmann::ordered_json::array();
    for (const auto* list : {&report.records, &report.receivers, &report.foreign})
        for (const OverflowRecord& record : *list)
            array.push_back(record_json(record, nlohmann::ordered_json::object()));
    // Names from outside need not be UTF-8; what is not becomes the replacement character.
    return json_text(array, 2) + "\n";
}

}  // namespace npuscope::overflow
