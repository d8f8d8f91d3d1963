// Layers of RNN, LSTM or GRU cells over sequences, as cuDNN runs them: forwards and backwards in
// time.
#pragma once

#include <optional>
#include <vector>

#include "npu_backend/ops/recurrent/cell_steps.h"

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
    Tensor x;        ///< [rows, features]
    Tensor h;        ///< [rows, hidden], before
    Tensor c;        ///< of LSTM, before
    CellGates made;  ///< of RNN the new state alone, and as its gate
};

/// One layer in one direction.
struct LayerRun {
    CellWeights weights;
    std::vector<CellStep> steps;  ///< by time
    Tensor h;                     ///< [batch, hidden], when each sequence ends
    Tensor c;                     ///< of LSTM
};

/// Weights of a layer in one direction.
inline constexpr int64_t kWithBiases = 4;
inline constexpr int64_t kWithoutBiases = 2;

/// What layers are given, as the ops hold it.
struct LayersArguments {
    Cell cell = Cell::kTanh;
    /// [times, batch, features]; [batch, times, features] where the batch comes first; packed, the
    /// rows of all times behind each other.
    Tensor sequence;
    /// By layer and direction: of_input, of_hidden and, where there are biases, both of them.
    TensorList weights;
    Tensor h;  ///< [layers * directions, batch, hidden]
    Tensor c;  ///< of LSTM
    int64_t layers = 1;
    bool has_biases = true;
    bool is_both_ways = false;
    bool is_batch_first = false;
    bool drops_out = false;  ///< in training, at random
    IntList batch_sizes;     ///< rows of each time where sequences are packed
};

/// Runs them, and keeps their arguments. Errors: Error(kUsage) on shapes that do not fit, such as
/// those of projections, and on dropout between layers, which nobody can foretell.
class RecurrentLayers {
  public:
    RecurrentLayers(Lowering& op, LayersArguments arguments);

    [[nodiscard]] Cell cell() const { return own_.cell; }
    [[nodiscard]] bool has_cell_state() const { return own_.cell == Cell::kLstm; }
    [[nodiscard]] size_t directions() const { return own_.is_both_ways ? 2 : 1; }

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
    /// One state of each layer.
    template <class Layer>
    [[nodiscard]] Tensor stacked(const std::vector<Layer>& layers, Tensor Layer::*state) {
        std::vector<Tensor> states;
        for (const Layer& each : layers)
            states.push_back(each.*state);
        return stacked(states);
    }

    /// Times of that direction in the order in which it takes them.
    [[nodiscard]] static std::vector<size_t> order(size_t direction, size_t times);
    /// The first rows, as many as `like` has; all of `state` with these in place of them.
    [[nodiscard]] Tensor first_rows(const Tensor& state, const Tensor& like);
    [[nodiscard]] Tensor with_first_rows(const Tensor& state, const Tensor& rows);
    /// Beside each other.
    [[nodiscard]] Tensor joined(const std::vector<Tensor>& parts, int64_t dim);
    /// Rows behind each other, taken apart into as many as each of `like` has.
    [[nodiscard]] std::vector<Tensor> apart(const Tensor& rows, const std::vector<Tensor>& like);
    [[nodiscard]] Tensor turned(const Tensor& matrix);

  private:
    [[nodiscard]] int64_t tensors_each() const {
        return own_.has_biases ? kWithBiases : kWithoutBiases;
    }
    [[nodiscard]] CellWeights weights_of(size_t layer_and_direction);
    [[nodiscard]] std::vector<Tensor> run_layer(const std::vector<Tensor>& inputs,
                                                LayerRun& layer,
                                                size_t direction);
    [[nodiscard]] CellGates run_step(const Tensor& of_x,
                                     const Tensor& of_h,
                                     const CellStep& before);
    [[nodiscard]] Tensor sums(const Tensor& rows,
                              const Tensor& turned,
                              const std::optional<Tensor>& bias);
    [[nodiscard]] Tensor rows_of(const Tensor& tensor, int64_t first, int64_t end);

    Lowering& op_;
    LayersArguments own_;
    int64_t hidden_ = 0;
    std::vector<Tensor> outputs_;
};

/// The arguments of cuDNN's ops, by their names in PyTorch.
[[nodiscard]] LayersArguments arguments_of_cudnn(const Lowering& op);

}  // namespace npuscope::backend
