// Add, Sub, Mul, Div and Pow, with NumPy's broadcasting.
#include <string>

#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

void require_same_dtype(const NodeRun& node) {
    node.require(node.input(0).dtype() == node.input(1).dtype(),
                 "its inputs have different dtypes, " +
                     std::string(name_of(node.input(0).dtype())) + " and " +
                     std::string(name_of(node.input(1).dtype())));
}

void lower_binary(NodeRun& node, std::string_view ir_name) {
    require_same_dtype(node);
    node.set_output(
        0, node.call(ir_name, {{"self", node.input(0)}, {"other", node.aligned_input(1)}}));
}

/// A known single number that does not add dimensions: an argument, not a tensor.
bool is_scalar_exponent(const NodeRun& node) {
    const Tensor& exponent = node.input(1);
    return node.is_known(1) && exponent.numel() == 1 && exponent.ndim() <= node.input(0).ndim();
}

}  // namespace

void lower_add(NodeRun& node) {
    lower_binary(node, "add_Tensor");
}

void lower_sub(NodeRun& node) {
    lower_binary(node, "sub_Tensor");
}

void lower_mul(NodeRun& node) {
    lower_binary(node, "mul_Tensor");
}

/// Integers are divided toward zero.
void lower_div(NodeRun& node) {
    if (is_float(node.input(0).dtype())) return lower_binary(node, "div_Tensor");
    require_same_dtype(node);
    node.set_output(0,
                    node.call("div_Tensor_mode",
                              {{"self", node.input(0)},
                               {"other", node.aligned_input(1)},
                               {"rounding_mode", std::string("trunc")}}));
}

/// The result has the base's dtype, whatever the exponent's.
void lower_pow(NodeRun& node) {
    const Tensor& base = node.input(0);
    const Tensor& exponent = node.input(1);
    if (!is_scalar_exponent(node)) {
        const Tensor power =
            node.call("pow_Tensor_Tensor", {{"self", base}, {"exponent", node.aligned_input(1)}});
        node.set_output(0, ir::cast(node, power, base.dtype()));
        return;
    }
    Scalar scalar{exponent.at(0)};
    if (!is_float(exponent.dtype())) scalar.number = static_cast<int64_t>(exponent.at(0));
    const Tensor power = node.call("pow_Tensor_Scalar", {{"self", base}, {"exponent", scalar}});
    node.set_output(0, ir::cast(node, power, base.dtype()));
}

}  // namespace npuscope::onnx_model
