// Comparisons, truth values, bits, Mod, Where, and the operators of any number of inputs.
#include <utility>

#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

void pair(NodeRun& node, std::string_view ir_name) {
    node.require(node.input(0).dtype() == node.input(1).dtype(), "its inputs differ in dtype");
    node.set_output(0, ir::binary(node, ir_name, node.input(0), node.aligned_input(1)));
}

/// Pairwise from the left.
Tensor folded(NodeRun& node) {
    Tensor result = node.input(0);
    for (size_t i = 1; i < node.input_count(); ++i) {
        node.require(node.input(i).dtype() == result.dtype(), "its inputs differ in dtype");
        result = ir::binary(node, node.ir_op(), result, node.input(i));
    }
    return result;
}

}  // namespace

/// The row's IR op of two tensors.
void lower_pair(NodeRun& node) {
    pair(node, node.ir_op());
}

/// The row's IR op of two tensors, over any number of them.
void lower_folded(NodeRun& node) {
    node.set_output(0, folded(node));
}

void lower_is_inf(NodeRun& node) {
    const Tensor& x = node.input(0);
    Tensor found = ir::unary(node, "isinf", x);
    const bool positive = node.attribute("detect_positive", int64_t{1}) != 0;
    const bool negative = node.attribute("detect_negative", int64_t{1}) != 0;
    if (!positive || !negative) {
        const Tensor side =
            ir::binary(node, negative ? "lt_Tensor" : "gt_Tensor", x, ir::number_like(x, 0));
        found = ir::binary(node, "logical_and", found, side);
        if (!positive && !negative)
            found = ir::binary(node, "logical_and", found, ir::unary(node, "logical_not", found));
    }
    node.set_output(0, std::move(found));
}

void lower_where(NodeRun& node) {
    node.require(node.input(1).dtype() == node.input(2).dtype(), "its values differ in dtype");
    node.set_output(0, ir::where(node, node.input(0), node.input(1), node.input(2)));
}

void lower_bit_shift(NodeRun& node) {
    const std::string direction = node.attribute("direction", "");
    node.require(direction == "LEFT" || direction == "RIGHT", "direction is not LEFT or RIGHT");
    pair(node, direction == "LEFT" ? "bitwise_left_shift_Tensor" : "bitwise_right_shift_Tensor");
}

/// fmod follows C, otherwise the result has the divisor's sign.
void lower_mod(NodeRun& node) {
    const bool fmod = node.attribute("fmod", int64_t{0}) != 0;
    node.require(fmod || !is_float(node.input(0).dtype()), "floats need fmod=1");
    pair(node, fmod ? "fmod_Tensor" : "remainder_Tensor");
}

void lower_mean(NodeRun& node) {
    const Tensor sum = folded(node);
    node.set_output(
        0, ir::div(node, sum, ir::number_like(sum, static_cast<double>(node.input_count()))));
}

}  // namespace npuscope::onnx_model
