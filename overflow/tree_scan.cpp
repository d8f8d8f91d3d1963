#include "overflow/tree_scan.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "core/base/wrapped.h"
#include "overflow/scan_report.h"

namespace npuscope::overflow {

namespace {

using nlohmann::ordered_json;

std::string name_of(const RunScan& scan) {
    const std::string text = scan.run.text();
    return text.empty() ? scan.run.path.string() : text;
}

std::string outcome(const RunScan& scan) {
    if (!scan.problem.empty()) return "not scanned: " + printable(scan.problem);
    const std::string size = fmt::format("{} ops, ", scan.report.ops);
    if (!scan.report.found() && scan.report.unreadable > 0)
        return size + fmt::format("no overflow, but {} not read", scan.report.unreadable);
    if (!scan.report.found()) return size + "no overflow";
    return size + "first at " + printable(scan.report.first()->record.path());
}

}  // namespace

const RunScan* TreeReport::first() const {
    const auto at =
        std::ranges::find_if(runs, [](const RunScan& scan) { return scan.report.found(); });
    return at == runs.end() ? nullptr : &*at;
}

bool TreeReport::has_problem() const {
    return std::ranges::any_of(runs, [](const RunScan& scan) {
        return !scan.problem.empty() || scan.report.unreadable > 0;
    });
}

TreeReport scan_tree(const std::filesystem::path& tree,
                     const std::vector<RecordedRun>& runs,
                     const ScanOptions& options) {
    TreeReport report{.tree = tree, .runs = {}};
    for (const RecordedRun& run : runs) {
        RunScan scan{.run = run};
        try {
            scan.report = scan_dump(run.path, options);
            if (scan.report.tensors == 0 && scan.report.ops_with_status == 0)
                scan.problem = "it holds no floating-point tensor";
        } catch (const Error& failure) {
            scan.problem = failure.what();
        }
        report.runs.push_back(std::move(scan));
    }
    return report;
}

std::string to_text(const TreeReport& report, bool color, bool all) {
    std::string text =
        fmt::format("{}: {} recorded runs\n", printable(report.tree.string()), report.runs.size());
    for (const RunScan& scan : report.runs)
        text += wrapped(printable(name_of(scan)) + ": " + outcome(scan), 2, 4);
    const RunScan* first = report.first();
    if (first == nullptr) return text + "No overflow found.\n";
    text += "First: " + printable(name_of(*first)) + "\n\n";
    return text + to_text(first->report, {.color = color, .all = all});
}

std::string to_json(const TreeReport& report) {
    const RunScan* first = report.first();
    ordered_json object = {{"version", 1},
                           {"tree", report.tree.string()},
                           {"found", first != nullptr},
                           {"first", nullptr},
                           {"runs", ordered_json::array()}};
    for (const RunScan& scan : report.runs) {
        const ordered_json step = scan.run.step ? ordered_json(*scan.run.step) : ordered_json();
        if (&scan == first)
            object["first"] = {{"step", step},
                               {"rank", scan.run.rank},
                               {"path", scan.report.first()->record.path()}};
        object["runs"].push_back(
            {{"step", step},
             {"rank", scan.run.rank},
             {"problem", text_or_null(scan.problem)},
             {"result",
              scan.problem.empty() ? ordered_json::parse(to_json(scan.report)) : ordered_json()}});
    }
    return json_text(object, 2) + "\n";
}

}  // namespace npuscope::overflow
