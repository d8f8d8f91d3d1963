#include "npu_backend/onnx/graph_reader.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "npu_backend/onnx/declarations.h"
#include "npu_backend/onnx/operators.h"
#include "npu_backend/onnx/proto_names.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::onnx_model {

namespace {

void check_counts(const Operator& op, const Node& node, const std::string& what) {
    const auto within = [](size_t count, int limit) {
        return limit == kAnyNumber || count <= static_cast<size_t>(limit);
    };
    bool complete = node.inputs.size() >= static_cast<size_t>(op.min_inputs);
    for (int i = 0; complete && i < op.min_inputs; ++i)
        complete = node.inputs[static_cast<size_t>(i)] != kNoValue;
    if (!complete || !within(node.inputs.size(), op.max_inputs))
        throw Error(
            ErrorKind::kFormat,
            what + " takes " + std::to_string(op.min_inputs) + " to " +
                (op.max_inputs == kAnyNumber ? "any number of" : std::to_string(op.max_inputs)) +
                " inputs; it has " + std::to_string(node.inputs.size()) +
                ", or one that it needs is left out");
    if (node.outputs.empty() || !within(node.outputs.size(), op.max_outputs))
        throw Error(ErrorKind::kUnsupported,
                    what + " has " + std::to_string(node.outputs.size()) +
                        " outputs, which is not supported");
}

/// What a node and the bodies inside it read.
void add_uses(const Node& node, std::vector<int>& uses) {
    uses.insert(uses.end(), node.inputs.begin(), node.inputs.end());
    for (const Attribute& attribute : node.attributes) {
        const auto* body = std::get_if<std::shared_ptr<const Body>>(&attribute.value);
        if (body == nullptr) continue;
        uses.insert(uses.end(), (*body)->output_values.begin(), (*body)->output_values.end());
        for (const Node& inner : (*body)->nodes)
            add_uses(inner, uses);
    }
}

}  // namespace

GraphReader::GraphReader(const onnx::GraphProto& proto,
                         ReadContext& context,
                         ReadScope scope,
                         bool outermost)
    : proto_(proto),
      context_(context),
      scope_(std::move(scope)),
      first_own_(static_cast<int>(context.graph.value_names.size())),
      outermost_(outermost) {}

Body GraphReader::read() {
    nodes_ = &proto_.node();
    read_initializers();
    read_inputs();
    read_nodes(proto_.node());
    read_outputs();
    find_last_uses();
    return std::move(body_);
}

int GraphReader::define(const std::string& name, const std::string& what) {
    const auto number = static_cast<int>(context_.graph.value_names.size());
    bind(name, number, what);
    take_name(name, what);
    context_.graph.value_names.push_back(name);
    return number;
}

void GraphReader::take_name(const std::string& name, const std::string& what) {
    if (name.size() > kLongName) context_.name_bytes += name.size();
    if (context_.name_bytes > kMostNameBytes)
        throw Error(ErrorKind::kUnsupported,
                    what + ": the names of the model are longer than " +
                        std::to_string(kMostNameBytes >> 20) +
                        " MiB with its functions inlined");
}

void GraphReader::bind(const std::string& name, int number, const std::string& what) {
    if (name.empty()) throw Error(ErrorKind::kFormat, what + " has no name");
    const auto [known, added] = scope_.numbers.emplace(name, number);
    if (added) return;
    if (known->second >= first_own_)
        throw Error(
            ErrorKind::kFormat,
            what + " makes the value " + in_quotes(name) + " again; the graph is not valid ONNX");
    known->second = number;  // hides a value outside the body
}

int GraphReader::use(const std::string& name, const std::string& user) const {
    const auto known = scope_.numbers.find(name);
    if (known != scope_.numbers.end()) return known->second;
    for (int i = 0; i < nodes_->size(); ++i)
        if (std::ranges::count(nodes_->Get(i).output(), name) != 0)
            throw Error(ErrorKind::kFormat,
                        user + " uses " + in_quotes(name) + ", which only a later one, " +
                            in_words(nodes_->Get(i), i) +
                            ", makes: the graph has a cycle or is not in order");
    throw Error(ErrorKind::kFormat,
                user + " uses " + in_quotes(name) + ", which nothing in the model makes");
}

void GraphReader::read_initializers() {
    if (proto_.sparse_initializer_size() != 0)
        throw Error(ErrorKind::kUnsupported, "sparse initializers are not supported");
    for (const onnx::TensorProto& tensor : proto_.initializer()) {
        const std::string what = "initializer " + in_quotes(tensor.name());
        const int number = define(tensor.name(), what);
        body_.initializers.emplace_back(number, read_tensor(tensor, what, context_.files));
    }
}

