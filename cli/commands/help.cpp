// npuscope help TOPIC: the tables that the programs are built from.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "compare/metric.h"
#include "core/base/error.h"
#include "core/dtype/dtype.h"
#include "core/layout/stored_layout.h"
#include "core/naming/aliases.h"
#include "npu_backend/chips/device.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/ops/op.h"
#include "overflow/detectors/detector.h"

namespace npuscope::cli {

namespace {

using Row = std::vector<std::string>;

struct Table {
    std::vector<std::string> headers;  ///< the first names a row
    std::vector<Row> rows;
};

std::string cube_types(const Chip& chip) {
    std::string text = "float16";
    for (const auto& [bit, name] : {std::pair{kCubeBFloat16, "bfloat16"},
                                    std::pair{kCubeFloat32, "float32"},
                                    std::pair{kCubeInt8, "int8"},
                                    std::pair{kCubeUint8, "uint8"},
                                    std::pair{kCubeInt4, "int4"},
                                    std::pair{kCubeFloat8, "float8"}})
        if (chip.cube_takes(bit)) text += std::string(", ") + name;
    return text + (chip.cube_takes_float32() ? "" : "; float32 is demoted to float16");
}

Table chips() {
    Table table{{"chip", "overflow", "Cube takes", "C0", "HF32", "float status", "description"},
                {}};
    for (const Chip& chip : all_chips()) {
        std::string hf32 = chip.conv_hf32 ? "convolutions" : "";
        if (chip.matmul_hf32) hf32 += hf32.empty() ? "matrix products" : ", matrix products";
        if (!hf32.empty()) hf32 += fmt::format("; {} stored bits", 23 - chip.hf32_dropped_bits);
        std::string overflow =
            chip.overflow_mode == OverflowMode::kSaturate ? "largest finite value" : "inf, nan";
        if (chip.overflow_switchable) overflow += "; can be switched";
        std::string c0 = fmt::format("{} float16, {} int8", chip.c0_half, chip.c0_int8);
        if (chip.c0_int4 != 0) c0 += fmt::format(", {} int4", chip.c0_int4);
        c0 += fmt::format(", {} float32", chip.c0_float32);
        table.rows.push_back({std::string(chip.name),
                              std::move(overflow),
                              cube_types(chip),
                              std::move(c0),
                              hf32.empty() ? "none" : hf32,
                              chip.status_scope == ChipStatusScope::kDevice
                                  ? "one for all programs on the card"
                                  : "one a process",
                              std::string(chip.description)});
    }
    return table;
}

// What each chip does where nothing is set, in the order of all_chips().
std::string defaults_of(const OptionRow& row) {
    std::string text;
    bool same = true;
    const std::string first = row.access.get(default_options(all_chips()[0]), row);
    for (const Chip& chip : all_chips()) {
        const std::string value = row.access.get(default_options(chip), row);
        same = same && value == first;
        text += (text.empty() ? "" : ", ") + std::string(chip.name) + " " + value;
    }
    return same ? (first.empty() ? "none" : first) : text;
}

Table options() {
    Table table{{"option", "values", "default", "grade", "meaning"}, {}};
    for (const OptionRow& row : all_options())
        table.rows.push_back({std::string(row.key),
                              std::string(row.values),
                              defaults_of(row),
                              std::string(row.grade),
                              std::string(row.meaning)});
    return table;
}

Table rules() {
    Table table{{"rule", "chips", "grade", "source"}, {}};
    for (const ChipRule& rule : all_chip_rules())
        table.rows.push_back({std::string(rule.rule),
                              std::string(rule.chips),
                              std::string(rule.grade),
                              std::string(rule.source)});
    return table;
}

std::string shape_in(layout::Format format, const layout::Dims& logical) {
    try {
        return layout::joined(layout::storage_shape(format, logical));
    } catch (const Error&) {
        return {};
    }
}

// What 20 output channels of 3 channels and 5 x 7 pixels, the same with a depth of 2, or a matrix
// of 20 rows and 35 columns are stored as.
Table formats() {
    Table table{
        {"format", "code", "N C H W 20x3x5x7", "N C D H W 20x3x2x5x7", "rows, columns 20x35"}, {}};
    for (const layout::FormatInfo& row : layout::all_formats())
        table.rows.push_back({std::string(row.name),
                              std::to_string(static_cast<int>(row.format)),
                              shape_in(row.format, {20, 3, 5, 7}),
                              shape_in(row.format, {20, 3, 2, 5, 7}),
                              shape_in(row.format, {20, 35})});
    return table;
}

Table ops() {
    Table table{{"op", "schema", "kernels", "source"}, {}};
    for (const backend::Op& op : backend::all_ops())
        table.rows.push_back({op.name(),
                              std::string(op.row->schema),
                              op.launches_text(),
                              std::string(op.row->source)});
    std::sort(table.rows.begin(), table.rows.end());
    return table;
}

Table kernels() {
    Table table{{"kernel", "formula", "dtypes", "source"}, {}};
    for (const backend::Kernel* kernel : backend::all_kernels())
        table.rows.push_back({std::string(kernel->type),
                              std::string(kernel->formula),
                              std::string(kernel->dtypes),
                              kernel->evidence()});
    std::sort(table.rows.begin(), table.rows.end());
    return table;
}

Table detectors() {
    Table table{{"detector", "meaning", "unit", "severity", "source"}, {}};
    for (const overflow::Detector* detector : overflow::all_detectors())
        table.rows.push_back(
            {std::string(detector->name),
             std::string(detector->meaning),
             std::string(detector->unit),
             detector->severity == overflow::Severity::kDamage ? "damage" : "remark",
             std::string(detector->source)});
    return table;
}

Table metrics() {
    Table table{{"metric", "formula", "unit", "better", "source"}, {}};
    for (const compare::Metric* metric : compare::all_metrics()) {
        const char* better = metric->better == compare::Better::kLower    ? "lower"
                             : metric->better == compare::Better::kHigher ? "higher"
                                                                          : "neither";
        table.rows.push_back({std::string(metric->name),
                              std::string(metric->formula),
                              std::string(metric->unit),
                              better,
                              std::string(metric->source)});
    }
    return table;
}

Table dtypes() {
    Table table{{"dtype", "bytes", "largest finite", "smallest normal", "in dumps"}, {}};
    for (const DTypeInfo& row : all_dtypes())
        table.rows.push_back({std::string(row.name),
                              std::to_string(row.size),
                              fmt::format("{:g}", row.max_finite),
                              row.is_float ? fmt::format("{:g}", row.min_normal) : "",
                              row.dump_code == 0 ? "no code of its own"
                                                 : fmt::format("DataType {}", row.dump_code)});
    return table;
}

Table aliases() {
    Table table{{"alias", "op", "renamed arguments"}, {}};
    for (const Alias& alias : all_aliases())
        table.rows.push_back(
            {std::string(alias.name), std::string(alias.canonical), std::string(alias.renames)});
    return table;
}

struct Topic {
    const char* name;
    const char* summary;
    Table (*table)();
    std::span<const char* const> more = {};  ///< topics that are printed after it
};
constexpr const char* kMoreAboutChips[] = {"rules", "options"};
constexpr Topic kTopics[] = {
    {"aliases", "other names that dumps carry for an op", aliases},
    {"chips", "the emulated chips, their rules and options", chips, kMoreAboutChips},
    {"detectors", "what a scan for overflow looks for", detectors},
    {"dtypes", "element types and their ranges", dtypes},
    {"formats", "memory formats of CANN's tensors, and shapes in them", formats},
    {"kernels", "the emulated CANN operators", kernels},
    {"metrics", "what a comparison computes", metrics},
    {"ops", "the IR ops and the kernels they launch", ops},
    {"options", "what can be set of a chip with --set", options},
    {"rules", "what the chips are known to do, with evidence grades A to U", rules},
};

// `text` in lines of at most `width` characters, broken at spaces.
std::vector<std::string> wrapped(const std::string& text, size_t width) {
    std::vector<std::string> lines(1);
    size_t at = 0;
    while (at < text.size()) {
        const size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
            lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + word;
        at = end + 1;
    }
    return lines;
}

std::string terminal_text(const Table& table) {
    constexpr size_t kWidth = 100;
    size_t column = 0;
    for (size_t i = 1; i < table.headers.size(); ++i)
        column = std::max(column, table.headers[i].size() + 4);
    std::string text;
    for (const Row& row : table.rows) {
        text += row[0] + "\n";
        for (size_t i = 1; i < row.size(); ++i) {
            if (row[i].empty()) continue;
            std::string label = "  " + table.headers[i];
            for (const std::string& line : wrapped(row[i], kWidth - column)) {
                text += fmt::format("{:<{}}{}\n", label, column, line);
                label.clear();
            }
        }
    }
    return text;
}

std::string markdown_text(const Table& table) {
    const auto line = [](const Row& cells) {
        std::string text = "|";
        for (const std::string& cell : cells) {
            text += " ";
            for (const char c : cell)
                text += c == '|' ? std::string("\\|") : std::string(1, c);
            text += " |";
        }
        return text + "\n";
    };
    std::string text = line(table.headers) + "|";
    for (size_t i = 0; i < table.headers.size(); ++i)
        text += "---|";
    text += "\n";
    for (const Row& row : table.rows)
        text += line(row);
    return text;
}

std::string json_text(const Table& table) {
    auto array = nlohmann::ordered_json::array();
    for (const Row& row : table.rows) {
        nlohmann::ordered_json object;
        for (size_t i = 0; i < row.size(); ++i)
            object[table.headers[i]] = row[i];
        array.push_back(std::move(object));
    }
    return array.dump(2) + "\n";
}

std::string topics_text() {
    std::string text = "npuscope help TOPIC, with TOPIC one of\n";
    for (const Topic& topic : kTopics)
        text += fmt::format("  {:<10} {}\n", topic.name, topic.summary);
    return text + "npuscope COMMAND --help tells about a command.\n";
}

struct HelpArguments {
    std::string topic;
    bool markdown = false;
};

const Topic& topic_of(const std::string& name) {
    return *std::find_if(std::begin(kTopics), std::end(kTopics), [&](const Topic& topic) {
        return topic.name == name;
    });
}

constexpr const char* kGrades =
    "Grades of evidence: A vendor source or value table, A+ the same recomputed, B vendor prose,\n"
    "C third party, D inferred, U nothing public.\n";

// One table; the tables that belong to it follow, but not in JSON.
std::string topic_text(const HelpArguments& options, const Globals& globals) {
    const Topic& topic = topic_of(options.topic);
    if (globals.json) return json_text(topic.table());
    const auto form = options.markdown ? markdown_text : terminal_text;
    std::string text = form(topic.table());
    for (const char* name : topic.more)
        text += fmt::format(
            "\n{}{}\n\n{}", options.markdown ? "## " : "", name, form(topic_of(name).table()));
    if (!topic.more.empty()) text += std::string("\n") + kGrades;
    return text;
}

int run_help(const HelpArguments& options, const Globals& globals) {
    const std::string text = options.topic.empty() ? topics_text() : topic_text(options, globals);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kNoFinding;
}

std::function<int()> configure_help(CLI::App& app, const Globals& globals) {
    auto options = std::make_shared<HelpArguments>();
    std::vector<std::string> names;
    for (const Topic& topic : kTopics)
        names.emplace_back(topic.name);
    app.add_option("TOPIC", options->topic, "without one: the list of topics")
        ->check(CLI::IsMember(names));
    app.add_flag("--markdown", options->markdown, "a table in Markdown");
    return [options, &globals] { return run_help(*options, globals); };
}

}  // namespace

extern const Command k_help_command;
const Command k_help_command = {
    "help", "print the tables: chips, ops, kernels, detectors, …", configure_help};

}  // namespace npuscope::cli
