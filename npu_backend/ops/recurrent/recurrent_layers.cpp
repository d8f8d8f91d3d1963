#include "npu_backend/ops/recurrent/recurrent_layers.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace npuscope::backend {

namespace {

constexpr size_t kWithBiases = 4;
constexpr size_t kWithoutBiases = 2;

int64_t gates_of(Cell cell) {
    if (cell == Cell::kLstm) return 4;
    return cell == Cell::kGru ? 3 : 1;
}

}  // namespace

RecurrentLayers::RecurrentLayers(Lowering& op)
    : op_(op),
      hidden_(op.integer("hidden_size")),
      layers_(op.integer("num_layers")),
      directions_(op.flag("bidirectional") ? 2 : 1),
      tensors_each_(static_cast<size_t>(op.integer("weight_stride0"))),
      is_batch_first_(op.flag("batch_first")),
      batch_sizes_(op.ints("batch_sizes")) {
    const int64_t mode = op.integer("mode");
    if (mode < 0 || mode > static_cast<int64_t>(Cell::kGru))
        op.reject("mode " + std::to_string(mode) + " is no cell of cuDNN; known are 0 to 3");
    cell_ = static_cast<Cell>(mode);
    if (op.integer("proj_size") != 0) op.reject("projected states are not computed");
    if (op.flag("train") && op.number("dropout") > 0 && layers_ > 1)
        op.reject("dropout between layers draws at random");
    if (tensors_each_ != kWithBiases && tensors_each_ != kWithoutBiases)
        op.reject("weight_stride0 must be 2 or 4");
    const size_t count = static_cast<size_t>(layers_) * directions_;
    if (op.raw_list("weight").size() != count * tensors_each_)
        op.reject("weight has " + std::to_string(op.raw_list("weight").size()) + " tensors, not " +
                  std::to_string(count * tensors_each_));
    const size_t dims = batch_sizes_.empty() ? 3 : 2;
    if (op.raw("input").shape().size() != dims)
        op.reject("input " + to_string(op.raw("input").shape()) + " is no sequence of " +
                  std::to_string(dims) + " dimensions");
    if (has_cell_state() && !op.has("cx")) op.reject("LSTM needs cx");
    for (const std::string_view state : {"hx", "cx"}) {
        if (!op.has(state)) continue;
        const Shape& shape = op.raw(state).shape();
        if (shape.size() != 3 || shape[0] != static_cast<int64_t>(count) || shape[2] != hidden_)
            op.reject(std::string(state) + " " + to_string(shape) +
                      " is not [layers * directions, batch, hidden]");
    }
    if (!std::ranges::is_sorted(batch_sizes_, std::greater<>()) ||
        (!batch_sizes_.empty() && batch_sizes_.front() != op.raw("hx").dim(1)))
        op.reject("batch_sizes do not fall from the batch of hx");
}

CellWeights RecurrentLayers::weights_of(size_t layer_and_direction) {
    const TensorList& all = op_.raw_list("weight");
    const auto tensor = [&](size_t i) {
        return op_.held(all[layer_and_direction * tensors_each_ + i]);
    };
    CellWeights weights{tensor(0), tensor(1), std::nullopt, std::nullopt};
    const int64_t rows = gates_of(cell_) * hidden_;
    if (weights.of_hidden.shape() != Shape{rows, hidden_} || weights.of_input.ndim() != 2 ||
        weights.of_input.dim(0) != rows)
        op_.reject("weights " + to_string(weights.of_input.shape()) + " and " +
                   to_string(weights.of_hidden.shape()) + " do not fit " + std::to_string(hidden_) +
                   " hidden");
    if (tensors_each_ == kWithBiases) {
        weights.input_bias = tensor(2);
        weights.hidden_bias = tensor(3);
    }
    return weights;
}

