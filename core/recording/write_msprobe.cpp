#include "core/recording/write_msprobe.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/make_folder.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/base/system_error.h"
#include "core/npz/torch_file.h"
#include "core/recording/list_element.h"
#include "core/recording/msprobe/dump_file.h"
#include "core/recording/msprobe/record_name.h"
#include "core/tensor/statistics.h"

namespace npuscope {

namespace {

using dumpfile::Direction;
using msprobe::part_of_name;
using json = nlohmann::ordered_json;

constexpr const char* kData = "dump_tensor_data";

std::string text_of(const json& value) {
    return json_text(value, -1);
}

/// As Python's json writes them; the placeholder text becomes a bare word.
std::string number_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string statistics_text(const Tensor& tensor) {
    const char* none = R"("Max": null, "Min": null, "Mean": null, "Norm": null)";
    if (tensor.numel() == 0) return none;
    const Statistics found = statistics_of(tensor);
    if (tensor.dtype() == DType::kBool)
        return fmt::format(
            R"("Max": {}, "Min": {}, "Mean": null, "Norm": null)", found.max != 0, found.min != 0);
    if (!is_float(tensor.dtype()))
        return fmt::format(
            R"("Max": {:.0f}, "Min": {:.0f}, "Mean": null, "Norm": null)", found.max, found.min);
    const bool finite = found.finite == found.count;
    return fmt::format(R"("Max": {}, "Min": {}, "Mean": {}, "Norm": {})",
                       number_text(found.max_of_numbers()),
                       number_text(found.min_of_numbers()),
                       number_text(found.mean_of_numbers()),
                       number_text(finite           ? found.norm()
                                   : found.nan != 0 ? std::nan("")
                                                    : HUGE_VAL));
}

std::string one_number(const PlainArgument& argument, double value) {
    if (argument.is_bool) return fmt::format(R"({{"type": "bool", "value": {}}})", value != 0);
    if (argument.is_whole) return fmt::format(R"({{"type": "int", "value": {:.0f}}})", value);
    return fmt::format(R"({{"type": "float", "value": {}}})", number_text(value));
}

std::string argument_text(const PlainArgument& argument) {
    if (!argument.text.empty()) {
        const bool is_dtype = dtype_from_name(argument.text).has_value();
        return fmt::format(R"({{"type": "{}", "value": {}}})",
                           is_dtype ? "torch.dtype" : "str",
                           text_of(is_dtype ? "torch." + argument.text : argument.text));
    }
    if (!argument.is_list && argument.numbers.size() == 1)
        return one_number(argument, argument.numbers.front());
    std::string text;
    for (const double value : argument.numbers)
        text += (text.empty() ? "" : ", ") + one_number(argument, value);
    return "[" + text + "]";
}

/// "Module.layer1.0.Module.forward.0"
std::string module_record(const std::string& module, bool backward) {
    return "Module." + module + ".Module." + (backward ? "backward" : "forward") + ".0";
}

class TreeWriter {
  public:
    explicit TreeWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}

    void add(const SourceOp& op) {
        const std::string name = names_.next(op.id.op);
        const SideFacts facts = op.facts ? op.facts() : SideFacts();
        Fields inputs;
        Fields outputs;
        for (const SourceTensor& tensor : op.load()) {
            const bool is_input = tensor.direction == Direction::kInput;
            const std::string place =
                name + (is_input ? ".input." : ".output.") + path_of(tensor.argument, '.');
            put(is_input ? inputs : outputs, tensor.argument, tensor_text(tensor, place));
        }
        for (const PlainArgument& argument : facts.arguments) {
            const std::string& own = argument.recorded.empty() ? argument.name : argument.recorded;
            put(inputs, own, argument_text(argument));
        }
        data_ += fmt::format(
            "{}\n  {}: {{\"input_args\": [], \"input_kwargs\": {}, \"output\": {}, "
            "\"is_recompute\": false}}",
            data_.empty() ? "" : ",",
            text_of(name),
            fields_text(inputs),
            fields_text(outputs));
        place(name, facts.recorded.source);
        ++written_.records;
    }

    WrittenTree finish(const Source& source) {
        std::string device;
        if (!source.device_name.empty())
            device = fmt::format(" \"{}\": {{\"device\": {}, \"options\": {}}},\n",
                                 msprobe::kOwnFacts,
                                 text_of(source.device_name),
                                 text_of(source.device_options));
        write_text_file(folder_ / "dump.json",
                        fmt::format("{{\n \"task\": \"tensor\",\n \"level\": \"mix\",\n "
                                    "\"framework\": \"pytorch\",\n \"dump_data_dir\": {},\n{} "
                                    "\"data\": {{{}\n }}\n}}\n",
                                    text_of(kData),
                                    device,
                                    data_));
        write_text_file(folder_ / "stack.json", text_of(stack_) + "\n");
        write_text_file(folder_ / "construct.json", "{" + construct_ + "\n}\n");
        return written_;
    }

  private:
    /// A value, or a list of them.
    struct Field {
        std::string name;
        std::vector<std::string> values;
        bool is_list = false;
    };
    using Fields = std::vector<Field>;

    /// "tensors/tensors_0" is element 0 of the list `tensors`.
    static std::pair<std::string, std::optional<size_t>> split(const std::string& argument) {
        const auto element = list_element(argument);
        if (!element) return {argument, std::nullopt};
        return {std::string(element->list), element->index};
    }

