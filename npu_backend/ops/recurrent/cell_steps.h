// One step of a cell, as the chain of element-wise kernels that it is made of.
#pragma once

#include <vector>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

struct CellGates {
    /// Input, forget, cell and output of LSTM; reset, update and fresh of GRU.
    std::vector<Tensor> gates;
    Tensor inner;  ///< tanh of LSTM's new cell; what the hidden state gives GRU's fresh gate
    Tensor h;      ///< the new state
    Tensor c;      ///< the new cell of LSTM
};

/// [rows, count * size] as `count` of one size. Errors: Error(kUsage) where it is not that.
[[nodiscard]] std::vector<Tensor> gate_sums(Lowering& op, const Tensor& sums, int64_t count);

/// Of the sums of inputs and state, biases included, [rows, 4 * hidden]: input, forget, cell,
/// output. Source: PyTorch, LSTMCell.
[[nodiscard]] CellGates lstm_step(Lowering& op, const Tensor& sums, const Tensor& c);
/// Of the sums of inputs and those of the state, [rows, 3 * hidden]: reset, update, new. Source:
/// PyTorch, GRUCell.
[[nodiscard]] CellGates gru_step(Lowering& op,
                                 const Tensor& of_x,
                                 const Tensor& of_h,
                                 const Tensor& h);

}  // namespace npuscope::backend
