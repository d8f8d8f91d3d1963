// The file, parsed and checked: everything that can be known before a run is found here.
#include <algorithm>
#include <fstream>
#include <limits>
#include <onnx/onnx_pb.h>
#include <set>
#include <sstream>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "npu_backend/onnx/graph.h"
#include "npu_backend/onnx/operators.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::onnx_model {

namespace {

std::string in_quotes(std::string_view name) {
    return "'" + printable(name) + "'";
}

bool is_default_domain(const std::string& domain) {
    return domain.empty() || domain == "ai.onnx";
}

std::string node_name(const onnx::NodeProto& node, int index) {
    return node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
}

std::string operator_name(const onnx::NodeProto& node) {
    return is_default_domain(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type();
}

std::string in_words(const onnx::NodeProto& node, int index) {
    return "node " + in_quotes(node_name(node, index)) + " (" + printable(operator_name(node)) +
           ")";
}

onnx::ModelProto parse_file(const std::filesystem::path& path) {
    require_regular_file(path, "model");
    if (std::filesystem::file_size(path) > std::numeric_limits<int>::max())
        throw Error(ErrorKind::kUnsupported, "files above 2 GiB are not supported");
    const std::string content = read_text_file(path);
    onnx::ModelProto model;
    if (content.empty() || !model.ParseFromArray(content.data(), static_cast<int>(content.size())))
        throw Error(ErrorKind::kFormat,
                    content.empty() ? "the file is empty"
                                    : "this is no ONNX model, or it is truncated or damaged");
    if (!model.has_graph() || !model.has_ir_version() || model.opset_import_size() == 0)
        throw Error(ErrorKind::kFormat,
                    "this is no complete ONNX model (the graph, the IR version or the operator set "
                    "is missing)");
    return model;
}

int64_t default_opset(const onnx::ModelProto& model) {
    int64_t version = 0;
    for (const auto& import : model.opset_import())
        if (is_default_domain(import.domain())) version = import.version();
    if (version < kOldestOpset || version > kNewestOpset)
        throw Error(ErrorKind::kUnsupported,
                    "operator set " + std::to_string(version) + " is not supported; export with " +
                        "one from " + std::to_string(kOldestOpset) + " to " +
                        std::to_string(kNewestOpset));
    return version;
}

/// The first ten names.
std::string joined(const std::set<std::string>& names) {
    std::string text;
    int count = 0;
    for (const std::string& name : names) {
        if (++count > 10) return text + ", …";
        text += (text.empty() ? "" : ", ") + printable(name);
    }
    return text;
}

struct MissingOperators {
    const onnx::NodeProto* first = nullptr;
    int first_index = 0;
    int nodes = 0;
    std::set<std::string> names;
};

/// Bodies of nodes count too.
void find_missing(const onnx::GraphProto& graph, MissingOperators& found) {
    for (int i = 0; i < graph.node_size(); ++i) {
        const onnx::NodeProto& node = graph.node(i);
        if (!is_default_domain(node.domain()) || find_operator(node.op_type()) == nullptr) {
            if (found.first == nullptr) {
                found.first = &node;
                found.first_index = i;
            }
            ++found.nodes;
            found.names.insert(operator_name(node));
        }
        for (const onnx::AttributeProto& attribute : node.attribute())
            if (attribute.type() == onnx::AttributeProto_AttributeType_GRAPH)
                find_missing(attribute.g(), found);
    }
}

/// Error(kUnsupported) that names the first node with a missing operator and counts the others.
void require_known_operators(const onnx::GraphProto& graph) {
    MissingOperators found;
    find_missing(graph, found);
    const auto& [first, first_index, nodes, missing] = found;
    if (first == nullptr) return;
    std::string message = in_words(*first, first_index) + ": the operator " +
                          printable(operator_name(*first)) + " is not supported";
    if (nodes > 1)
        message += "; so are those of " + std::to_string(nodes - 1) + " more nodes (" +
                   joined(missing) + ", " + std::to_string(missing.size()) +
                   " operators missing in all)";
    throw Error(ErrorKind::kUnsupported, message);
}

/// The value of one attribute. Errors: Error(kUnsupported) for sparse tensors and lists of
/// tensors or graphs.
Attribute read_attribute(const onnx::AttributeProto& proto, const std::string& what) {
    Attribute attribute;
    attribute.name = proto.name();
    switch (proto.type()) {
        case onnx::AttributeProto_AttributeType_INT:
            attribute.value = static_cast<int64_t>(proto.i());
            break;
        case onnx::AttributeProto_AttributeType_FLOAT:
            attribute.value = static_cast<double>(proto.f());
            break;
        case onnx::AttributeProto_AttributeType_STRING:
            attribute.value = proto.s();
            break;
        case onnx::AttributeProto_AttributeType_INTS:
            attribute.value = IntList(proto.ints().begin(), proto.ints().end());
            break;
        case onnx::AttributeProto_AttributeType_FLOATS:
            attribute.value = std::vector<double>(proto.floats().begin(), proto.floats().end());
            break;
        case onnx::AttributeProto_AttributeType_STRINGS:
            attribute.value =
                std::vector<std::string>(proto.strings().begin(), proto.strings().end());
            break;
        case onnx::AttributeProto_AttributeType_TENSOR:
            attribute.value = read_tensor(proto.t(), what);
            break;
        default:
            throw Error(ErrorKind::kUnsupported, what + " has a type that is not supported");
    }
    return attribute;
}

TensorInfo read_info(const onnx::ValueInfoProto& proto, const std::string& what, bool is_input) {
    if (!proto.type().has_tensor_type())
        throw Error(ErrorKind::kUnsupported, what + " is not declared as a tensor");
    TensorInfo info;
    info.name = proto.name();
    info.dtype = element_type(proto.type().tensor_type().elem_type(), what);
    if (is_input && !proto.type().tensor_type().has_shape())
        throw Error(ErrorKind::kUnsupported,
                    what + " is declared without a shape; export the model with input shapes");
    for (const auto& dim : proto.type().tensor_type().shape().dim()) {
        if (dim.has_dim_value() && dim.dim_value() < 0)
            throw Error(ErrorKind::kFormat, what + " is declared with a negative dimension");
        info.shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
        info.symbols.push_back(dim.has_dim_param() ? dim.dim_param() : "");
    }
    return info;
}

/// Numbers values and turns the file's graph into ours, node by node.
class GraphReader {
  public:
    using Numbers = std::unordered_map<std::string, int>;

    /// `outer` are the values around a body, by name.
    GraphReader(const onnx::GraphProto& proto, Graph& graph, Numbers outer)
        : proto_(proto),
          graph_(graph),
          numbers_(std::move(outer)),
          first_own_(static_cast<int>(graph.value_names.size())) {}

    /// Declarations of inputs and outputs go to the graph when it is the outermost one.
    Body read() {
        outermost_ = first_own_ == 0;
        read_initializers();
        read_inputs();
        for (int i = 0; i < proto_.node_size(); ++i)
            read_node(i);
        read_outputs();
        find_last_uses();
        return std::move(body_);
    }

  private:
    int define(const std::string& name, const std::string& what) {
        const auto number = static_cast<int>(graph_.value_names.size());
        if (name.empty()) throw Error(ErrorKind::kFormat, what + " has no name");
        const auto [known, added] = numbers_.emplace(name, number);
        if (!added && known->second < first_own_)
            known->second = number;  // hides a value outside the body
        else if (!added)
            throw Error(ErrorKind::kFormat,
                        what + " makes the value " + in_quotes(name) +
                            " again; the graph is not valid ONNX");
        graph_.value_names.push_back(name);
        return number;
    }

    void read_initializers() {
        if (proto_.sparse_initializer_size() != 0)
            throw Error(ErrorKind::kUnsupported, "sparse initializers are not supported");
        for (const onnx::TensorProto& tensor : proto_.initializer()) {
            const std::string what = "initializer " + in_quotes(tensor.name());
            const int number = define(tensor.name(), what);
            body_.initializers.emplace_back(number, read_tensor(tensor, what));
        }
    }

    void read_inputs() {
        const size_t initializers = graph_.value_names.size();
        for (const onnx::ValueInfoProto& input : proto_.input()) {
            const auto known = numbers_.find(input.name());
            // Up to IR version 3 every initializer is an input too.
            if (known != numbers_.end() && known->second >= first_own_ &&
                static_cast<size_t>(known->second) < initializers)
                continue;
            const std::string what = "input " + in_quotes(input.name());
            body_.input_values.push_back(define(input.name(), what));
            if (outermost_) graph_.inputs.push_back(read_info(input, what, true));
        }
    }

    int use(const std::string& name, const std::string& user) const {
        const auto known = numbers_.find(name);
        if (known != numbers_.end()) return known->second;
        for (int i = 0; i < proto_.node_size(); ++i)
            if (std::ranges::count(proto_.node(i).output(), name) != 0)
                throw Error(ErrorKind::kFormat,
                            user + " uses " + in_quotes(name) + ", which only a later one, " +
                                in_words(proto_.node(i), i) +
                                ", makes: the graph has a cycle or is not in order");
        throw Error(ErrorKind::kFormat,
                    user + " uses " + in_quotes(name) + ", which nothing in the model makes");
    }

    void check_counts(const Operator& op, const Node& node, const std::string& what) const {
        const auto within = [](size_t count, int limit) {
            return limit == kAnyNumber || count <= static_cast<size_t>(limit);
        };
        bool complete = node.inputs.size() >= static_cast<size_t>(op.min_inputs);
        for (int i = 0; complete && i < op.min_inputs; ++i)
            complete = node.inputs[static_cast<size_t>(i)] != kNoValue;
        if (!complete || !within(node.inputs.size(), op.max_inputs))
            throw Error(ErrorKind::kFormat,
                        what + " takes " + std::to_string(op.min_inputs) + " to " +
                            (op.max_inputs == kAnyNumber ? "any number of"
                                                         : std::to_string(op.max_inputs)) +
                            " inputs; it has " + std::to_string(node.inputs.size()) +
                            ", or one that it needs is left out");
        if (node.outputs.empty() || !within(node.outputs.size(), op.max_outputs))
            throw Error(ErrorKind::kUnsupported,
                        what + " has " + std::to_string(node.outputs.size()) +
                            " outputs, which is not supported");
    }

    std::shared_ptr<const Body> read_body(const onnx::GraphProto& proto, const std::string& whose) {
        try {
            return std::make_shared<const Body>(GraphReader(proto, graph_, numbers_).read());
        } catch (const Error& error) {
            throw error.with_context(whose);
        }
    }

    void read_node(int index) {
        const onnx::NodeProto& proto = proto_.node(index);
        const std::string what = in_words(proto, index);
        Node node;
        node.op = find_operator(proto.op_type());
        node.name = node_name(proto, index);
        for (const std::string& name : proto.input())
            node.inputs.push_back(name.empty() ? kNoValue : use(name, what));
        for (const std::string& name : proto.output())
            node.outputs.push_back(name.empty() ? kNoValue : define(name, what));
        while (!node.inputs.empty() && node.inputs.back() == kNoValue)
            node.inputs.pop_back();
        while (!node.outputs.empty() && node.outputs.back() == kNoValue)
            node.outputs.pop_back();
        check_counts(*node.op, node, what);
        for (const onnx::AttributeProto& attribute : proto.attribute()) {
            const std::string whose = "attribute " + in_quotes(attribute.name()) + " of " + what;
            if (!lists_word(node.op->attributes, attribute.name()) || attribute.name().empty())
                throw Error(ErrorKind::kUnsupported, whose + " is not supported");
            node.attributes.push_back(
                attribute.type() == onnx::AttributeProto_AttributeType_GRAPH
                    ? Attribute{attribute.name(), read_body(attribute.g(), whose)}
                    : read_attribute(attribute, whose));
        }
        body_.nodes.push_back(std::move(node));
    }

    void read_outputs() {
        if (proto_.output_size() == 0)
            throw Error(ErrorKind::kFormat, "the graph declares no outputs");
        for (const onnx::ValueInfoProto& output : proto_.output()) {
            const std::string what = "output " + in_quotes(output.name());
            body_.output_values.push_back(use(output.name(), what));
            if (outermost_) graph_.outputs.push_back(read_info(output, what, false));
        }
    }

    /// What a node and the bodies inside it read.
    static void add_uses(const Node& node, std::vector<int>& uses) {
        uses.insert(uses.end(), node.inputs.begin(), node.inputs.end());
        for (const Attribute& attribute : node.attributes) {
            const auto* body = std::get_if<std::shared_ptr<const Body>>(&attribute.value);
            if (body == nullptr) continue;
            uses.insert(uses.end(), (*body)->output_values.begin(), (*body)->output_values.end());
            for (const Node& inner : (*body)->nodes)
                add_uses(inner, uses);
        }
    }

    void find_last_uses() {
        // Values from outside are kept: the body may run again.
        std::vector<bool> needed(graph_.value_names.size(), false);
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

    const onnx::GraphProto& proto_;
    Graph& graph_;
    Body body_;
    Numbers numbers_;
    int first_own_;
    bool outermost_ = true;
};

}  // namespace

Graph read_graph(const std::filesystem::path& path) {
    require_regular_file(path, "model");
    try {
        const onnx::ModelProto model = parse_file(path);
        const int64_t opset = default_opset(model);
        require_known_operators(model.graph());
        Graph graph;
        graph.opset = opset;
        static_cast<Body&>(graph) = GraphReader(model.graph(), graph, {}).read();
        return graph;
    } catch (const Error& error) {
        throw error.with_context("model '" + printable(path.string()) + "'");
    }
}

}  // namespace npuscope::onnx_model
