#include "cli/topics.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compare/bounds.h"
#include "compare/metric.h"
#include "compare/rules/rule.h"
#include "compare/standards/standard.h"
#include "compare/verdict.h"
#include "core/base/error.h"
#include "core/dtype/dtype.h"
#include "core/layout/stored_layout.h"
#include "core/naming/aliases.h"
#include "diagnose/apis/api_calls.h"
#include "diagnose/judge/arithmetic.h"
#include "loss/formats/format.h"
#include "loss/verdict.h"
#include "npu_backend/chips/device.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/ops/op.h"
#include "overflow/detectors/detector.h"

namespace npuscope::cli {

namespace {

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

/// Functions that come to an op, then those that do not.
Table apis() {
    Table table{{"function", "ops", "gradient"}, {}};
    for (diagnose::KnownApi& each : diagnose::known_apis())
        table.rows.push_back({std::move(each.api), std::move(each.ops), std::move(each.gradient)});
    table.rows.push_back({"others", "the op of the same name", "by that op"});
    // One line a module.
    for (const std::string& each : diagnose::apis_without_op()) {
        const size_t dot = each.find('.');
        const bool is_next = table.rows.back()[1] == "none" &&
                             table.rows.back()[0].starts_with(each.substr(0, dot + 1));
        if (is_next)
            table.rows.back()[0] += ", " + each.substr(dot + 1);
        else
            table.rows.push_back({each, "none", ""});
    }
    return table;
}

Table standards() {
    Table table{{"standard", "passes when", "words", "source"}, {}};
    for (const compare::Standard& row : compare::all_standards())
        table.rows.push_back({std::string(row.name),
                              std::string(row.rule),
                              std::string(row.verdicts),
                              std::string(row.source)});
    return table;
}

Table tolerances() {
    Table table{{"computed in", "tolerance"}, {}};
    for (const compare::Precision& row : compare::all_precisions())
        table.rows.push_back({std::string(row.name), fmt::format("{:g}", row.tolerance)});
    return table;
}

Table verdicts() {
    Table table{{"verdict", "when", "finding"}, {}};
    for (const compare::VerdictRow& row : compare::all_verdicts())
        table.rows.push_back(
            {std::string(row.name), std::string(row.meaning), row.is_finding ? "yes" : "no"});
    return table;
}

std::string bits_text(const diagnose::NumberFormat& format) {
    return format.bits == diagnose::kFloat64.bits ? "" : std::to_string(format.bits);
}

Table classes() {
    Table table{{"class", "ops", "tried", "bits of sums or steps", "bits of results"}, {}};
    for (const diagnose::ProductClass& row : diagnose::product_classes())
        table.rows.push_back({std::string(row.name),
                              "products",
                              std::to_string(row.stage),
                              std::to_string(row.sums.bits),
                              bits_text(row.results)});
    int stage = 0;
    for (const diagnose::VectorClass& row : diagnose::vector_classes())
        table.rows.push_back({std::string(row.name),
                              "others",
                              std::to_string(stage++),
                              std::to_string(row.steps.bits),
                              bits_text(row.results)});
    return table;
}

Table verdict_rules() {
    Table table{{"rule", "verdict", "when"}, {}};
    for (const compare::Rule* rule : compare::all_rules())
        table.rows.push_back({std::string(rule->name),
                              std::string(name_of(rule->verdict)),
                              std::string(rule->meaning)});
    return table;
}

constexpr const char* kMoreAboutChips[] = {"rules", "options"};
constexpr const char* kMoreAboutVerdicts[] = {"verdict-rules"};
constexpr const char* kGrades =
    "\nGrades of evidence: A vendor source or value table, A+ the same recomputed, B vendor "
    "prose,\n"
    "C third party, D inferred, U nothing public.\n";
Table log_formats() {
    Table table{{"format", "what it is", "told by"}, {}};
    for (const loss::Format* format : loss::all_formats())
        table.rows.push_back(
            {std::string(format->name), std::string(format->what), std::string(format->told_by)});
    return table;
}

Table partings() {
    Table table{{"class", "meaning", "finding"}, {}};
    for (const loss::ClassRow& row : loss::all_classes())
        table.rows.push_back(
            {std::string(row.name), std::string(row.meaning), row.is_finding ? "yes" : "no"});
    return table;
}

constexpr Topic kTopics[] = {
    {"aliases", "other names that dumps carry for an op", aliases},
    {"apis", "functions whose records become ops, and those that do not", apis},
    {"chips", "the emulated chips, their rules and options", chips, kMoreAboutChips, kGrades},
    {"classes",
     "the classes of arithmetic that a recording's ops are held to, in the order they are tried",
     classes},
    {"detectors", "what a scan for overflow looks for", detectors},
    {"dtypes", "element types and their ranges", dtypes},
    {"formats", "memory formats of CANN's tensors, and shapes in them", formats},
    {"kernels", "the emulated CANN operators", kernels},
    {"log-formats", "training logs that `loss` reads", log_formats},
    {"metrics", "what a comparison computes", metrics},
    {"ops", "the IR ops and the kernels they launch", ops},
    {"options", "what can be set of a chip with --set", options},
    {"partings", "what `loss` says of two training logs", partings},
    {"rules", "what the chips are known to do, with evidence grades A to U", rules},
    {"standards", "other projects' rules, for compare --standard", standards},
    {"tolerances", "how far a float result may be off, by its precision", tolerances},
    {"verdict-rules",
     "what gives a measured tensor its verdict; the first that applies",
     verdict_rules},
    {"verdicts",
     "what is said of a tensor or an op, from best to worst",
     verdicts,
     kMoreAboutVerdicts},
};

}  // namespace

std::span<const Topic> all_topics() {
    return kTopics;
}

}  // namespace npuscope::cli
