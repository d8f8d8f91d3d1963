// npuscope inspect DUMP [PATH]
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/inspect_dump.h"
#include "cli/inspect_source.h"
#include "cli/inspect_text.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"
#include "core/dumpfile/facts.h"
#include "core/dumpfile/paths.h"
#include "core/dumpfile/reader.h"
#include "core/tensor/statistics.h"

namespace npuscope::cli {

namespace {

using dumpfile::Direction;
using dumpfile::Entry;
using dumpfile::OpEntry;
using dumpfile::Reader;

using Json = nlohmann::ordered_json;

constexpr int64_t kMostShownValues = 16;

struct InspectArguments {
    std::string dump;
    std::string path;
};

std::string dtype_name(const Entry& entry) {
    if (const auto dtype = entry.dtype()) return std::string(name_of(*dtype));
    return entry.stored.numpy_name;
}

/// "weight float32[64,3,7,7]"
std::string described(const Entry& entry) {
    return entry.argument + " " + dtype_name(entry) + to_string(entry.stored.shape);
}

std::string tensors_of(const OpEntry& op, Direction direction) {
    std::string text;
    for (const Entry& entry : op.entries) {
        if (entry.direction != direction || !entry.is_tensor()) continue;
        text += (text.empty() ? "" : ", ") + described(entry);
    }
    return text;
}

void print_json(const Json& json) {
    std::printf("%s\n", json_text(json, 2).c_str());
}

void print_run(const Reader& reader) {
    std::printf("%s: %zu op%s%s\n",
                printable(reader.path().string()).c_str(),
                reader.ops().size(),
                reader.ops().size() == 1 ? "" : "s",
                reader.complete() ? "" : ", INCOMPLETE");
    for (const auto& [name, text] : reader.run_facts())
        if (name != "Complete")
            std::printf("  %s: %s\n", printable(name).c_str(), printable(text).c_str());
}

void warn(const Reader& reader, const Globals& globals) {
    if (reader.skipped_count() == 0 || globals.quiet) return;
    std::fprintf(stderr,
                 "npuscope: %" PRId64 " object%s of '%s' left out\n",
                 reader.skipped_count(),
                 reader.skipped_count() == 1 ? "" : "s",
                 printable(reader.path().string()).c_str());
    if (globals.verbose)
        for (const std::string& line : reader.warnings())
            std::fprintf(stderr, "  %s\n", line.c_str());
}

Json to_json(const Entry& entry) {
    return {{"path", entry.path},
            {"direction", name_of(entry.direction)},
            {"argument", entry.argument},
            {"dtype", dtype_name(entry)},
            {"shape", entry.stored.shape}};
}

int list_ops(const Reader& reader, const std::vector<const OpEntry*>& ops, const Globals& globals) {
    if (globals.json) {
        Json run = Json::object();
        for (const auto& [name, text] : reader.run_facts())
            run[name] = text;
        Json list = Json::array();
        for (const OpEntry* op : ops) {
            const dumpfile::OpFacts facts = op->facts();
            Json tensors = Json::array();
            for (const Entry& entry : op->entries)
                if (entry.is_tensor()) tensors.push_back(to_json(entry));
            list.push_back({{"path", op->id.path()},
                            {"seqid", op->id.seqid},
                            {"op", op->id.op},
                            {"node", facts.source.node},
                            {"overflow", facts.status ? Json(facts.overflow) : Json()},
                            {"compute_type", name_of(op->compute_type())},
                            {"tensors", tensors}});
        }
        print_json({{"dump", reader.path().string()},
                    {"complete", reader.complete()},
                    {"run", run},
                    {"left_out", reader.skipped_count()},
                    {"ops", list},
                    {"version", 1}});
        return kNoFinding;
    }
    print_run(reader);
    std::vector<std::vector<std::string>> rows = {
        {"SEQID", "OP", "NODE", "COMPUTE", "OVERFLOW", "OUTPUTS <- INPUTS"}};
    for (const OpEntry* op : ops) {
        const dumpfile::OpFacts facts = op->facts();
        std::string tensors = tensors_of(*op, Direction::kOutput);
        const std::string inputs = tensors_of(*op, Direction::kInput);
        if (!inputs.empty()) tensors += " <- " + inputs;
        rows.push_back({std::to_string(op->id.seqid),
                        op->id.op,
                        facts.source.node,
                        std::string(name_of(op->compute_type())),
                        facts.overflow ? "OVERFLOW" : "",
                        tensors});
    }
    if (!ops.empty()) print_table(std::move(rows), true);
    return kNoFinding;
}

/// The values of what is no tensor: numbers, lists, masks.
std::string shown_value(const Reader& reader, const Entry& entry) {
    if (!entry.stored.dtype || entry.stored.null_space) return entry.stored.numpy_name;
    const Tensor value = reader.read_stored(entry);
    std::string text;
    const int64_t shown = std::min(value.numel(), kMostShownValues);
    for (int64_t i = 0; i < shown; ++i)
        text += (i == 0 ? "" : ",") + number(value.at(i));
    if (shown < value.numel()) text += ",…";
    return value.ndim() == 0 ? text : "[" + text + "]";
}

/// Tensors that are kept by their numbers alone.
void add_kept_numbers(const OpEntry& op,
                      const dumpfile::OpFacts& facts,
                      std::vector<std::vector<std::string>>& rows,
                      Json& tensors) {
    if (!facts.statistics) return;
    for (const auto& [name, tensor] : *facts.statistics) {
        const size_t slash = name.find('/');
        if (slash == std::string::npos) continue;
        auto& row = rows.emplace_back(std::vector<std::string>{
            name, std::string(name_of(tensor.dtype)), to_string(tensor.shape)});
        for (std::string& cell : statistics_cells(tensor.statistics))
            row.push_back(std::move(cell));
        tensors.push_back({{"path", op.id.path() + "/" + name},
                           {"direction", name.substr(0, slash)},
                           {"argument", name.substr(slash + 1)},
                           {"dtype", name_of(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"statistics", Json::parse(json_of(tensor.statistics))}});
    }
}

int show_op(const Reader& reader, const OpEntry& op, const Globals& globals) {
    const dumpfile::OpFacts facts = op.facts();
    Json tensors = Json::array();
    Json values = Json::array();
    std::vector<std::vector<std::string>> rows = {
        {"TENSOR", "DTYPE", "SHAPE", "MIN", "MAX", "MEAN", "NAN", "INF", "ZERO"}};
    std::vector<std::vector<std::string>> value_rows;
    for (const Entry& entry : op.entries) {
        const std::string name = std::string(name_of(entry.direction)) + "/" + entry.argument;
        if (!entry.is_tensor() || !entry.dtype()) {
            const std::string text = shown_value(reader, entry);
            value_rows.push_back({name, text});
            values.push_back({{"path", entry.path}, {"value", text}});
            continue;
        }
        const Statistics found = statistics_of(reader.read(entry));
        auto& row = rows.emplace_back(
            std::vector<std::string>{name, dtype_name(entry), to_string(entry.stored.shape)});
        for (std::string& cell : statistics_cells(found))
            row.push_back(std::move(cell));
        Json tensor = to_json(entry);
        tensor["statistics"] = Json::parse(json_of(found));
        tensors.push_back(std::move(tensor));
    }
    add_kept_numbers(op, facts, rows, tensors);
    if (globals.json) {
        Json told = parse_json<Json>(op.facts_json);
        print_json({{"path", op.id.path()},
                    {"facts", told.is_discarded() ? Json() : told},
                    {"tensors", tensors},
                    {"values", values},
                    {"version", 1}});
        return kNoFinding;
    }
    std::printf("%s%s\n", printable(op.id.path()).c_str(), facts.overflow ? "  OVERFLOW" : "");
    const auto tell = [](const char* what, const std::string& text) {
        if (!text.empty()) std::printf("  %s: %s\n", what, printable(text).c_str());
    };
    tell("node", facts.source.node);
    tell("module", facts.source.module);
    tell("line", facts.source.line);
    tell("golden", facts.golden);
    tell("compute type", std::string(name_of(op.compute_type())));
    std::string kernels;
    for (const std::string& kernel : facts.kernels)
        kernels += (kernels.empty() ? "" : ", ") + kernel;
    tell("kernels", kernels);
    if (rows.size() > 1) print_table(std::move(rows), true);
    print_table(std::move(value_rows), false);
    return kNoFinding;
}

int show_tensor(const Reader& reader, const Entry& entry, const Globals& globals) {
    if (!entry.dtype())
        throw Error(
            ErrorKind::kUnsupported,
            "'" + entry.path + "' holds " + entry.stored.numpy_name + ", which has no statistics");
    const Tensor tensor = reader.read(entry);
    const Statistics found = statistics_of(tensor);
    const std::vector<int64_t> bins = histogram_of(tensor, found, kHistogramBins);
    if (globals.json) {
        Json json = to_json(entry);
        json["statistics"] = Json::parse(json_of(found));
        json["histogram"] = Json::parse(json_of(found, bins));
        json["version"] = 1;
        print_json(json);
        return kNoFinding;
    }
    std::printf("%s  %s%s\n",
                printable(entry.path).c_str(),
                dtype_name(entry).c_str(),
                to_string(entry.stored.shape).c_str());
    print_values(found, bins);
    return kNoFinding;
}

int run_inspect(const InspectArguments& options, const Globals& globals) {
    if (is_other_recording(options.dump))
        return inspect_source(options.dump, options.path, globals);
    if (is_array_or_binary_dump(options.dump))
        return inspect_dump(options.dump, options.path, globals);
    const Reader reader(options.dump);
    warn(reader, globals);
    const std::string path = dumpfile::normalised_path(options.path);
    std::vector<const OpEntry*> ops;
    for (const OpEntry& op : reader.ops()) {
        if (op.id.path() == path) return show_op(reader, op, globals);
        for (const Entry& entry : op.entries)
            if (entry.path == path) return show_tensor(reader, entry, globals);
        if (path == "/" || "/" + op.id.op == path) ops.push_back(&op);
    }
    if (ops.empty() && path != "/")
        throw Error(ErrorKind::kUsage,
                    "there is no op or tensor '" + path + "' in '" + options.dump + "'" +
                        dumpfile::nearest_paths(reader.index(), path));
    return list_ops(reader, ops, globals);
}

std::function<int()> configure_inspect(CLI::App& app, const Globals& globals) {
    auto options = std::make_shared<InspectArguments>();
    app.add_option(
           "DUMP",
           options->dump,
           "a dump (.h5) of any source, a binary dump of CANN, a file of arrays, a dump.json of "
           "msprobe, or a tree of them")
        ->required();
    app.add_option(
        "PATH",
        options->path,
        "/op, /op/seqid, or a tensor below; input/0 or output/0 of a binary dump; of msprobe "
        "what it calls an op or a tensor");
    app.footer(
        "Without PATH a table of the ops; of an op its tensors' statistics; of a tensor a "
        "histogram.\n"
        "Exit codes: 0 shown, 2 could not do the work.");
    return [options, &globals] { return run_inspect(*options, globals); };
}

}  // namespace

extern const Command k_inspect_command;
const Command k_inspect_command = {
    "inspect", "show ops, shapes, dtypes, statistics and histograms of a dump", configure_inspect};

}  // namespace npuscope::cli
