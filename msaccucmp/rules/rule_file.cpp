// Reading the JSON of a rule file: {"graph": [{"op": [{"name", "type", "id", "input",
// "output_desc", "attr"}]}]}.
#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/cann_dump/name.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/rules/fusion_rule.h"

namespace npuscope::msaccucmp {

namespace {

using nlohmann::json;

/// Errors: CommandError(kInvalidPath) no such file, (kParseJsonError) no JSON.
json read_json(const std::string& path, Log& log) {
    constexpr uintmax_t kLarge = uintmax_t{100} << 20;
    require_path(path, PathType::kFile, log);
    std::error_code failure;
    const uintmax_t size = std::filesystem::file_size(path, failure);
    if (!failure && size > kLarge)
        log.warning("The rule file '" + path + "' exceeds 100MB, so this may take a while.");
    const std::string text = read_text_file(path);
    json root = parse_json<json>(text);
    if (root.is_discarded())
        throw CommandError(kParseJsonError,
                           "The rule file '" + path + "' is no JSON: " + json_problem(text).reason);
    return root;
}

class RuleParser {
  public:
    RuleParser(const std::string& path, FusionRule& rule) : path_(path), rule_(rule) {}

    void parse(const json& root) {
        for (const json& graph : array(root, "graph")) {
            for (const json& op : array(graph, "op"))
                parse_op(op);
            complete_renamed_ops();
        }
        rule_.by_sequence.resize(rule_.ops.size());
        for (size_t i = 0; i < rule_.ops.size(); ++i)
            rule_.by_sequence[i] = i;
        std::stable_sort(
            rule_.by_sequence.begin(), rule_.by_sequence.end(), [&](size_t a, size_t b) {
                return rule_.ops[a].sequence < rule_.ops[b].sequence;
            });
    }

  private:
    [[noreturn]] void refuse(const std::string& problem) const {
        throw CommandError(kParseJsonError, "The rule file '" + path_ + "' " + problem + ".");
    }
    const json& element(const json& object, const char* key) const {
        const auto at = object.is_object() ? object.find(key) : object.end();
        if (!object.is_object() || at == object.end())
            refuse(std::string("lacks an element '") + key + "'");
        return *at;
    }
    const json& array(const json& object, const char* key) const {
        const json& value = element(object, key);
        if (!value.is_array()) refuse(std::string("has an element '") + key + "' that is no array");
        return value;
    }
    std::string text(const json& object, const char* key) const {
        const json& value = element(object, key);
        if (!value.is_string())
            refuse(std::string("has an element '") + key + "' that is no string");
        return value.get<std::string>();
    }
    int64_t integer(const json& object, const char* key) const {
        const json& value = element(object, key);
        if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
        if (!value.is_number_integer())
            refuse(std::string("has an element '") + key + "' that is no integer");
        return value.get<int64_t>();
    }
    /// The value of the attribute `key`, null where there is none.
    const json* attribute(const json& attributes, const char* key) const {
        if (!attributes.is_array()) refuse("has an element 'attr' that is no array");
        for (const json& each : attributes)
            if (text(each, "key") == key) return &element(each, "value");
        return nullptr;
    }
    std::string text_attribute(const json& attributes, const char* key) const {
        const json* value = attribute(attributes, key);
        return value == nullptr ? std::string() : text(*value, "s");
    }

    std::vector<std::string> inputs_of(const json& op) const {
        std::vector<std::string> inputs;
        if (!op.contains("input")) return inputs;
        for (const json& each : array(op, "input")) {
            if (!each.is_string()) refuse("has an input that is no string");
            std::string input = each.get<std::string>();
            // "-1" is the end of a control edge: no tensor comes that way.
            if (input.empty() || input.ends_with(":-1")) continue;
            inputs.push_back(cann_dump::without_slices(input));
        }
        return inputs;
    }

    Shape shape_attribute(const json& attributes) const {
        Shape shape;
        const json* value = attribute(attributes, "origin_shape");
        if (value == nullptr) return shape;
        const json& list = element(*value, "list");
        if (!list.is_object() || !list.contains("i")) return shape;
        for (const json& dim : array(list, "i")) {
            if (!dim.is_number_integer()) refuse("has a dim of 'origin_shape' that is no integer");
            shape.push_back(dim.get<int64_t>());
        }
        return shape;
    }

