// Layers of RNN, LSTM or GRU cells over sequences, as cuDNN runs them: forwards and backwards in
// time.
#pragma once

#include <optional>
#include <vector>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

/// By cuDNN's numbers. Source: cuDNN, cudnnRNNMode_t.
enum class Cell : uint8_t { kRelu, kTanh, kLstm, kGru };

/// Of one layer in one direction; rows are the gates, in the order of PyTorch's cells.
struct CellWeights {
    Tensor of_input;   ///< [gates * hidden, features]
    Tensor of_hidden;  ///< [gates * hidden, hidden]
    std::optional<Tensor> input_bias;
    std::optional<Tensor> hidden_bias;
};

/// What one step took and made of the sequences that last so long; its gradient needs it.
struct CellStep {
    Tensor x;  ///< [rows, features]
    Tensor h;  ///< [rows, hidden], before
    Tensor c;  ///< of LSTM, before
    /// Input, forget, cell and output of LSTM; reset, update and fresh of GRU; the new state of
    /// RNN.
    std::vector<Tensor> gates;
    Tensor inner;  ///< tanh of LSTM's new cell; what the hidden state gives GRU's fresh gate
};

/// One layer in one direction.
struct LayerRun {
    CellWeights weights;
    std::vector<CellStep> steps;  ///< by time
    Tensor h;                     ///< [batch, hidden], when each sequence ends
    Tensor c;                     ///< of LSTM
};

/// The arguments of cuDNN's layers by their names in PyTorch, held to each other. Errors:
/// Error(kUsage) on shapes that do not fit, on projections, and on dropout between layers, which
/// nobody can foretell.
class RecurrentLayers {
  public:
    explicit RecurrentLayers(Lowering& op);

    [[nodiscard]] Cell cell() const { return cell_; }
    [[nodiscard]] bool has_cell_state() const { return cell_ == Cell::kLstm; }
    [[nodiscard]] size_t directions() const { return directions_; }
    [[nodiscard]] int64_t hidden() const { return hidden_; }

    /// Runs all layers: each direction of the first, then of the second, …
    [[nodiscard]] std::vector<LayerRun> run();
    /// After it: what the last layer gave, by time, [rows, directions * hidden].
    [[nodiscard]] const std::vector<Tensor>& outputs() const { return outputs_; }

    /// [rows, features] by time, of a sequence as the op takes and gives it.
    [[nodiscard]] std::vector<Tensor> by_time(const Tensor& sequence);
    [[nodiscard]] Tensor sequence_of(const std::vector<Tensor>& by_time);
    /// [layers * directions, batch, hidden], taken apart and put together.
    [[nodiscard]] std::vector<Tensor> states(const Tensor& tensor);
    [[nodiscard]] Tensor stacked(const std::vector<Tensor>& states);

    /// Times of that direction in the order in which it takes them.
    [[nodiscard]] static std::vector<size_t> order(size_t direction, size_t times);
    /// The first rows, as many as `like` has; all of `state` with these in place of them.
    [[nodiscard]] Tensor first_rows(const Tensor& state, const Tensor& like);
    [[nodiscard]] Tensor with_first_rows(const Tensor& state, const Tensor& rows);
    /// Beside each other.
    [[nodiscard]] Tensor joined(const std::vector<Tensor>& parts, int64_t dim);
    /// `count` of one size beside each other, [rows, count * size].
    [[nodiscard]] std::vector<Tensor> parts(const Tensor& tensor, int64_t count);

  private:
    [[nodiscard]] CellWeights weights_of(size_t layer_and_direction);
    [[nodiscard]] std::vector<Tensor> run_layer(const std::vector<Tensor>& inputs,
                                                LayerRun& layer,
                                                size_t direction);
    void run_step(const CellWeights& weights, CellStep& step, Tensor& h, Tensor& c);
    [[nodiscard]] Tensor sums(const Tensor& rows,
                              const Tensor& weights,
                              const std::optional<Tensor>& bias);

    Lowering& op_;
    Cell cell_ = Cell::kTanh;
    int64_t hidden_ = 0;
    int64_t layers_ = 0;
    size_t directions_ = 1;
    size_t tensors_each_ = 0;  ///< of weights: 4 with biases
    bool is_batch_first_ = false;
    IntList batch_sizes_;  ///< rows of each time where sequences are packed
    std::vector<Tensor> outputs_;
};

}  // namespace npuscope::backend
