#include "cli/inspect_source.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "cli/inspect_text.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "core/recording/source.h"
#include "core/recording/tree.h"

namespace npuscope::cli {

namespace {

using dumpfile::Direction;
using Json = nlohmann::ordered_json;

int print(const Json& json) {
    std::printf("%s\n", json_text(json, 2).c_str());
    return kNoFinding;
}

std::string described(const std::vector<SourceTensor>& tensors, Direction direction) {
    std::string text;
    for (const SourceTensor& tensor : tensors)
        if (tensor.direction == direction)
            text += (text.empty() ? "" : ", ") + tensor.argument + " " + tensor.dtype +
                    to_string(tensor.shape);
    return text;
}

RecordedStatistics recorded(const SourceTensor& tensor) {
    return tensor.open ? recorded_of(tensor.open()->whole())
                       : tensor.statistics.value_or(RecordedStatistics{});
}

Json to_json(const SourceTensor& tensor) {
    return {{"path", tensor.path},
            {"direction", dumpfile::name_of(tensor.direction)},
            {"argument", tensor.argument},
            {"dtype", tensor.dtype},
            {"shape", tensor.shape},
            {"elements", static_cast<bool>(tensor.open)}};
}

Json to_json(const RecordedStatistics& found) {
    return {{"max", number_json(found.max)},
            {"min", number_json(found.min)},
            {"mean", number_json(found.mean)},
            {"norm", number_json(found.norm)}};
}

SideFacts facts_of(const SourceOp& op) {
    return op.facts ? op.facts() : SideFacts{};
}

int list_runs(const std::string& path,
              const std::vector<RecordedRun>& runs,
              const Globals& globals) {
    Json list = Json::array();
    std::vector<std::vector<std::string>> rows = {{"STEP", "RANK", "OPS", "FILE"}};
    for (const RecordedRun& run : runs) {
        const size_t ops = open_source(run.path).ops.size();
        list.push_back({{"step", run.step ? Json(*run.step) : Json()},
                        {"rank", run.rank},
                        {"ops", ops},
                        {"path", run.path.string()}});
        rows.push_back({run.step ? std::to_string(*run.step) : "",
                        run.rank,
                        std::to_string(ops),
                        run.path.string()});
    }
    if (globals.json) return print({{"dump", path}, {"runs", list}, {"version", 1}});
    print_table(std::move(rows), true);
    return kNoFinding;
}

int list_ops(const std::string& path, const Source& source, const Globals& globals) {
    Json list = Json::array();
    std::vector<std::vector<std::string>> rows = {
        {"OP", "MODULE", "LINE", "OVERFLOW", "OUTPUTS <- INPUTS"}};
    for (const SourceOp& op : source.ops) {
        const std::vector<SourceTensor> tensors = op.load();
        const dumpfile::OpFacts facts = facts_of(op).recorded;
        if (globals.json) {
            Json each = Json::array();
            for (const SourceTensor& tensor : tensors)
                each.push_back(to_json(tensor));
            list.push_back({{"path", op.path},
                            {"module", facts.source.module},
                            {"line", facts.source.line},
                            {"overflow", facts.status ? Json(facts.overflow) : Json()},
                            {"tensors", std::move(each)}});
            continue;
        }
        const std::string inputs = described(tensors, Direction::kInput);
        rows.push_back(
            {op.path,
             facts.source.module,
             std::filesystem::path(facts.source.line).filename().string(),
             facts.overflow ? "OVERFLOW" : "",
             described(tensors, Direction::kOutput) + (inputs.empty() ? "" : " <- " + inputs)});
    }
    if (globals.json)
        return print({{"dump", path}, {"remarks", source.remarks}, {"ops", list}, {"version", 1}});
    std::printf("%s: %zu op%s\n",
                printable(path).c_str(),
                source.ops.size(),
                source.ops.size() == 1 ? "" : "s");
    for (const std::string& remark : source.remarks)
        std::printf("  %s\n", printable(remark).c_str());
    if (!source.ops.empty()) print_table(std::move(rows), true);
    return kNoFinding;
}

std::string cell(const std::optional<double>& value) {
    return value ? number(*value) : "-";
}

int show_op(const SourceOp& op, const Globals& globals) {
    const SideFacts facts = facts_of(op);
    Json tensors = Json::array();
    Json values = Json::array();
    std::vector<std::vector<std::string>> rows = {
        {"TENSOR", "DTYPE", "SHAPE", "MIN", "MAX", "MEAN", "NORM", "HASH", "NOTE"}};
    for (const SourceTensor& tensor : op.load()) {
        Json json = to_json(tensor);
        std::string problem = tensor.problem;
        RecordedStatistics found;
        try {
            found = recorded(tensor);
        } catch (const Error& failure) {
            problem = failure.what();
        }
        json["statistics"] = to_json(found);
        json["hash"] = tensor.hash.empty() ? Json() : Json(tensor.hash);
        json["problem"] = problem.empty() ? Json() : Json(problem);
        tensors.push_back(std::move(json));
        rows.push_back({std::string(dumpfile::name_of(tensor.direction)) + "/" + tensor.argument,
                        tensor.dtype,
                        to_string(tensor.shape),
                        cell(found.min),
                        cell(found.max),
                        cell(found.mean),
                        cell(found.norm),
                        tensor.hash,
                        problem});
    }
    std::vector<std::vector<std::string>> value_rows;
    for (const PlainArgument& argument : facts.arguments) {
        std::string text = argument.text;
        for (const double each : argument.numbers)
            text += (text.empty() ? "" : ",") + number(each);
        values.push_back({{"argument", argument.name}, {"value", text}});
        value_rows.push_back({"input/" + argument.name, text});
    }
    const OpSource& place = facts.recorded.source;
    if (globals.json)
        return print({{"path", op.path},
                      {"module", place.module},
                      {"line", place.line},
                      {"tensors", tensors},
                      {"values", values},
                      {"version", 1}});
    std::printf("%s%s\n", printable(op.path).c_str(), facts.recorded.overflow ? "  OVERFLOW" : "");
    for (const auto& [name, text] : {std::pair("module", place.module), {"line", place.line}})
        if (!text.empty()) std::printf("  %s: %s\n", name, printable(text).c_str());
    if (rows.size() > 1) print_table(std::move(rows), true);
    if (!value_rows.empty()) print_table(std::move(value_rows), false);
    return kNoFinding;
}

int show_tensor(const SourceTensor& tensor, const Globals& globals) {
    if (!tensor.problem.empty())
        throw Error(ErrorKind::kFormat, tensor.path + ": " + tensor.problem);
    Json json = to_json(tensor);
    json["version"] = 1;
    if (!globals.json)
        std::printf("%s  %s%s\n",
                    printable(tensor.path).c_str(),
                    printable(tensor.dtype).c_str(),
                    to_string(tensor.shape).c_str());
    if (!tensor.open) {
        const RecordedStatistics found = recorded(tensor);
        json["statistics"] = to_json(found);
        if (globals.json) return print(json);
        print_table({{"MIN", "MAX", "MEAN", "NORM"},
                     {cell(found.min), cell(found.max), cell(found.mean), cell(found.norm)}},
                    false);
        return kNoFinding;
    }
    const Tensor whole = tensor.open()->whole();
    const Statistics found = statistics_of(whole);
    const std::vector<int64_t> bins = histogram_of(whole, found, kHistogramBins);
    json["statistics"] = Json::parse(json_of(found));
    json["histogram"] = Json::parse(json_of(found, bins));
    if (globals.json) return print(json);
    print_values(found, bins);
    return kNoFinding;
}

/// As recorders write it, without slashes around.
std::string without_slashes(std::string path) {
    while (path.starts_with('/'))
        path.erase(0, 1);
    while (path.ends_with('/'))
        path.pop_back();
    return path;
}

}  // namespace

bool is_other_recording(const std::string& path) {
    std::error_code ignored;
    const std::filesystem::path file = path;
    return std::filesystem::is_directory(file, ignored) || file.filename() == "dump.json" ||
           file.filename() == "debug.json" || (is_array_file(file) && file.extension() != ".npy");
}

int inspect_source(const std::string& path, const std::string& wanted, const Globals& globals) {
    const std::vector<RecordedRun> runs = recorded_runs(path);
    const std::string name = without_slashes(wanted);
    if (runs.size() > 1 && name.empty()) return list_runs(path, runs, globals);
    const Source source = open_source(path);
    if (name.empty()) return list_ops(path, source, globals);
    for (const SourceOp& op : source.ops) {
        if (without_slashes(op.path) == name) return show_op(op, globals);
        if (!name.starts_with(op.path)) continue;
        for (const SourceTensor& tensor : op.load())
            if (tensor.path == name) return show_tensor(tensor, globals);
    }
    throw Error(ErrorKind::kUsage,
                "there is no op or tensor " + in_quotes(wanted) + " in " + in_quotes(path) +
                    (source.ops.empty() ? std::string()
                                        : "; the first is " + in_quotes(source.ops[0].path)));
}

}  // namespace npuscope::cli
