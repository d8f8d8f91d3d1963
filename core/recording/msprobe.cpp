// Folders of msprobe: dump.json lists ops with what is known of their tensors; elements, where they
// were kept, lie in dump_tensor_data/.
// Source: Ascend/msprobe, python/msprobe/core/dump.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <memory>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/npz/tensor_files.h"
#include "core/recording/msprobe_program.h"
#include "core/recording/python_json.h"
#include "core/recording/source.h"

namespace npuscope {

namespace {

using dumpfile::Direction;
/// Keeps the order of the file.
using json = nlohmann::ordered_json;

constexpr int kDeepest = 32;

/// "torch.float32" and "Float32" are float32.
std::string plain_dtype(const std::string& text) {
    std::string name = text.substr(text.rfind('.') + 1);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return name;
}

std::optional<double> number(const json& object, const char* key) {
    const auto at = object.find(key);
    if (at == object.end()) return std::nullopt;
    if (at->is_number()) return at->get<double>();
    if (at->is_boolean()) return at->get<bool>() ? 1.0 : 0.0;
    if (!at->is_string()) return std::nullopt;
    const std::string text = at->get<std::string>();
    if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf" || text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-inf" || text == "-Infinity") return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

std::optional<RecordedStatistics> statistics_in(const json& object) {
    const RecordedStatistics found{number(object, "Max"),
                                   number(object, "Min"),
                                   number(object, "Mean"),
                                   number(object, "Norm")};
    if (!found.max && !found.min && !found.mean && !found.norm) return std::nullopt;
    return found;
}

/// The tensors and plain arguments of one record. Without a folder no elements are read.
class OpReader {
  public:
    OpReader(const std::filesystem::path& folder, const std::string& op)
        : folder_(folder), op_(op) {}

    std::vector<SourceTensor> read(const json& record) {
        if (!record.is_object()) return {};
        // The gradients of a module's parameters are an op of their own, named by the parameters.
        if (op_.find(".parameters_grad") != std::string::npos) {
            walk(record, Direction::kOutput, "", 0);
            return std::move(tensors_);
        }
        for (const char* key : {"input_args", "input", "input_kwargs", "parameters"})
            if (record.contains(key))
                walk(record[key],
                     Direction::kInput,
                     std::string(key) == "parameters" ? "parameters" : "",
                     0);
        for (const char* key : {"output", "parameters_grad"})
            if (record.contains(key)) walk(record[key], Direction::kOutput, "", 0);
        return std::move(tensors_);
    }

    /// Of what read() has gone through.
    std::vector<PlainArgument> arguments() { return std::move(arguments_); }

  private:
    void walk(const json& value, Direction direction, const std::string& name, int depth) {
        if (depth > kDeepest) return;
        const auto joined = [&](const std::string& part) {
            return name.empty() ? part : name + "." + part;
        };
        if (value.is_array()) {
            for (size_t i = 0; i < value.size(); ++i)
                walk(value[i], direction, joined(std::to_string(i)), depth + 1);
        } else if (value.is_object() && value.contains("shape") && value.contains("dtype")) {
            add(value, direction, name.empty() ? "0" : name);
        } else if (value.is_object() && value.contains("type") && value.contains("value")) {
            if (direction == Direction::kInput) add_argument(value["value"], name);
        } else if (value.is_object()) {
            for (const auto& [key, each] : value.items())
                walk(each, direction, joined(key), depth + 1);
        }
    }

    void add(const json& value, Direction direction, const std::string& argument) {
        SourceTensor tensor;
        tensor.direction = direction;
        tensor.argument = argument;
        tensor.path = op_ + (direction == Direction::kInput ? ".input." : ".output.") + argument;
        if (value["dtype"].is_string())
            tensor.dtype = plain_dtype(value["dtype"].get<std::string>());
        if (value["shape"].is_array())
            for (const json& dim : value["shape"])
                tensor.shape.push_back(dim.is_number_integer() ? dim.get<int64_t>() : 0);
        tensor.statistics = statistics_in(value);
        const auto file = value.find("data_name");
        if (!folder_.empty() && file != value.end() && file->is_string())
            read_data(file->get<std::string>(), tensor);
        tensors_.push_back(std::move(tensor));
    }

