// Quantised operators: integers that stand for scale * (q - zero point).
#include <limits>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/recurrent/products.h"

namespace npuscope::onnx_model {

namespace {

/// One number, or one for each place along `axis`, seen with as many axes as x.
Tensor along(NodeRun& node, const Tensor& values, const Tensor& x, int64_t axis) {
    if (values.numel() == 1) return ir::view(node, values, {});
    Shape shape(static_cast<size_t>(x.ndim()), 1);
    shape[static_cast<size_t>(node.axis_from_front(axis, x.ndim()))] = values.numel();
    return ir::view(node, values, std::move(shape));
}

Tensor to_float(NodeRun& node, const Tensor& x) {
    return ir::cast(node, x, DType::kFloat32);
}

/// Rounded to nearest even, moved by the zero point and clamped to the dtype.
Tensor quantized(NodeRun& node, const Tensor& scaled, const Tensor& zero, DType dtype) {
    const Tensor moved = ir::add(node, ir::unary(node, "round", scaled), to_float(node, zero));
    const double highest = info(dtype).max_finite;
    const Tensor clamped = node.call("clamp",
                                     {{"self", moved},
                                      {"min", Scalar{info(dtype).is_signed ? -highest - 1 : 0.0}},
                                      {"max", Scalar{highest}}});
    return ir::cast(node, clamped, dtype);
}

Tensor zero_point(const NodeRun& node, size_t index, DType otherwise) {
    if (!node.has_input(index)) return Tensor::zeros(otherwise, {});
    const DType dtype = node.input(index).dtype();
    const bool wide = dtype == DType::kInt16 || dtype == DType::kUInt16;
    node.require(dtype == DType::kInt8 || dtype == DType::kUInt8 || (wide && node.opset() >= 21),
                 std::string("its zero point is ") + std::string(name_of(dtype)) +
                     " and must be int8 or uint8" +
                     (node.opset() >= 21 ? ", int16 or uint16" : ""));
    return node.input(index);
}

/// q - zero point in float32, where such integers and their sums are exact below 2^24.
Tensor centred(NodeRun& node, size_t index, size_t zero, int64_t axis) {
    Tensor x = to_float(node, node.input(index));
    if (!node.has_input(zero)) return x;
    return ir::sub(node, x, to_float(node, along(node, node.input(zero), x, axis)));
}

}  // namespace

/// Operator set 19 lets the scale be a half.
void lower_quantize_linear(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t axis = node.attribute("axis", int64_t{1});
    const Tensor zero = zero_point(node, 2, DType::kUInt8);
    const Tensor scale = to_float(node, along(node, node.input(1), x, axis));
    const Tensor scaled = ir::div(node, to_float(node, x), scale);
    node.set_output(0, quantized(node, scaled, along(node, zero, x, axis), zero.dtype()));
}

void lower_dequantize_linear(NodeRun& node) {
    const int64_t axis = node.attribute("axis", int64_t{1});
    const Tensor x = centred(node, 0, 2, axis);
    const Tensor& scale = node.input(1);
    const Tensor product = ir::mul(node, x, to_float(node, along(node, scale, x, axis)));
    // From operator set 19 on the scale's dtype is that of the result.
    node.set_output(0, ir::cast(node, product, scale.dtype()));
}

/// Scale and zero point from the range of x, which always includes 0.
void lower_dynamic_quantize_linear(NodeRun& node) {
    const Tensor& x = node.input(0);
    const IntList all = ir::iota(x.ndim());
    const Tensor nothing = ir::number_like(x, 0);
    const Tensor highest =
        ir::binary(node, "maximum", ir::reduce(node, "amax", x, all, false), nothing);
    const Tensor lowest =
        ir::binary(node, "minimum", ir::reduce(node, "amin", x, all, false), nothing);
    const Tensor scale = ir::div(node, ir::sub(node, highest, lowest), ir::number_like(x, 255));
    const Tensor start = ir::unary(node, "neg", ir::div(node, lowest, scale));
    const Tensor zero = quantized(node, start, Tensor::zeros(DType::kUInt8, {}), DType::kUInt8);
    node.set_output(0, quantized(node, ir::div(node, x, scale), zero, DType::kUInt8));
    node.set_output(1, scale);
    node.set_output(2, zero);
}

void lower_mat_mul_integer(NodeRun& node) {
    const Tensor a = centred(node, 0, 2, node.input(0).ndim() - 2);
    const Tensor b = centred(node, 1, 3, node.input(1).ndim() - 1);
    node.set_output(0, ir::cast(node, multiplied(node, a, b), DType::kInt32));
}

/// Inputs: a, scale, zero point, b, scale, zero point, scale and zero point of the result.
void lower_q_linear_mat_mul(NodeRun& node) {
    const Tensor a = centred(node, 0, 2, node.input(0).ndim() - 2);
    const Tensor b = centred(node, 3, 5, node.input(3).ndim() - 1);
    Tensor product = multiplied(node, a, b);
    product = ir::mul(node, product, along(node, node.input(1), a, a.ndim() - 2));
    product = ir::mul(node, product, along(node, node.input(4), b, b.ndim() - 1));
    product = ir::div(node, product, ir::view(node, node.input(6), {}));
    node.set_output(
        0, quantized(node, product, ir::view(node, node.input(7), {}), node.input(7).dtype()));
}

void lower_conv_integer(NodeRun& node) {
    const Tensor x = centred(node, 0, 2, 1);
    const Tensor w = centred(node, 1, 3, 0);
    node.set_output(0, ir::cast(node, convolved(node, x, w, {}), DType::kInt32));
}

void lower_q_linear_conv(NodeRun& node) {
    const Tensor x = centred(node, 0, 2, 1);
    const Tensor w = centred(node, 3, 5, 0);
    Value bias;
    if (node.has_input(8)) bias = to_float(node, node.input(8));
    Tensor y = convolved(node, x, w, std::move(bias));
    const Tensor scale = ir::div(
        node, ir::mul(node, node.input(1), node.input(4)), ir::view(node, node.input(6), {}));
    y = ir::mul(node, y, along(node, scale, y, 1));
    node.set_output(0,
                    quantized(node, y, ir::view(node, node.input(7), {}), node.input(7).dtype()));
}

}  // namespace npuscope::onnx_model
