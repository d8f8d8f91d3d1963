// The gradients of layers of RNN, LSTM or GRU cells, back through time, from what they were given.
#include <algorithm>
#include <array>
#include <utility>

#include "npu_backend/ops/recurrent/layers_of_cells.h"

namespace npuscope::backend {

namespace {

/// By what one step took.
struct StepGradient {
    Tensor sums_of_x;  ///< [rows, gates * hidden]
    Tensor sums_of_h;  ///< the same but GRU's fresh gate
    Tensor kept;       ///< of GRU: what the state goes on with beside the sums
    Tensor c;          ///< of LSTM
};

/// By what one layer took in one direction.
struct LayerGradient {
    std::vector<Tensor> x;  ///< by time
    Tensor h;
    Tensor c;
    std::vector<Tensor> weights;  ///< as in CellWeights
};

class Backwards {
  public:
    explicit Backwards(Lowering& op) : op_(op), layers_(op, arguments_of_cudnn(op)) {}

    void lower() {
        const std::vector<LayerRun> runs = layers_.run();
        std::vector<Tensor> of_output = layers_.by_time(gradient("grad_output", "output"));
        require_like(layers_.outputs(), of_output);
        const std::vector<Tensor> of_h = layers_.states(gradient("grad_hy", "hx"));
        const std::vector<Tensor> of_c = layers_.has_cell_state()
                                             ? layers_.states(gradient("grad_cy", "cx"))
                                             : std::vector<Tensor>(of_h.size());
        std::vector<LayerGradient> found(runs.size());
        const size_t directions = layers_.directions();
        for (size_t above = runs.size(); above > 0; above -= directions) {
            std::vector<Tensor> of_input;
            for (size_t direction = 0; direction < directions; ++direction) {
                const size_t at = above - directions + direction;
                LayerGradient& own = found[at];
                own.h = of_h[at];
                own.c = of_c[at];
                go_back(runs[at], of_output, direction, own);
                for (size_t time = 0; time < own.x.size(); ++time)
                    if (direction == 0)
                        of_input.push_back(own.x[time]);
                    else
                        of_input[time] = add(of_input[time], own.x[time]);
            }
            of_output = std::move(of_input);
        }
        give(of_output, found);
    }

  private:
    Tensor add(const Tensor& a, const Tensor& b) { return op_.launch("Add", {a, b}); }
    Tensor mul(const Tensor& a, const Tensor& b) { return op_.launch("Mul", {a, b}); }
    Tensor through(std::string_view function, const Tensor& gradient, const Tensor& output) {
        return op_.step(function, {{"grad_output", gradient}, {"output", output}});
    }

    /// The argument, or zeros like that one.
    Tensor gradient(std::string_view name, std::string_view like) {
        if (!op_.has(name)) return op_.step("zeros_like", {{"self", op_.tensor(like)}});
        if (op_.raw(name).shape() != op_.raw(like).shape())
            op_.reject(std::string(name) + " " + to_string(op_.raw(name).shape()) +
                       " is not like " + std::string(like) + " " +
                       to_string(op_.raw(like).shape()));
        return op_.tensor(name);
    }

    void require_like(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients) {
        const auto alike = [](const Tensor& a, const Tensor& b) { return a.shape() == b.shape(); };
        if (!std::ranges::equal(outputs, gradients, alike))
            op_.reject("output " + to_string(op_.raw("output").shape()) +
                       " is not of the shape that the layers give");
    }

    /// Of what one step gave, `h` and of LSTM `c`.
    StepGradient gradient_of(const CellStep& step, const Tensor& h, const Tensor& c) {
        if (layers_.cell() == Cell::kLstm) return of_lstm(step, h, c);
        if (layers_.cell() == Cell::kGru) return of_gru(step, h);
        const Tensor sums = of_state(step.made.gates[0], h);
        return {.sums_of_x = sums, .sums_of_h = sums, .kept = Tensor(), .c = Tensor()};
    }

    Tensor of_state(const Tensor& state, const Tensor& h) {
        if (layers_.cell() == Cell::kTanh) return through("tanh_backward", h, state);
        return op_.step("threshold_backward",
                        {{"grad_output", h}, {"self", state}, {"threshold", Scalar{0}}});
    }

    StepGradient of_lstm(const CellStep& step, const Tensor& h, const Tensor& after) {
        const Tensor& input = step.made.gates[0];
        const Tensor& forget = step.made.gates[1];
        const Tensor& cell = step.made.gates[2];
        const Tensor& output = step.made.gates[3];
        const Tensor c = add(after, through("tanh_backward", mul(h, output), step.made.inner));
        const Tensor sums =
            layers_.joined({through("sigmoid_backward", mul(c, cell), input),
                            through("sigmoid_backward", mul(c, step.c), forget),
                            through("tanh_backward", mul(c, input), cell),
                            through("sigmoid_backward", mul(h, step.made.inner), output)},
                           1);
        return {.sums_of_x = sums, .sums_of_h = sums, .kept = Tensor(), .c = mul(c, forget)};
    }

