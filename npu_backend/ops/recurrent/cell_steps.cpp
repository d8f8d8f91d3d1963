#include "npu_backend/ops/recurrent/cell_steps.h"

#include <string>

namespace npuscope::backend {

namespace {

Tensor add(Lowering& op, const Tensor& a, const Tensor& b) {
    return op.launch("Add", {a, b});
}

Tensor mul(Lowering& op, const Tensor& a, const Tensor& b) {
    return op.launch("Mul", {a, b});
}

}  // namespace

std::vector<Tensor> gate_sums(Lowering& op, const Tensor& sums, int64_t count) {
    if (sums.ndim() != 2 || sums.dim(1) % count != 0)
        op.reject("the gates " + to_string(sums.shape()) + " are not [batch, " +
                  std::to_string(count) + " hidden]");
    return op.computed("split_Tensor",
                       {{"self", sums}, {"split_size", sums.dim(1) / count}, {"dim", int64_t{1}}});
}

CellGates lstm_step(Lowering& op, const Tensor& sums, const Tensor& c) {
    const std::vector<Tensor> all = gate_sums(op, sums, 4);
    const Tensor input = op.launch("Sigmoid", {all[0]});
    const Tensor forget = op.launch("Sigmoid", {all[1]});
    const Tensor cell = op.launch("Tanh", {all[2]});
    const Tensor output = op.launch("Sigmoid", {all[3]});
    const Tensor cy = add(op, mul(op, forget, c), mul(op, input, cell));
    const Tensor inner = op.launch("Tanh", {cy});
    return {{input, forget, cell, output}, inner, mul(op, output, inner), cy};
}

CellGates gru_step(Lowering& op, const Tensor& of_x, const Tensor& of_h, const Tensor& h) {
    const std::vector<Tensor> x = gate_sums(op, of_x, 3);
    const std::vector<Tensor> own = gate_sums(op, of_h, 3);
    const Tensor reset = op.launch("Sigmoid", {add(op, x[0], own[0])});
    const Tensor update = op.launch("Sigmoid", {add(op, x[1], own[1])});
    const Tensor fresh = op.launch("Tanh", {add(op, x[2], mul(op, reset, own[2]))});
    const Tensor hy = add(op, fresh, mul(op, update, op.launch("Sub", {h, fresh})));
    return {{reset, update, fresh}, own[2], hy, Tensor()};
}

}  // namespace npuscope::backend