std::vector<LayerRun> RecurrentLayers::run() {
    const std::vector<Tensor> h = states(op_.tensor("hx"));
    const std::vector<Tensor> c =
        has_cell_state() ? states(op_.tensor("cx")) : std::vector<Tensor>(h.size());
    std::vector<LayerRun> runs;
    std::vector<Tensor> inputs = by_time(op_.tensor("input"));
    for (size_t layer = 0; layer < static_cast<size_t>(layers_); ++layer) {
        std::vector<std::vector<Tensor>> outputs;
        for (size_t direction = 0; direction < directions_; ++direction) {
            const size_t at = layer * directions_ + direction;
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
    std::vector<Tensor> outputs(inputs.size());
    layer.steps.resize(inputs.size());
    for (const size_t time : order(direction, inputs.size())) {
        CellStep& step = layer.steps[time];
        step.x = inputs[time];
        step.h = first_rows(layer.h, step.x);
        if (has_cell_state()) step.c = first_rows(layer.c, step.x);
        Tensor h = step.h;
        Tensor c = step.c;
        run_step(layer.weights, step, h, c);
        layer.h = with_first_rows(layer.h, h);
        if (has_cell_state()) layer.c = with_first_rows(layer.c, c);
        outputs[time] = std::move(h);
    }
    return outputs;
}

void RecurrentLayers::run_step(const CellWeights& weights, CellStep& step, Tensor& h, Tensor& c) {
    const Tensor of_x = sums(step.x, weights.of_input, weights.input_bias);
    const Tensor of_h = sums(step.h, weights.of_hidden, weights.hidden_bias);
    const auto add = [&](const Tensor& a, const Tensor& b) { return op_.launch("Add", {a, b}); };
    const auto mul = [&](const Tensor& a, const Tensor& b) { return op_.launch("Mul", {a, b}); };
    if (cell_ == Cell::kGru) {
        const std::vector<Tensor> x = parts(of_x, 3);
        const std::vector<Tensor> own = parts(of_h, 3);
        const Tensor reset = op_.launch("Sigmoid", {add(x[0], own[0])});
        const Tensor update = op_.launch("Sigmoid", {add(x[1], own[1])});
        const Tensor fresh = op_.launch("Tanh", {add(x[2], mul(reset, own[2]))});
        h = add(fresh, mul(update, op_.launch("Sub", {h, fresh})));
        step.gates = {reset, update, fresh};
        step.inner = own[2];
    } else if (cell_ == Cell::kLstm) {
        const std::vector<Tensor> all = parts(add(of_x, of_h), 4);
        const Tensor input = op_.launch("Sigmoid", {all[0]});
        const Tensor forget = op_.launch("Sigmoid", {all[1]});
        const Tensor cell = op_.launch("Tanh", {all[2]});
        const Tensor output = op_.launch("Sigmoid", {all[3]});
        c = add(mul(forget, c), mul(input, cell));
        step.inner = op_.launch("Tanh", {c});
        h = mul(output, step.inner);
        step.gates = {input, forget, cell, output};
    } else {
        h = op_.launch(cell_ == Cell::kRelu ? "Relu" : "Tanh", {add(of_x, of_h)});
        step.gates = {h};
    }
}

Tensor RecurrentLayers::sums(const Tensor& rows,
                             const Tensor& weights,
                             const std::optional<Tensor>& bias) {
    const Tensor turned = op_.step("t", {{"self", weights}});
    if (!bias) return op_.step("mm", {{"self", rows}, {"mat2", turned}});
    return op_.step("addmm", {{"self", *bias}, {"mat1", rows}, {"mat2", turned}});
}

std::vector<Tensor> RecurrentLayers::by_time(const Tensor& sequence) {
    std::vector<Tensor> times;
    if (!batch_sizes_.empty()) {
        int64_t first = 0;
        for (const int64_t rows : batch_sizes_) {
            times.push_back(op_.step("slice_Tensor",
                                     {{"self", sequence},
                                      {"dim", int64_t{0}},
                                      {"start", first},
                                      {"end", first + rows}}));
            first += rows;
        }
        return times;
    }
    const int64_t dim = is_batch_first_ ? 1 : 0;
    for (int64_t time = 0; time < sequence.dim(static_cast<size_t>(dim)); ++time)
        times.push_back(
            op_.step("select_int", {{"self", sequence}, {"dim", dim}, {"index", time}}));
    return times;
}

Tensor RecurrentLayers::sequence_of(const std::vector<Tensor>& by_time) {
    if (!batch_sizes_.empty()) return joined(by_time, 0);
    return op_.step("stack",
                    {{"tensors", TensorList(by_time.begin(), by_time.end())},
                     {"dim", is_batch_first_ ? int64_t{1} : int64_t{0}}});
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
    return op_.step(
        "slice_Tensor",
        {{"self", state}, {"dim", int64_t{0}}, {"start", int64_t{0}}, {"end", like.dim(0)}});
}

Tensor RecurrentLayers::with_first_rows(const Tensor& state, const Tensor& rows) {
    if (state.dim(0) == rows.dim(0)) return rows;
    const Tensor rest = op_.step(
        "slice_Tensor",
        {{"self", state}, {"dim", int64_t{0}}, {"start", rows.dim(0)}, {"end", state.dim(0)}});
    return joined({rows, rest}, 0);
}

Tensor RecurrentLayers::joined(const std::vector<Tensor>& parts, int64_t dim) {
    if (parts.size() == 1) return parts[0];
    return op_.step("cat", {{"tensors", TensorList(parts.begin(), parts.end())}, {"dim", dim}});
}

std::vector<Tensor> RecurrentLayers::parts(const Tensor& tensor, int64_t count) {
    return op_.computed(
        "split_Tensor",
        {{"self", tensor}, {"split_size", tensor.dim(1) / count}, {"dim", int64_t{1}}});
}

namespace {

void lower_layers(Lowering& op) {
    RecurrentLayers layers(op);
    const std::vector<LayerRun> runs = layers.run();
    const DType dtype = op.declared("input");
    std::vector<Tensor> h;
    std::vector<Tensor> c;
    for (const LayerRun& each : runs) {
        h.push_back(each.h);
        c.push_back(each.c);
    }
    op.result(layers.sequence_of(layers.outputs()), dtype);
    op.result(layers.stacked(h), dtype);
    if (layers.has_cell_state())
        op.result(layers.stacked(c), dtype);
    else
        op.no_result();
    // What cuDNN reserves for its own gradient, and all weights in its own order.
    op.no_result();
    op.no_result();
}

}  // namespace

std::span<const OpRow> recurrent_layers_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_cudnn_rnn(Tensor input, Tensor[] weight, int weight_stride0, Tensor? "
                   "weight_buf, Tensor hx, Tensor? cx, int mode, int hidden_size, int proj_size, "
                   "int num_layers, bool batch_first, float dropout, bool train, bool "
                   "bidirectional, int[] batch_sizes=[], Tensor? dropout_state=None) -> (Tensor, "
                   "Tensor, Tensor, Tensor, Tensor)",
         .launches = {"Add", "Mul", "Sub", "Sigmoid", "Tanh", "Relu", "ConcatD", "Pack"},
         .as = "addmm",
         .note = "as addmm of inputs and of states, and the cell's gates, at each time",
         .lower = lower_layers,
         .is_composed = true},
    });
    return kRows;
}

}  // namespace npuscope::backend