    StepGradient of_gru(const CellStep& step, const Tensor& h) {
        const Tensor& reset = step.made.gates[0];
        const Tensor& update = step.made.gates[1];
        const Tensor& fresh = step.made.gates[2];
        const Tensor kept = mul(h, update);
        const Tensor of_fresh = through("tanh_backward", op_.launch("Sub", {h, kept}), fresh);
        const Tensor of_update =
            through("sigmoid_backward", mul(h, op_.launch("Sub", {step.h, fresh})), update);
        const Tensor of_reset = through("sigmoid_backward", mul(of_fresh, step.made.inner), reset);
        return {.sums_of_x = layers_.joined({of_reset, of_update, of_fresh}, 1),
                .sums_of_h = layers_.joined({of_reset, of_update, mul(of_fresh, reset)}, 1),
                .kept = kept,
                .c = Tensor()};
    }

    /// `own.h` and `own.c` are those of the last states, and become those of the first.
    void go_back(const LayerRun& run,
                 const std::vector<Tensor>& of_output,
                 size_t direction,
                 LayerGradient& own) {
        const size_t times = run.steps.size();
        std::vector<Tensor> of_x(times);
        std::vector<Tensor> of_h(times);
        for (const size_t time : layers_.order(1 - direction, times)) {
            const CellStep& step = run.steps[time];
            const Tensor given = gate_sums(
                op_, of_output[time], static_cast<int64_t>(layers_.directions()))[direction];
            const Tensor c =
                layers_.has_cell_state() ? layers_.first_rows(own.c, step.x) : Tensor();
            StepGradient back = gradient_of(step, add(layers_.first_rows(own.h, step.x), given), c);
            Tensor h = product(back.sums_of_h, run.weights.of_hidden);
            if (layers_.cell() == Cell::kGru) h = add(h, back.kept);
            own.h = layers_.with_first_rows(own.h, h);
            if (layers_.has_cell_state()) own.c = layers_.with_first_rows(own.c, back.c);
            of_x[time] = std::move(back.sums_of_x);
            of_h[time] = std::move(back.sums_of_h);
        }
        std::vector<Tensor> x;
        std::vector<Tensor> h;
        for (const CellStep& step : run.steps) {
            x.push_back(step.x);
            h.push_back(step.h);
        }
        const Tensor all_of_x = layers_.joined(of_x, 0);
        const Tensor all_of_h = layers_.joined(of_h, 0);
        own.x = layers_.apart(product(all_of_x, run.weights.of_input), of_x);
        own.weights = {product(layers_.turned(all_of_x), layers_.joined(x, 0)),
                       product(layers_.turned(all_of_h), layers_.joined(h, 0))};
        if (run.weights.input_bias) own.weights.push_back(sum_of_rows(all_of_x));
        if (run.weights.hidden_bias) own.weights.push_back(sum_of_rows(all_of_h));
    }

    Tensor product(const Tensor& a, const Tensor& b) {
        return op_.step("mm", {{"self", a}, {"mat2", b}});
    }
    Tensor sum_of_rows(const Tensor& rows) {
        return op_.step("sum_dim_IntList", {{"self", rows}, {"dim", IntList{0}}});
    }

    void give(const std::vector<Tensor>& of_input, const std::vector<LayerGradient>& found) {
        const DType dtype = op_.declared("input");
        TensorList weights;
        for (const LayerGradient& each : found) {
            weights.insert(weights.end(), each.weights.begin(), each.weights.end());
        }
        op_.result(layers_.sequence_of(of_input), dtype);
        op_.result(layers_.stacked(found, &LayerGradient::h), dtype);
        if (layers_.has_cell_state())
            op_.result(layers_.stacked(found, &LayerGradient::c), dtype);
        else
            op_.no_result();
        // PyTorch asks cuDNN for all but these, whatever the mask says.
        if (op_.mask("output_mask", 4)[3])
            op_.result(std::move(weights), dtype);
        else
            op_.no_result();
    }

    Lowering& op_;
    RecurrentLayers layers_;
};

void lower_gradients(Lowering& op) {
    Backwards(op).lower();
}

}  // namespace

std::span<const OpRow> recurrent_gradients_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_cudnn_rnn_backward(Tensor input, Tensor[] weight, int weight_stride0, Tensor? "
                   "weight_buf, Tensor hx, Tensor? cx, Tensor output, Tensor? grad_output, Tensor? "
                   "grad_hy, Tensor? grad_cy, int mode, int hidden_size, int proj_size=0, int "
                   "num_layers, bool batch_first, float dropout, bool train, bool bidirectional, "
                   "int[] batch_sizes=[], Tensor? dropout_state=None, Tensor? reserve=None, "
                   "bool[4] output_mask) -> (Tensor, Tensor, Tensor, Tensor[])",
         .launches = {"SigmoidGrad", "TanhGrad", "ReluGrad", "ReduceSum", "ZerosLike"},
         .as = "_cudnn_rnn",
         .note = "as _cudnn_rnn again; then, back in time, the gates' gradients, mm for the states "
                 "and the inputs; mm and sums for the weights",
         .lower = lower_gradients,
         .is_composed = true},
    });
    return kRows;
}

}  // namespace npuscope::backend
