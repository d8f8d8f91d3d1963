// Layers of RNN, LSTM and GRU cells, as cuDNN's ops and PyTorch's own name them.
#include <array>
#include <utility>

#include "npu_backend/ops/recurrent/layers_of_cells.h"

namespace npuscope::backend {

LayersArguments arguments_of_cudnn(const Lowering& op) {
    const int64_t mode = op.integer("mode");
    if (mode < 0 || mode > static_cast<int64_t>(Cell::kGru))
        op.reject("mode " + std::to_string(mode) + " is no cell of cuDNN; known are 0 to 3");
    const int64_t each = op.integer("weight_stride0");
    if (each != kWithBiases && each != kWithoutBiases)
        op.reject("weight_stride0 is " + std::to_string(each) + ", not 2 or 4");
    if (op.integer("proj_size") != 0) op.reject("projected states are not computed");
    const auto cell = static_cast<Cell>(mode);
    if (cell == Cell::kLstm && !op.has("cx")) op.reject("LSTM needs cx");
    return {.cell = cell,
            .sequence = op.raw("input"),
            .weights = op.raw_list("weight"),
            .h = op.raw("hx"),
            .c = cell == Cell::kLstm ? op.raw("cx") : Tensor(),
            .layers = op.integer("num_layers"),
            .has_biases = each == kWithBiases,
            .is_both_ways = op.flag("bidirectional"),
            .is_batch_first = op.flag("batch_first"),
            .drops_out = op.flag("train") && op.number("dropout") > 0,
            .batch_sizes = op.ints("batch_sizes")};
}

namespace {

/// Of "lstm.input" and its like, by the row's argument.
Cell cell_named(std::string_view name) {
    if (name == "lstm") return Cell::kLstm;
    if (name == "gru") return Cell::kGru;
    return name == "relu" ? Cell::kRelu : Cell::kTanh;
}

LayersArguments arguments_of_pytorch(const Lowering& op) {
    LayersArguments found{.cell = cell_named(op.argument()),
                          .sequence = {},
                          .weights = op.raw_list("params"),
                          .h = {},
                          .c = {},
                          .layers = op.integer("num_layers"),
                          .has_biases = op.flag("has_biases"),
                          .is_both_ways = op.flag("bidirectional"),
                          .is_batch_first = op.declares("batch_first") && op.flag("batch_first"),
                          .drops_out = op.flag("train") && op.number("dropout") > 0,
                          .batch_sizes = {}};
    if (found.cell == Cell::kLstm) {
        const TensorList& states = op.raw_list("hx");
        if (states.size() != 2) op.reject("hx is not two tensors");
        found.h = states[0];
        found.c = states[1];
    } else {
        found.h = op.raw("hx");
    }
    const bool is_packed = op.declares("data");
    found.sequence = op.raw(is_packed ? "data" : "input");
    if (is_packed) {
        const Tensor& rows = op.raw("batch_sizes");
        if (rows.dtype() != DType::kInt64 || rows.ndim() != 1)
            op.reject("batch_sizes is no list of int64");
        found.batch_sizes.assign(rows.as<int64_t>().begin(), rows.as<int64_t>().end());
    }
    return found;
}

/// The sequence and the last states.
void lower(Lowering& op, LayersArguments arguments) {
    const DType dtype = arguments.sequence.dtype();
    RecurrentLayers layers(op, std::move(arguments));
    const std::vector<LayerRun> runs = layers.run();
    op.result(layers.sequence_of(layers.outputs()), dtype);
    op.result(layers.stacked(runs, &LayerRun::h), dtype);
    if (layers.has_cell_state()) op.result(layers.stacked(runs, &LayerRun::c), dtype);
}

void lower_cudnn(Lowering& op) {
    LayersArguments arguments = arguments_of_cudnn(op);
    const bool has_cell_state = arguments.cell == Cell::kLstm;
    lower(op, std::move(arguments));
    if (!has_cell_state) op.no_result();
    // What cuDNN reserves for its own gradient, and all weights in its own order.
    op.no_result();
    op.no_result();
}

void lower_pytorch(Lowering& op) {
    lower(op, arguments_of_pytorch(op));
}

constexpr std::string_view kNote =
    "as addmm of inputs and of states, and the cell's gates, at each time";

OpRow of_pytorch(std::string_view schema, std::string_view cell) {
    return {.schema = schema,
            .launches = {},
            .as = "_cudnn_rnn",
            .note = kNote,
            .lower = lower_pytorch,
            .argument = cell,
            .is_composed = true};
}

}  // namespace

std::span<const OpRow> recurrent_layers_ops() {
    static const auto kRows = std::to_array<OpRow>({
        {.schema = "_cudnn_rnn(Tensor input, Tensor[] weight, int weight_stride0, Tensor? "
                   "weight_buf, Tensor hx, Tensor? cx, int mode, int hidden_size, int proj_size=0, "
                   "int num_layers, bool batch_first, float dropout, bool train, bool "
                   "bidirectional, int[] batch_sizes=[], Tensor? dropout_state=None) -> (Tensor, "
                   "Tensor, Tensor, Tensor, Tensor)",
         .launches = {"Add", "Mul", "Sub", "Sigmoid", "Tanh", "Relu", "ConcatD", "Pack"},
         .as = "addmm",
         .note = kNote,
         .lower = lower_cudnn,
         .is_composed = true},
        of_pytorch("lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int "
                   "num_layers, float dropout, bool train, bool bidirectional, bool batch_first) "
                   "-> (Tensor, Tensor, Tensor)",
                   "lstm"),
        of_pytorch("lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool "
                   "has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> "
                   "(Tensor, Tensor, Tensor)",
                   "lstm"),
        of_pytorch(
            "gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, "
            "float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
            "gru"),
        of_pytorch("gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool "
                   "has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> "
                   "(Tensor, Tensor)",
                   "gru"),
        of_pytorch("rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int "
                   "num_layers, float dropout, bool train, bool bidirectional, bool batch_first) "
                   "-> (Tensor, Tensor)",
                   "tanh"),
        of_pytorch("rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, "
                   "bool has_biases, int num_layers, float dropout, bool train, bool "
                   "bidirectional) -> (Tensor, Tensor)",
                   "tanh"),
        of_pytorch("rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int "
                   "num_layers, float dropout, bool train, bool bidirectional, bool batch_first) "
                   "-> (Tensor, Tensor)",
                   "relu"),
        of_pytorch("rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, "
                   "bool has_biases, int num_layers, float dropout, bool train, bool "
                   "bidirectional) -> (Tensor, Tensor)",
                   "relu"),
    });
    return kRows;
}

}  // namespace npuscope::backend
