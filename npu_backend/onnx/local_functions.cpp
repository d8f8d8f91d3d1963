#include "npu_backend/onnx/local_functions.h"

#include <set>
#include <vector>

#include "core/base/error.h"
#include "npu_backend/onnx/operators.h"
#include "npu_backend/onnx/proto_names.h"

namespace npuscope::onnx_model {

namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

constexpr size_t kMostListed = 100;

std::string own_domain(const std::string& domain) {
    return is_default_domain(domain) ? "" : domain;
}

struct MissingOperator {
    std::string name;
    std::string first_node;
    int64_t nodes = 0;
};

/// Walks all nodes once: those of the graph, of bodies, and of functions that are called.
class MissingOperators {
  public:
    explicit MissingOperators(const LocalFunctions& functions) : functions_(functions) {}

    void visit(const Nodes& nodes) {
        for (int i = 0; i < nodes.size(); ++i) {
            const onnx::NodeProto& node = nodes.Get(i);
            if (const onnx::FunctionProto* function = functions_.find(node)) {
                if (seen_.insert(function).second) waiting_.push_back(function);
            } else if (!is_default_domain(node.domain()) ||
                       find_operator(node.op_type()) == nullptr) {
                add(operator_name(node), node_name(node, i));
            }
            for (const onnx::AttributeProto& attribute : node.attribute())
                if (attribute.has_g()) visit(attribute.g().node());
        }
    }

    void visit_called_functions() {
        while (!waiting_.empty()) {
            const onnx::FunctionProto* function = waiting_.back();
            waiting_.pop_back();
            visit(function->node());
        }
    }

    [[nodiscard]] const std::vector<MissingOperator>& found() const { return found_; }

  private:
    void add(const std::string& name, const std::string& node) {
        const auto [place, added] = places_.emplace(name, found_.size());
        if (added) found_.push_back({name, node, 0});
        ++found_[place->second].nodes;
    }

    const LocalFunctions& functions_;
    std::set<const onnx::FunctionProto*> seen_;
    std::vector<const onnx::FunctionProto*> waiting_;
    std::map<std::string, size_t> places_;
    std::vector<MissingOperator> found_;
};

}  // namespace

LocalFunctions::LocalFunctions(const onnx::ModelProto& model) {
    for (const onnx::FunctionProto& function : model.functions()) {
        const auto [place, added] = functions_.emplace(
            std::pair{own_domain(function.domain()), function.name()}, &function);
        if (!added)
            throw Error(ErrorKind::kFormat,
                        "the model has two functions " + in_quotes(function.name()) +
                            " in the domain " + in_quotes(function.domain()));
    }
}

const onnx::FunctionProto* LocalFunctions::find(const onnx::NodeProto& node) const {
    if (functions_.empty()) return nullptr;
    const auto found = functions_.find({own_domain(node.domain()), node.op_type()});
    return found == functions_.end() ? nullptr : found->second;
}

int64_t default_opset(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
                      int64_t otherwise) {
    int64_t version = otherwise;
    for (const auto& import : imports)
        if (is_default_domain(import.domain())) version = import.version();
    if (version < kOldestOpset || version > kNewestOpset)
        throw Error(ErrorKind::kUnsupported,
                    "operator set " + std::to_string(version) + " is not supported; export with " +
                        "one from " + std::to_string(kOldestOpset) + " to " +
                        std::to_string(kNewestOpset));
    return version;
}

void require_known_operators(const onnx::GraphProto& graph, const LocalFunctions& functions) {
    MissingOperators missing(functions);
    missing.visit(graph.node());
    missing.visit_called_functions();
    const std::vector<MissingOperator>& found = missing.found();
    if (found.empty()) return;
    std::string message = found.size() == 1
                              ? "an operator is not supported: "
                              : std::to_string(found.size()) + " operators are not supported: ";
    for (size_t i = 0; i < found.size(); ++i) {
        if (i == kMostListed) {
            message += ", …";
            break;
        }
        message += (i == 0 ? "" : ", ") + printable(found[i].name) + " (" +
                   std::to_string(found[i].nodes) + (found[i].nodes == 1 ? " node" : " nodes") +
                   ", the first " + in_quotes(found[i].first_node) + ")";
    }
    message +=
        "; export with other operators, bring them along as functions of the model, or cut the "
        "model before them";
    throw Error(ErrorKind::kUnsupported, message);
}

}  // namespace npuscope::onnx_model
