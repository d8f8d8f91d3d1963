#include "npu_backend/ops/recurrent/layers_of_cells.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace npuscope::backend {

namespace {

int64_t gates_of(Cell cell) {
    if (cell == Cell::kLstm) return 4;
    return cell == Cell::kGru ? 3 : 1;
}

}  // namespace

RecurrentLayers::RecurrentLayers(Lowering& op, LayersArguments arguments)
    : op_(op), own_(std::move(arguments)) {
    if (own_.layers < 1 || own_.layers > std::ssize(own_.weights))
        op.reject(std::to_string(own_.weights.size()) + " weights are not those of " +
                  std::to_string(own_.layers) + " layers");
    const auto count = static_cast<int64_t>(directions()) * own_.layers;
    if (own_.drops_out && own_.layers > 1) op.reject("dropout between layers draws at random");
    if (const int64_t wanted = count * tensors_each(); std::ssize(own_.weights) != wanted)
        op.reject(std::to_string(own_.weights.size()) + " weights are not " +
                  std::to_string(wanted));
    const int64_t dims = own_.batch_sizes.empty() ? 3 : 2;
    if (std::ssize(own_.sequence.shape()) != dims)
        op.reject("input " + to_string(own_.sequence.shape()) + " is no sequence of " +
                  std::to_string(dims) + " dimensions");
    if (own_.h.ndim() != 3 || own_.h.dim(0) != count || own_.h.numel() == 0 ||
        (has_cell_state() && own_.c.shape() != own_.h.shape()))
        op.reject("states are not [layers * directions, batch, hidden]");
    hidden_ = own_.h.dim(2);
    if (own_.batch_sizes.empty() && own_.sequence.dim(own_.is_batch_first ? 0 : 1) != own_.h.dim(1))
        op.reject("input " + to_string(own_.sequence.shape()) + " and the states " +
                  to_string(own_.h.shape()) + " are of other batches");
    if (!std::ranges::is_sorted(own_.batch_sizes, std::greater<>()) ||
        (!own_.batch_sizes.empty() && own_.batch_sizes.front() != own_.h.dim(1)))
        op.reject("batch_sizes do not fall from the batch of the states");
    const int64_t rows =
        std::accumulate(own_.batch_sizes.begin(), own_.batch_sizes.end(), int64_t{0});
    if (!own_.batch_sizes.empty() && (own_.batch_sizes.back() < 1 || rows != own_.sequence.dim(0)))
        op.reject("batch_sizes do not tell the rows of the input");
}

CellWeights RecurrentLayers::weights_of(size_t layer_and_direction) {
    const auto tensor = [&](int64_t i) {
        const int64_t place = static_cast<int64_t>(layer_and_direction) * tensors_each() + i;
        return op_.held(own_.weights[static_cast<size_t>(place)]);
    };
    CellWeights weights{tensor(0), tensor(1), std::nullopt, std::nullopt};
    const int64_t rows = gates_of(own_.cell) * hidden_;
    if (weights.of_hidden.shape() != Shape{rows, hidden_} || weights.of_input.ndim() != 2 ||
        weights.of_input.dim(0) != rows)
        op_.reject("weights " + to_string(weights.of_input.shape()) + " and " +
                   to_string(weights.of_hidden.shape()) + " do not fit " + std::to_string(hidden_) +
                   " hidden");
    if (own_.has_biases) {
        weights.input_bias = tensor(2);
        weights.hidden_bias = tensor(3);
    }
    return weights;
}

std::vector<LayerRun> RecurrentLayers::run() {
    const std::vector<Tensor> h = states(op_.held(own_.h));
    const std::vector<Tensor> c =
        has_cell_state() ? states(op_.held(own_.c)) : std::vector<Tensor>(h.size());
    std::vector<LayerRun> runs;
    std::vector<Tensor> inputs = by_time(op_.held(own_.sequence));
    for (size_t layer = 0; layer < static_cast<size_t>(own_.layers); ++layer) {
        std::vector<std::vector<Tensor>> outputs;
        for (size_t direction = 0; direction < directions(); ++direction) {
            const size_t at = layer * directions() + direction;
            LayerRun& own = runs.emplace_back();
            own.weights = weights_of(at);
            own.h = h[at];
            own.c = c[at];
            outputs.push_back(run_layer(inputs, own, direction));
        }
        for (size_t time = 0; time < inputs.size(); ++time) {
            std::vector<Tensor> beside;
            for (const std::vector<Tensor>& each : outputs)
                beside.push_back(each[time]);
            inputs[time] = joined(beside, 1);
        }
    }
    outputs_ = std::move(inputs);
    return runs;
}