    /// Of {"type": "int", "value": 2}.
    void add_argument(const json& value, const std::string& name) {
        PlainArgument argument{
            .name = name, .is_bool = value.is_boolean(), .is_whole = value.is_number_integer()};
        if (value.is_number()) {
            argument.numbers.push_back(value.get<double>());
        } else if (value.is_boolean()) {
            argument.numbers.push_back(value.get<bool>() ? 1 : 0);
        } else if (value.is_string()) {
            argument.text = value.get<std::string>();
        } else {
            return;
        }
        arguments_.push_back(std::move(argument));
    }

    void read_data(const std::string& name, SourceTensor& tensor) const {
        if (name.empty() || name == "-1") return;
        // A name that leads out of the folder is not followed.
        const std::filesystem::path file = name;
        if (file != file.filename() || name == "." || name == "..") {
            tensor.problem = "its file " + in_quotes(name) + " is no plain name";
            return;
        }
        try {
            const auto path = folder_ / file;
            if (file.extension() == ".npy") {
                tensor.hold(read_npy(path));
            } else {
                const NamedTensors all = read_torch_file(path);
                if (!all.empty()) tensor.hold(all.front().second);
            }
        } catch (const Error& failure) {
            tensor.problem = failure.what();
        }
    }

    std::filesystem::path folder_;
    std::string op_;
    std::vector<SourceTensor> tensors_;
    std::vector<PlainArgument> arguments_;
};

struct Record {
    std::string name;
    json content;
};

/// The ops under "data" in the order of the file; empty where there is no such object. The text is
/// sound JSON, not too deep. Each is
/// taken out of the tree as soon as it is read: an ordered object searches all its keys for every
/// new one.
std::optional<std::vector<Record>> read_records(const std::string& text) {
    using Event = json::parse_event_t;
    std::vector<Record> records;
    bool in_data = false;
    bool found = false;
    const auto take = [&](int depth, Event event, json& parsed) {
        if (depth == 1 && event == Event::key) in_data = parsed == "data";
        if (!in_data) return true;
        if (depth == 1 && event == Event::object_start) found = true;
        if (depth == 2 && event == Event::key) records.push_back({parsed.get<std::string>(), {}});
        if (depth != 2 || event != Event::object_end || records.empty()) return true;
        records.back().content = std::move(parsed);
        return false;
    };
    const json root = json::parse(text, take, false);
    if (!root.is_object() || !found) return std::nullopt;
    return records;
}

}  // namespace

Source source_of_msprobe(const std::filesystem::path& path) {
    const std::string what = in_quotes(path);
    const std::string text = with_quoted_numbers(read_text_file(path));
    if (const std::string problem = json_problem(text).reason; !problem.empty())
        throw Error(ErrorKind::kFormat,
                    what + " is no dump.json of msprobe: " + printable(problem));
    std::optional<std::vector<Record>> records = read_records(text);
    if (!records)
        throw Error(ErrorKind::kFormat, what + " is no dump.json of msprobe: it has no 'data'");
    const auto folder = path.parent_path() / "dump_tensor_data";
    const auto program = std::make_shared<const MsprobeProgram>(path.parent_path());
    Source source;
    for (Record& each : *records) {
        const auto record = std::make_shared<const json>(std::move(each.content));
        source.ops.push_back(
            {{each.name, 0},
             each.name,
             [folder, name = each.name, record] { return OpReader(folder, name).read(*record); },
             [program, name = each.name, record]() -> SideFacts {
                 // No folder: elements are not wanted.
                 OpReader reader({}, name);
                 static_cast<void>(reader.read(*record));
                 return {program->facts_of(name), reader.arguments()};
             }});
    }
    return source;
}

}  // namespace npuscope