    static std::string path_of(const std::string& argument, char between) {
        const auto [name, index] = split(argument);
        return part_of_name(name) + (index ? between + std::to_string(*index) : "");
    }

    static void put(Fields& fields, const std::string& argument, std::string value) {
        const auto [name, index] = split(argument);
        const std::string own = part_of_name(name);
        if (fields.empty() || fields.back().name != own) fields.push_back({own, {}, false});
        Field& field = fields.back();
        field.is_list = index.has_value();
        // What was left out of the list stands as None.
        while (index && field.values.size() < *index)
            field.values.emplace_back("null");
        field.values.push_back(std::move(value));
    }

    static std::string fields_text(const Fields& fields) {
        std::string text;
        for (const Field& field : fields) {
            std::string values;
            for (const std::string& value : field.values)
                values += (values.empty() ? "" : ", ") + value;
            text += (text.empty() ? "" : ", ") + text_of(field.name) + ": " +
                    (field.is_list ? "[" + values + "]" : values);
        }
        return "{" + text + "}";
    }

    std::string tensor_text(const SourceTensor& tensor, const std::string& place) {
        std::string numbers = R"("Max": null, "Min": null, "Mean": null, "Norm": null)";
        std::string file;
        if (tensor.open) {
            const Tensor elements = tensor.open()->whole();
            numbers = statistics_text(elements);
            if (torch_has_dtype(tensor.dtype)) {
                file = place + ".pt";
                save(elements, tensor.dtype, folder_ / kData / file);
            }
        }
        ++(file.empty() ? written_.without_data : written_.tensors);
        return fmt::format(
            R"({{"type": "torch.Tensor", "dtype": {}, "shape": {}, {}, "requires_grad": false{}{}}})",
            text_of("torch." + tensor.dtype),
            text_of(tensor.shape),
            numbers,
            file.empty() ? "" : ", \"data_name\": " + text_of(file),
            tensor.compute_type == ComputeType::kNone
                ? ""
                : fmt::format(
                      R"(, "{}": "{}")", msprobe::kComputeType, name_of(tensor.compute_type)));
    }

    static void save(const Tensor& tensor,
                     const std::string& dtype,
                     const std::filesystem::path& file) {
        size_t done = 0;
        write_torch_tensor(file, dtype, tensor.shape(), [&](std::span<std::byte> bytes) {
            std::memcpy(bytes.data(), tensor.data() + done, bytes.size());
            done += bytes.size();
        });
    }

    /// Where the op stands: its line, and the modules around it.
    void place(const std::string& name, const OpSource& source) {
        const size_t colon = source.line.rfind(':');
        json frames = json::array();
        if (colon != std::string::npos)
            frames.push_back("File " + source.line.substr(0, colon) + ", line " +
                             source.line.substr(colon + 1) + ", in " +
                             (source.module.empty() ? "program" : source.module) + ", \n ");
        stack_[std::to_string(written_.records)] = {json::array({name}), frames};
        const bool backward = !source.autograd.empty();
        construct(name, source.module, backward);
        for (std::string module = source.module; !module.empty();) {
            const std::string own = module_record(module, backward);
            const size_t dot = module.rfind('.');
            module = dot == std::string::npos ? "" : module.substr(0, dot);
            if (!modules_.insert(own).second) break;
            construct(own, module, backward);
        }
    }

    void construct(const std::string& name, const std::string& module, bool backward) {
        construct_ +=
            (construct_.empty() ? "\n  " : ",\n  ") + text_of(name) + ": " +
            (module.empty() ? std::string("null") : text_of(module_record(module, backward)));
    }

    std::filesystem::path folder_;
    msprobe::OpRecordNames names_;
    std::set<std::string> modules_;
    std::string data_;
    std::string construct_;
    /// Sorted keys: an ordered object searches all of them for every new one.
    nlohmann::json stack_ = nlohmann::json::object();
    WrittenTree written_;
};

}  // namespace

WrittenTree write_msprobe(const Source& source,
                          const std::filesystem::path& folder,
                          const std::function<void(int64_t done, int64_t total)>& on_op) {
    namespace fs = std::filesystem;
    std::error_code problem;
    if (fs::symlink_status(folder, problem).type() != fs::file_type::not_found)
        throw Error(ErrorKind::kUsage, in_quotes(folder) + " is there already; name a new folder");
    fs::path part = folder.has_filename() ? folder : folder.parent_path();
    part += ".part";
    if (!make_new_folder(part))
        throw Error(ErrorKind::kUsage,
                    in_quotes(part) +
                        " is there already: it is being written, or was left by a process that was "
                        "killed; remove it then");
    try {
        make_folder(part / kData);
        TreeWriter writer(part);
        const auto total = static_cast<int64_t>(source.ops.size());
        int64_t done = 0;
        for (const SourceOp& op : source.ops) {
            // An op that no golden run fitted is not in the file.
            if (op.unmatched.empty()) writer.add(op);
            if (on_op) on_op(++done, total);
        }
        const WrittenTree written = writer.finish(source);
        fs::rename(part, folder, problem);
        if (problem)
            throw Error(ErrorKind::kIo,
                        "cannot name the folder " + in_quotes(folder) + ": " + problem.message());
        return written;
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(part, ignored);
        throw;
    }
}

}  // namespace npuscope
