// Ops of one tensor, element by element.
#include <string>
#include <utility>

#include "npu_backend/onnx/node_run.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::onnx_model {

namespace {

void lower_unary(NodeRun& node, std::string_view ir_name) {
    node.set_output(0, node.call(ir_name, {{"self", node.input(0)}}));
}

/// One end of Clip: an attribute before operator set 11, an input after; none when absent.
Value limit(const NodeRun& node, const char* name, size_t index) {
    if (node.has_attribute(name)) return Scalar{node.attribute(name, 0.0)};
    if (!node.has_input(index)) return {};
    const Tensor& tensor = node.input(index);
    node.require(tensor.numel() == 1, std::string("its ") + name + " must be one number");
    if (is_float(tensor.dtype())) return Scalar{tensor.at(0)};
    return Scalar{static_cast<int64_t>(tensor.at(0))};
}

}  // namespace

void lower_relu(NodeRun& node) {
    lower_unary(node, "relu");
}

void lower_exp(NodeRun& node) {
    lower_unary(node, "exp");
}

void lower_tanh(NodeRun& node) {
    lower_unary(node, "tanh");
}

void lower_sigmoid(NodeRun& node) {
    lower_unary(node, "sigmoid");
}

void lower_neg(NodeRun& node) {
    lower_unary(node, "neg");
}

void lower_sqrt(NodeRun& node) {
    lower_unary(node, "sqrt");
}

void lower_erf(NodeRun& node) {
    lower_unary(node, "erf");
}

void lower_gelu(NodeRun& node) {
    const std::string approximate = node.attribute("approximate", "none");
    node.require(approximate == "none" || approximate == "tanh",
                 "approximate is neither 'none' nor 'tanh'");
    node.set_output(0, node.call("gelu", {{"self", node.input(0)}, {"approximate", approximate}}));
}

void lower_clip(NodeRun& node) {
    Value lowest = limit(node, "min", 1);
    Value highest = limit(node, "max", 2);
    if (is_none(lowest) && is_none(highest)) {
        node.set_output(0, node.input(0));
        return;
    }
    node.set_output(
        0,
        node.call(
            "clamp",
            {{"self", node.input(0)}, {"min", std::move(lowest)}, {"max", std::move(highest)}}));
}

void lower_cast(NodeRun& node) {
    const DType dtype =
        element_type(static_cast<int>(node.attribute("to", int64_t{0})), "its result");
    if (dtype == node.input(0).dtype()) {
        node.set_output(0, node.input(0));
        return;
    }
    node.set_output(0, node.call("_to_copy", {{"self", node.input(0)}, {"dtype", dtype}}));
}

}  // namespace npuscope::onnx_model