std::vector<Tensor> RecurrentLayers::run_layer(const std::vector<Tensor>& inputs,
                                               LayerRun& layer,
                                               size_t direction) {
    // Of all times at once, as cuDNN does; the states' sums need the step before.
    const std::vector<Tensor> of_x = apart(
        sums(joined(inputs, 0), turned(layer.weights.of_input), layer.weights.input_bias), inputs);
    const Tensor of_hidden = turned(layer.weights.of_hidden);
    std::vector<Tensor> outputs(inputs.size());
    layer.steps.resize(inputs.size());
    for (const size_t time : order(direction, inputs.size())) {
        CellStep& step = layer.steps[time];
        step.x = inputs[time];
        step.h = first_rows(layer.h, step.x);
        if (has_cell_state()) step.c = first_rows(layer.c, step.x);
        step.made = run_step(of_x[time], sums(step.h, of_hidden, layer.weights.hidden_bias), step);
        layer.h = with_first_rows(layer.h, step.made.h);
        if (has_cell_state()) layer.c = with_first_rows(layer.c, step.made.c);
        outputs[time] = step.made.h;
    }
    return outputs;
}

CellGates RecurrentLayers::run_step(const Tensor& of_x,
                                    const Tensor& of_h,
                                    const CellStep& before) {
    if (own_.cell == Cell::kGru) return gru_step(op_, of_x, of_h, before.h);
    const Tensor sums = op_.launch("Add", {of_x, of_h});
    if (own_.cell == Cell::kLstm) return lstm_step(op_, sums, before.c);
    const Tensor h = op_.launch(own_.cell == Cell::kRelu ? "Relu" : "Tanh", {sums});
    return {{h}, Tensor(), h, Tensor()};
}

Tensor RecurrentLayers::turned(const Tensor& matrix) {
    return op_.step("t", {{"self", matrix}});
}

Tensor RecurrentLayers::sums(const Tensor& rows,
                             const Tensor& turned,
                             const std::optional<Tensor>& bias) {
    if (!bias) return op_.step("mm", {{"self", rows}, {"mat2", turned}});
    return op_.step("addmm", {{"self", *bias}, {"mat1", rows}, {"mat2", turned}});
}

Tensor RecurrentLayers::rows_of(const Tensor& tensor, int64_t first, int64_t end) {
    return op_.step("slice_Tensor",
                    {{"self", tensor}, {"dim", int64_t{0}}, {"start", first}, {"end", end}});
}

std::vector<Tensor> RecurrentLayers::apart(const Tensor& rows, const std::vector<Tensor>& like) {
    std::vector<Tensor> parts;
    int64_t first = 0;
    for (const Tensor& each : like) {
        parts.push_back(rows_of(rows, first, first + each.dim(0)));
        first += each.dim(0);
    }
    return parts;
}

std::vector<Tensor> RecurrentLayers::by_time(const Tensor& sequence) {
    std::vector<Tensor> times;
    if (sequence.ndim() != own_.sequence.ndim() || sequence.numel() == 0)
        op_.reject(to_string(sequence.shape()) + " is no sequence");
    if (!own_.batch_sizes.empty()) {
        int64_t first = 0;
        for (const int64_t rows : own_.batch_sizes) {
            times.push_back(rows_of(sequence, first, first + rows));
            first += rows;
        }
        return times;
    }
    const int64_t dim = own_.is_batch_first ? 1 : 0;
    for (int64_t time = 0; time < sequence.dim(static_cast<size_t>(dim)); ++time)
        times.push_back(
            op_.step("select_int", {{"self", sequence}, {"dim", dim}, {"index", time}}));
    return times;
}

Tensor RecurrentLayers::sequence_of(const std::vector<Tensor>& by_time) {
    if (!own_.batch_sizes.empty()) return joined(by_time, 0);
    return op_.step("stack",
                    {{"tensors", TensorList(by_time.begin(), by_time.end())},
                     {"dim", own_.is_batch_first ? int64_t{1} : int64_t{0}}});
}

std::vector<Tensor> RecurrentLayers::states(const Tensor& tensor) {
    std::vector<Tensor> each;
    for (int64_t i = 0; i < tensor.dim(0); ++i)
        each.push_back(
            op_.step("select_int", {{"self", tensor}, {"dim", int64_t{0}}, {"index", i}}));
    return each;
}

Tensor RecurrentLayers::stacked(const std::vector<Tensor>& states) {
    return op_.step("stack",
                    {{"tensors", TensorList(states.begin(), states.end())}, {"dim", int64_t{0}}});
}

std::vector<size_t> RecurrentLayers::order(size_t direction, size_t times) {
    std::vector<size_t> found(times);
    std::iota(found.begin(), found.end(), 0);
    if (direction == 1) std::ranges::reverse(found);
    return found;
}

Tensor RecurrentLayers::first_rows(const Tensor& state, const Tensor& like) {
    if (state.dim(0) == like.dim(0)) return state;
    return rows_of(state, 0, like.dim(0));
}

Tensor RecurrentLayers::with_first_rows(const Tensor& state, const Tensor& rows) {
    if (state.dim(0) == rows.dim(0)) return rows;
    const Tensor rest = rows_of(state, rows.dim(0), state.dim(0));
    return joined({rows, rest}, 0);
}

Tensor RecurrentLayers::joined(const std::vector<Tensor>& parts, int64_t dim) {
    if (parts.size() == 1) return parts[0];
    return op_.step("cat", {{"tensors", TensorList(parts.begin(), parts.end())}, {"dim", dim}});
}

}  // namespace npuscope::backend
