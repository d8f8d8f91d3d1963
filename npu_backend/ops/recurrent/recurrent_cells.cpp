// One step of LSTM and GRU cells, as the chain of element-wise kernels that it is made of.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

Tensor add(Lowering& op, const Tensor& a, const Tensor& b) {
    return op.launch("Add", {a, b});
}

Tensor mul(Lowering& op, const Tensor& a, const Tensor& b) {
    return op.launch("Mul", {a, b});
}

/// The gates' sums, biases included: [batch, count * hidden] of `count` parts.
std::vector<Tensor> parts(Lowering& op, const Tensor& gates, int64_t count) {
    if (gates.ndim() != 2 || gates.dim(1) % count != 0)
        op.reject("the gates " + to_string(gates.shape()) + " are not [batch, " +
                  std::to_string(count) + " hidden]");
    return op.computed(
        "split_Tensor",
        {{"self", gates}, {"split_size", gates.dim(1) / count}, {"dim", int64_t{1}}});
}

Tensor biased(Lowering& op, const char* gates, const char* bias) {
    Tensor sum = op.tensor(gates);
    return op.has(bias) ? add(op, sum, op.tensor(bias)) : sum;
}

/// Gates in the order input, forget, cell, output. Source: PyTorch, LSTMCell.
void lower_lstm_cell(Lowering& op) {
    const DType dtype = op.declared("input_gates");
    const Tensor sums =
        add(op, biased(op, "input_gates", "input_bias"), biased(op, "hidden_gates", "hidden_bias"));
    const std::vector<Tensor> gates = parts(op, sums, 4);
    const Tensor input = op.launch("Sigmoid", {gates[0]});
    const Tensor forget = op.launch("Sigmoid", {gates[1]});
    const Tensor cell = op.launch("Tanh", {gates[2]});
    const Tensor output = op.launch("Sigmoid", {gates[3]});
    const Tensor cy = add(op, mul(op, forget, op.tensor("cx")), mul(op, input, cell));
    op.result(mul(op, output, op.launch("Tanh", {cy})), dtype);
    op.result(cy, dtype);
    op.result(op.launch("ConcatD",
                        {input, forget, cell, output},
                        {{"concat_dim", int64_t{1}}, {"N", int64_t{4}}}),
              dtype);
}

/// Gates in the order reset, update, new. Source: PyTorch, GRUCell.
void lower_gru_cell(Lowering& op) {
    const DType dtype = op.declared("input_gates");
    const std::vector<Tensor> x = parts(op, biased(op, "input_gates", "input_bias"), 3);
    const std::vector<Tensor> h = parts(op, biased(op, "hidden_gates", "hidden_bias"), 3);
    const Tensor hx = op.tensor("hx");
    const Tensor reset = op.launch("Sigmoid", {add(op, x[0], h[0])});
    const Tensor update = op.launch("Sigmoid", {add(op, x[1], h[1])});
    const Tensor fresh = op.launch("Tanh", {add(op, x[2], mul(op, reset, h[2]))});
    const Tensor hy = add(op, fresh, mul(op, update, op.launch("Sub", {hx, fresh})));
    op.result(hy, dtype);
    op.result(op.launch("ConcatD",
                        {reset, update, fresh, hx, h[2]},
                        {{"concat_dim", int64_t{1}}, {"N", int64_t{5}}}),
              dtype);
}

}  // namespace

std::span<const OpRow> recurrent_cells_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_thnn_fused_lstm_cell(Tensor input_gates, Tensor hidden_gates, Tensor cx, "
                   "Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor, Tensor)",
         .launches = {"Add", "Sigmoid", "Tanh", "Mul", "ConcatD"},
         .note = "Add for each bias and the sum; Sigmoid, Sigmoid, Tanh, Sigmoid; Mul, Mul, Add; "
                 "Tanh, Mul; ConcatD",
         .lower = lower_lstm_cell},
        {.schema = "_thnn_fused_gru_cell(Tensor input_gates, Tensor hidden_gates, Tensor hx, "
                   "Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor)",
         .launches = {"Add", "Sigmoid", "Mul", "Tanh", "Sub", "ConcatD"},
         .note = "Add for each bias; Add, Sigmoid, Add, Sigmoid; Mul, Add, Tanh; Sub, Mul, Add; "
                 "ConcatD",
         .lower = lower_gru_cell},
    });
    return kRows;
}

}  // namespace npuscope::backend
