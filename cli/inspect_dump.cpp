#include "cli/inspect_dump.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/inspect_text.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/printable.h"
#include "core/cann_dump/data_type.h"
#include "core/cann_dump/tensor.h"
#include "core/layout/format.h"
#include "core/npz/npy.h"

namespace npuscope::cli {

namespace {

using cann_dump::DumpReader;
using cann_dump::DumpTensor;
using Json = nlohmann::ordered_json;

void print_json(const Json& json) {
    std::printf("%s\n", json_text(json, 2).c_str());
}

struct Shown {
    std::string name;  ///< "input/0"
    std::string dtype;
    std::string format;
    std::string original;  ///< shape; empty where the dump names none
    std::vector<int64_t> shape;
    uint64_t nbytes = 0;
    std::optional<Tensor> tensor;
    std::string problem;  ///< why there is none
};

/// The elements; what has no such tensor says why.
Tensor tensor_of(const DumpReader& reader, const DumpTensor& tensor) {
    const cann_dump::DataTypeInfo* type = cann_dump::find_data_type(tensor.data_type);
    if (type == nullptr || !dtype_from_name(type->array_name))
        throw Error(ErrorKind::kUnsupported, "no statistics for this data type");
    return cann_dump::read_tensor(reader, tensor);
}

Shown shown(const DumpTensor& tensor, std::string name) {
    Shown row;
    row.name = std::move(name);
    const cann_dump::DataTypeInfo* type = cann_dump::find_data_type(tensor.data_type);
    row.dtype = type != nullptr ? std::string(type->name) : std::to_string(tensor.data_type);
    const auto format = layout::format_from_code(tensor.format);
    row.format = format ? std::string(layout::name_of(*format)) : std::to_string(tensor.format);
    if (tensor.original_shape) row.original = to_string(*tensor.original_shape);
    row.shape = tensor.shape.value_or(std::vector<int64_t>{});
    row.nbytes = tensor.size;
    return row;
}

void print_head(const cann_dump::DumpFile& dump, const std::string& path) {
    std::printf("%s: %zu input%s, %zu output%s\n",
                printable(path).c_str(),
                dump.inputs.size(),
                dump.inputs.size() == 1 ? "" : "s",
                dump.outputs.size(),
                dump.outputs.size() == 1 ? "" : "s");
    const auto tell = [](const char* what, const std::string& text) {
        if (!text.empty()) std::printf("  %s: %s\n", what, printable(text).c_str());
    };
    tell("op", dump.op_name);
    tell("version", dump.version + (dump.is_nano ? " (nano)" : ""));
    if (dump.dump_time != 0) tell("time", std::to_string(dump.dump_time));
    for (const cann_dump::Attribute& attribute : dump.attributes)
        tell("attribute", attribute.name + " " + attribute.value);
}

Json to_json(const Shown& row) {
    return {{"path", row.name},
            {"dtype", row.dtype},
            {"format", row.format},
            {"shape", row.shape},
            {"nbytes", row.nbytes}};
}

int list(const std::vector<Shown>& rows, const std::string& path, const Globals& globals) {
    if (globals.json) {
        Json tensors = Json::array();
        for (const Shown& row : rows) {
            Json tensor = to_json(row);
            if (row.tensor)
                tensor["statistics"] = Json::parse(json_of(statistics_of(*row.tensor)));
            else
                tensor["problem"] = row.problem;
            tensors.push_back(std::move(tensor));
        }
        print_json({{"dump", path}, {"tensors", std::move(tensors)}, {"version", 1}});
        return kNoFinding;
    }
    std::vector<std::vector<std::string>> table = {{"TENSOR",
                                                    "DTYPE",
                                                    "FORMAT",
                                                    "SHAPE",
                                                    "ORIGINAL",
                                                    "MIN",
                                                    "MAX",
                                                    "MEAN",
                                                    "NAN",
                                                    "INF",
                                                    "ZERO"}};
    for (const Shown& row : rows) {
        auto& cells = table.emplace_back(std::vector<std::string>{
            row.name, row.dtype, row.format, to_string(row.shape), row.original});
        if (row.tensor) {
            for (std::string& cell : statistics_cells(statistics_of(*row.tensor)))
                cells.push_back(std::move(cell));
        } else {
            cells.insert(cells.end(), {"-", "-", "-", "-", "-", row.problem});
        }
    }
    if (table.size() > 1) print_table(std::move(table), true);
    return kNoFinding;
}

int show(const Shown& row, const Globals& globals) {
    if (!row.tensor) throw Error(ErrorKind::kUnsupported, row.name + ": " + row.problem);
    const Statistics found = statistics_of(*row.tensor);
    const auto bins = histogram_of(*row.tensor, found, kHistogramBins);
    if (globals.json) {
        Json json = to_json(row);
        json["statistics"] = Json::parse(json_of(found));
        json["histogram"] = Json::parse(json_of(found, bins));
        json["version"] = 1;
        print_json(json);
        return kNoFinding;
    }
    std::printf("%s  %s %s%s%s\n",
                row.name.c_str(),
                row.dtype.c_str(),
                row.format.c_str(),
                row.format.empty() ? "" : " ",
                to_string(row.shape).c_str());
    print_values(found, bins);
    return kNoFinding;
}

/// "/input/0/" is "input/0".
std::string trimmed(std::string path) {
    while (path.starts_with('/'))
        path.erase(0, 1);
    while (path.ends_with('/'))
        path.pop_back();
    return path;
}

int inspect_array(const std::string& path, const std::string& wanted, const Globals& globals) {
    Shown row;
    row.name = "array";
    row.tensor = read_npy(path);
    row.dtype = std::string(name_of(row.tensor->dtype()));
    row.shape = row.tensor->shape();
    row.nbytes = row.tensor->nbytes();
    if (!wanted.empty() && wanted != row.name)
        throw Error(ErrorKind::kUsage, "a .npy has no '" + wanted + "'; leave it out");
    return show(row, globals);
}

}  // namespace

bool is_array_or_binary_dump(const std::string& path) {
    constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
    if (path.ends_with(".npy")) return true;
    std::error_code failure;
    if (path.ends_with(".h5") || !std::filesystem::is_regular_file(path, failure)) return false;
    std::array<char, kHdf5.size()> start{};
    std::ifstream(path, std::ios::binary).read(start.data(), start.size());
    return std::string_view(start.data(), start.size()) != kHdf5;
}

int inspect_dump(const std::string& path, const std::string& tensor, const Globals& globals) {
    const std::string wanted = trimmed(tensor);
    if (path.ends_with(".npy")) return inspect_array(path, wanted, globals);
    const DumpReader reader(path);
    std::vector<Shown> rows;
    const auto add = [&](const std::vector<DumpTensor>& list, const char* direction) {
        for (size_t i = 0; i < list.size(); ++i) {
            Shown row = shown(list[i], direction + ("/" + std::to_string(i)));
            if (!wanted.empty() && row.name != wanted) continue;
            try {
                row.tensor = tensor_of(reader, list[i]);
            } catch (const Error& problem) {
                row.problem = problem.what();
            }
            rows.push_back(std::move(row));
        }
    };
    add(reader.file().inputs, "input");
    add(reader.file().outputs, "output");
    if (!wanted.empty()) {
        if (rows.empty())
            throw Error(ErrorKind::kUsage,
                        "there is no tensor '" + wanted + "' in '" + path +
                            "'; write input/0 or output/0, say");
        return show(rows.front(), globals);
    }
    if (!globals.json) print_head(reader.file(), path);
    return list(rows, path, globals);
}

}  // namespace npuscope::cli