    std::vector<OutputDesc> outputs_of(const json& op) const {
        std::vector<OutputDesc> outputs;
        if (!op.contains("output_desc")) return outputs;
        int64_t position = -1;
        for (const json& each : array(op, "output_desc")) {
            ++position;
            if (!each.is_object() || !each.contains("attr")) continue;
            const json& attributes = each["attr"];
            OutputDesc output;
            output.origin_name = text_attribute(attributes, "_datadump_origin_name");
            const json* index = attribute(attributes, "_datadump_origin_output_index");
            output.origin_index = index == nullptr ? position : integer(*index, "i");
            output.origin_format = text_attribute(attributes, "_datadump_origin_format");
            if (output.origin_format.empty())
                output.origin_format = text_attribute(attributes, "origin_format");
            output.origin_shape = shape_attribute(attributes);
            if (each.contains("dtype") && each["dtype"].is_string())
                output.dtype = each["dtype"].get<std::string>();
            outputs.push_back(std::move(output));
        }
        return outputs;
    }

    /// False when the op does not name its originals; it is then its own.
    bool read_original_names(const json& attributes, FusionOp& op) const {
        const json* value = attribute(attributes, "_datadump_original_op_names");
        if (value == nullptr) {
            op.original_names = {op.name};
            return false;
        }
        const json& list = element(*value, "list");
        if (!list.is_object() || !list.contains("s")) {
            op.original_names = {""};
            return true;
        }
        for (const json& name : array(list, "s")) {
            if (!name.is_string()) refuse("has an original op's name that is no string");
            op.original_names.push_back(name.get<std::string>());
        }
        return true;
    }

    static void name_outputs(FusionOp& op, const std::string& name) {
        if (op.outputs.empty())
            op.outputs.push_back({.origin_name = name,
                                  .origin_index = std::nullopt,
                                  .origin_format = {},
                                  .origin_shape = {},
                                  .dtype = {}});
        for (OutputDesc& output : op.outputs)
            if (output.origin_name.empty()) output.origin_name = name;
    }

    void parse_op(const json& source) {
        FusionOp op;
        const std::string written_name = text(source, "name");
        op.name = cann_dump::without_slices(written_name);
        op.type = text(source, "type");
        if (op.type == "Data" && !written_name.empty()) rule_.input_nodes.push_back(written_name);
        op.inputs = inputs_of(source);
        op.outputs = outputs_of(source);
        static const json none = json::array();
        const json& attributes = source.contains("attr") ? array(source, "attr") : none;
        if (const json* value = attribute(attributes, "_datadump_is_multiop")) {
            if (!element(*value, "b").is_boolean()) refuse("has an element 'b' that is no bool");
            op.is_multi_op = element(*value, "b").get<bool>();
        }
        op.l1_number = text_attribute(attributes, "_L1_fusion_sub_graph_no");
        const bool has_originals = read_original_names(attributes, op);
        if (source.contains("id")) op.sequence = integer(source, "id");
        if (!has_originals) name_outputs(op, op.name);

        rule_.set_group(op.name, FusionRule::group_key(op.name, op.l1_number, op.original_names));
        if (const FusionGroup* group = rule_.group_of(op.name))
            for (const size_t member : group->ops)
                if (rule_.ops[member].name == op.name) return;
        rule_.ops.push_back(std::move(op));
        rule_.add_to_group(rule_.ops.size() - 1);
    }

    void complete_renamed_ops() {
        for (const FusionGroup& group : rule_.groups) {
            FusionOp& op = rule_.ops[group.ops.front()];
            if (group.ops.size() == 1 && op.original_names.size() == 1 &&
                rule_.group_of(op.name) != nullptr &&
                rule_.group_of(op.name)->key == op.original_names.front())
                name_outputs(op, op.original_names.front());
        }
    }

    const std::string& path_;
    FusionRule& rule_;
};

}  // namespace

std::vector<std::string> graph_names(const std::string& path, Log& log) {
    const json root = read_json(path, log);
    bool good = root.is_object() && root.contains("graph") && root["graph"].is_array();
    std::vector<std::string> names;
    if (good)
        for (const json& graph : root["graph"]) {
            good = good && graph.is_object() && graph.contains("name") && graph["name"].is_string();
            if (good) names.push_back(graph["name"].get<std::string>());
        }
    if (!good)
        throw CommandError(
            kParseJsonError,
            "The rule file '" + path + "' lacks an array 'graph' of graphs with names.");
    return names;
}

FusionRule FusionRule::read(const std::string& path, Log& log) {
    const json root = read_json(path, log);
    FusionRule rule;
    RuleParser(path, rule).parse(root);
    mark_ops_between_quants(rule, log);
    return rule;
}

}  // namespace npuscope::msaccucmp