void GraphReader::read_inputs() {
    const size_t initializers = context_.graph.value_names.size();
    for (const onnx::ValueInfoProto& input : proto_.input()) {
        const auto known = scope_.numbers.find(input.name());
        // Up to IR version 3 every initializer is an input too.
        if (known != scope_.numbers.end() && known->second >= first_own_ &&
            static_cast<size_t>(known->second) < initializers)
            continue;
        const std::string what = "input " + in_quotes(input.name());
        body_.input_values.push_back(define(input.name(), what));
        if (outermost_) context_.graph.inputs.push_back(read_info(input, what, true));
    }
}

void GraphReader::read_nodes(const Nodes& nodes) {
    for (int i = 0; i < nodes.size(); ++i)
        read_node(nodes.Get(i), i);
}

std::shared_ptr<const Body> GraphReader::read_body(const onnx::GraphProto& proto,
                                                   const std::string& whose) {
    try {
        return std::make_shared<const Body>(GraphReader(proto, context_, scope_, false).read());
    } catch (const Error& error) {
        throw error.with_context(whose);
    }
}

std::vector<Attribute> GraphReader::read_attributes(const onnx::NodeProto& proto,
                                                    const std::string& what) {
    std::vector<Attribute> attributes;
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
        const std::string whose = "attribute " + in_quotes(attribute.name()) + " of " + what;
        if (attribute.name().empty()) throw Error(ErrorKind::kFormat, whose + " has no name");
        if (!attribute.ref_attr_name().empty()) {
            if (scope_.arguments == nullptr)
                throw Error(ErrorKind::kFormat,
                            whose + " refers to the attribute " +
                                in_quotes(attribute.ref_attr_name()) +
                                " of a function, but the node is in none");
            const auto given =
                std::ranges::find(*scope_.arguments, attribute.ref_attr_name(), &Attribute::name);
            if (given != scope_.arguments->end())
                attributes.push_back({attribute.name(), given->value});
        } else if (attribute.type() == onnx::AttributeProto_AttributeType_GRAPH) {
            attributes.push_back({attribute.name(), read_body(attribute.g(), whose)});
        } else {
            attributes.push_back(read_attribute(attribute, whose, context_.files));
        }
    }
    return attributes;
}

void GraphReader::read_node(const onnx::NodeProto& proto, int index) {
    const std::string what = in_words(proto, index);
    if (++context_.nodes > kMostNodes)
        throw Error(ErrorKind::kUnsupported,
                    what + ": the model has more than " + std::to_string(kMostNodes) +
                        " nodes with its functions inlined");
    Node node;
    node.name = scope_.prefix + node_name(proto, index);
    take_name(node.name, what);
    if (const onnx::FunctionProto* function = context_.functions.find(proto)) {
        inline_call(proto, *function, what, node.name);
        return;
    }
    node.op = find_operator(proto.op_type());
    node.opset = scope_.opset;
    for (const std::string& name : proto.input())
        node.inputs.push_back(name.empty() ? kNoValue : use(name, what));
    for (const std::string& name : proto.output())
        node.outputs.push_back(name.empty() ? kNoValue : define(name, what));
    while (!node.inputs.empty() && node.inputs.back() == kNoValue)
        node.inputs.pop_back();
    while (!node.outputs.empty() && node.outputs.back() == kNoValue)
        node.outputs.pop_back();
    check_counts(*node.op, node, what);
    for (const onnx::AttributeProto& attribute : proto.attribute())
        if (!lists_word(node.op->attributes, attribute.name()))
            throw Error(
                ErrorKind::kUnsupported,
                "attribute " + in_quotes(attribute.name()) + " of " + what + " is not supported");
    node.attributes = read_attributes(proto, what);
    body_.nodes.push_back(std::move(node));
}

void GraphReader::read_outputs() {
    if (proto_.output_size() == 0) throw Error(ErrorKind::kFormat, "the graph declares no outputs");
    for (const onnx::ValueInfoProto& output : proto_.output()) {
        const std::string what = "output " + in_quotes(output.name());
        body_.output_values.push_back(use(output.name(), what));
        if (body_.output_values.back() == kNoValue)
            throw Error(ErrorKind::kFormat, what + " is an input that a call leaves out");
        if (outermost_) context_.graph.outputs.push_back(read_info(output, what, false));
    }
}

void GraphReader::find_last_uses() {
    // Values from outside are kept: the body may run again.
    std::vector<bool> needed(context_.graph.value_names.size(), false);
    std::fill_n(needed.begin(), first_own_, true);
    for (const int value : body_.output_values)
        needed[static_cast<size_t>(value)] = true;
    for (const auto& [value, tensor] : body_.initializers)
        needed[static_cast<size_t>(value)] = needed[static_cast<size_t>(value)] || !outermost_;
    for (size_t i = body_.nodes.size(); i-- > 0;) {
        Node& node = body_.nodes[i];
        std::vector<int> uses = node.outputs;
        add_uses(node, uses);
        for (const int value : uses) {
            if (value == kNoValue || needed[static_cast<size_t>(value)]) continue;
            needed[static_cast<size_t>(value)] = true;
            node.last_uses.push_back(value);
        }
    }
}

}  // namespace npuscope::onnx_model
