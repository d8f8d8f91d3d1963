// Calls of functions of the model: their nodes take the place of the call.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "npu_backend/onnx/declarations.h"
#include "npu_backend/onnx/graph_reader.h"
#include "npu_backend/onnx/proto_names.h"

namespace npuscope::onnx_model {

namespace {

/// FunctionProto.attribute_proto: attributes with default values, which the format has had since
/// IR version 9. The library's headers lack them in version 1.12, where they are an unknown field,
/// and know them in 1.17.
constexpr int kDefaultsField = 11;

template <typename Function>
std::vector<onnx::AttributeProto> default_attributes(const Function& function,
                                                     const std::string& what) {
    std::vector<onnx::AttributeProto> defaults;
    if constexpr (requires { function.attribute_proto(); }) {
        defaults.assign(function.attribute_proto().begin(), function.attribute_proto().end());
    } else {
        const auto& unknown = function.unknown_fields();
        for (int i = 0; i < unknown.field_count(); ++i) {
            const auto& field = unknown.field(i);
            if (field.number() != kDefaultsField ||
                field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
                continue;
            if (!defaults.emplace_back().ParseFromString(field.length_delimited()))
                throw Error(ErrorKind::kFormat, what + ": a default of its function is damaged");
        }
    }
    return defaults;
}

}  // namespace

ReadScope GraphReader::scope_of_call(const onnx::NodeProto& proto,
                                     const onnx::FunctionProto& function,
                                     const std::string& what,
                                     const std::string& name,
                                     const std::vector<Attribute>& arguments) const {
    if (proto.input_size() > function.input_size() || proto.output_size() > function.output_size())
        throw Error(ErrorKind::kFormat,
                    what + " calls a function of " + std::to_string(function.input_size()) +
                        " inputs and " + std::to_string(function.output_size()) + " outputs with " +
                        std::to_string(proto.input_size()) + " and " +
                        std::to_string(proto.output_size()));
    ReadScope scope;
    for (int i = 0; i < function.input_size(); ++i) {
        const bool given = i < proto.input_size() && !proto.input(i).empty();
        const int number = given ? use(proto.input(i), what) : kNoValue;
        if (!scope.numbers.emplace(function.input(i), number).second)
            throw Error(ErrorKind::kFormat,
                        what + ": its function has two inputs " + in_quotes(function.input(i)));
    }
    scope.prefix = name + "/";
    scope.opset = default_opset(function.opset_import(), scope_.opset);
    scope.arguments = &arguments;
    return scope;
}

void GraphReader::inline_call(const onnx::NodeProto& proto,
                              const onnx::FunctionProto& function,
                              const std::string& what,
                              const std::string& name) {
    if (std::ranges::count(context_.calls, &function) != 0)
        throw Error(ErrorKind::kFormat,
                    what + " calls the function that it is in: functions may not be recursive");
    if (context_.calls.size() >= kDeepestCall)
        throw Error(ErrorKind::kUnsupported,
                    what + ": functions are called " + std::to_string(kDeepestCall) + " deep");
    for (const onnx::AttributeProto& attribute : proto.attribute())
        if (std::ranges::count(function.attribute(), attribute.name()) == 0 &&
            std::ranges::none_of(default_attributes(function, what),
                                 [&](const auto& row) { return row.name() == attribute.name(); }))
            throw Error(ErrorKind::kUnsupported,
                        "attribute " + in_quotes(attribute.name()) + " of " + what +
                            " is no attribute of its function");
    std::vector<Attribute> arguments = read_attributes(proto, what);
    for (const onnx::AttributeProto& attribute : default_attributes(function, what))
        if (std::ranges::count(arguments, attribute.name(), &Attribute::name) == 0)
            arguments.push_back(
                read_attribute(attribute,
                               "default " + in_quotes(attribute.name()) + " of " + what,
                               context_.files));

    ReadScope inner = scope_of_call(proto, function, what, name, arguments);
    context_.calls.push_back(&function);
    const size_t depth = context_.calls.size();
    std::swap(scope_, inner);
    const Nodes* outer_nodes = std::exchange(nodes_, &function.node());
    std::vector<int> results;
    try {
        read_nodes(function.node());
        for (int i = 0; i < proto.output_size(); ++i)
            results.push_back(use(function.output(i), "output " + in_quotes(function.output(i))));
    } catch (const Error& error) {
        // The outermost functions tell where to look; all of a deep chain would fill the screen.
        if (depth > kNamedCalls + 1) throw;
        throw error.with_context(depth > kNamedCalls ? "functions within"
                                                     : what + ", a function of the model");
    }
    nodes_ = outer_nodes;
    std::swap(scope_, inner);
    context_.calls.pop_back();
    for (int i = 0; i < proto.output_size(); ++i)
        if (!proto.output(i).empty()) bind(proto.output(i), results[static_cast<size_t>(i)], what);
}

}  // namespace npuscope::onnx_model
