// Functions of one tensor, element by element, and activations.
#include <cmath>
#include <string>
#include <utility>

#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::onnx_model {

namespace {

Tensor elu(NodeRun& node, const Tensor& x, double alpha) {
    return node.call("elu",
                     {{"self", x},
                      {"alpha", Scalar{alpha}},
                      {"scale", Scalar{int64_t{1}}},
                      {"input_scale", Scalar{int64_t{1}}}});
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

/// The row's IR op of one tensor.
void lower_unary(NodeRun& node) {
    node.set_output(0, ir::unary(node, node.ir_op(), node.input(0)));
}

void lower_elu(NodeRun& node) {
    node.set_output(0, elu(node, node.input(0), node.attribute("alpha", 1.0)));
}

/// Source of the defaults: ONNX Operators, Selu. Operator sets before 6 had rounder ones.
void lower_selu(NodeRun& node) {
    const bool old = node.opset() < 6;
    const double alpha = node.attribute("alpha", old ? 1.6732 : 1.67326319217681884765625);
    const double gamma = node.attribute("gamma", old ? 1.0507 : 1.05070102214813232421875);
    node.set_output(0, ir::mul(node, elu(node, node.input(0), alpha), gamma));
}

/// alpha times the elu of x / alpha.
void lower_celu(NodeRun& node) {
    const double alpha = node.attribute("alpha", 1.0);
    node.require(alpha != 0, "alpha is 0");
    const Tensor scaled = ir::mul(node, node.input(0), 1.0 / alpha);
    node.set_output(0, ir::mul(node, elu(node, scaled, 1.0), alpha));
}

void lower_leaky_relu(NodeRun& node) {
    node.set_output(0,
                    node.call("leaky_relu",
                              {{"self", node.input(0)},
                               {"negative_slope", Scalar{node.attribute("alpha", 0.01)}}}));
}

/// Before operator set 7 the slopes belong to the channels.
void lower_prelu(NodeRun& node) {
    const Tensor& x = node.input(0);
    Tensor slope = node.input(1);
    if (slope.ndim() == 1 && x.ndim() > 2 && slope.dim(0) == x.dim(1) &&
        (node.opset() < 7 || slope.dim(0) != x.dim(-1))) {
        Shape shape(static_cast<size_t>(x.ndim()), 1);
        shape[1] = slope.dim(0);
        slope = ir::view(node, slope, std::move(shape));
    }
    const Tensor positive = ir::binary(node, "gt_Tensor", x, ir::number_like(x, 0));
    node.set_output(0, ir::where(node, positive, x, ir::mul(node, x, slope)));
}

/// max(0, min(1, alpha x + beta)).
void lower_hard_sigmoid(NodeRun& node) {
    const Tensor scaled = ir::mul(node, node.input(0), node.attribute("alpha", 0.2));
    const Tensor moved = ir::add(node, scaled, node.attribute("beta", 0.5));
    node.set_output(
        0, node.call("clamp", {{"self", moved}, {"min", Scalar{0.0}}, {"max", Scalar{1.0}}}));
}

void lower_mish(NodeRun& node) {
    const Tensor& x = node.input(0);
    node.set_output(0, ir::mul(node, x, ir::unary(node, "tanh", ir::unary(node, "softplus", x))));
}

void lower_softsign(NodeRun& node) {
    const Tensor& x = node.input(0);
    node.set_output(0, ir::div(node, x, ir::add(node, ir::unary(node, "abs", x), 1.0)));
}

void lower_thresholded_relu(NodeRun& node) {
    const Tensor& x = node.input(0);
    const Tensor above =
        ir::binary(node, "gt_Tensor", x, ir::number_like(x, node.attribute("alpha", 1.0)));
    node.set_output(0, ir::where(node, above, x, ir::number_like(x, 0)));
}

/// x + bias below -lambd, x - bias above lambd, 0 between.
void lower_shrink(NodeRun& node) {
    const Tensor& x = node.input(0);
    const double bias = node.attribute("bias", 0.0);
    const double lambd = node.attribute("lambd", 0.5);
    const Tensor below = ir::binary(node, "lt_Tensor", x, ir::number_like(x, -lambd));
    const Tensor above = ir::binary(node, "gt_Tensor", x, ir::number_like(x, lambd));
    const Tensor zero = ir::number_like(x, 0);
    const Tensor low = ir::where(node, below, ir::add(node, x, bias), zero);
    node.set_output(0, ir::where(node, above, ir::add(node, x, -bias), low));
}

/// 1 at the first maximum of each row, 0 elsewhere.
void lower_hardmax(NodeRun& node) {
    const Tensor& input = node.input(0);
    const bool one_axis = node.opset() >= 13;
    int64_t axis =
        node.axis_from_front(node.attribute("axis", int64_t{one_axis ? -1 : 1}), input.ndim());
    Tensor x = input;
    if (!one_axis) {
        const std::span<const int64_t> shape = input.shape();
        const auto split = static_cast<size_t>(axis);
        x = ir::view(node, x, {numel_of(shape.first(split)), numel_of(shape.subspan(split))});
        axis = 1;
    }
    const Tensor best = node.call("argmax", {{"self", x}, {"dim", axis}, {"keepdim", true}});
    Shape places(static_cast<size_t>(x.ndim()), 1);
    places[static_cast<size_t>(axis)] = x.dim(axis);
    const Tensor all = ir::int_tensor(ir::iota(x.dim(axis))).reshaped(places);
    const Tensor hit = ir::binary(node, "eq_Tensor", all, best);
    node.set_output(0, ir::view(node, ir::cast(node, hit, input.dtype()), input.shape()));
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
