// RNN, GRU and LSTM, written out step by step as matrix products and activations.
#include <algorithm>
#include <utility>

#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

/// The weights of one direction; gates stand one after another.
struct Direction {
    Tensor w, r;      ///< transposed: [input, gates * hidden], [hidden, gates * hidden]
    Tensor wb, rb;    ///< [gates * hidden]
    Tensor peephole;  ///< [3 * hidden], where given
    bool has_bias = false;
    bool has_peephole = false;
    bool backward = false;
    std::vector<std::string> activations;
    std::vector<double> alphas, betas;
};

struct Cell {
    NodeRun& node;
    const Direction& weights;
    int64_t hidden = 0;

    [[nodiscard]] Tensor gate(const Tensor& all, int64_t index) const {
        return ir::slice(node, all, all.ndim() - 1, index * hidden, (index + 1) * hidden);
    }
    [[nodiscard]] Tensor activated(size_t index, Tensor x) const {
        const double clip = node.attribute("clip", 0.0);
        if (clip > 0)
            x = node.call("clamp", {{"self", x}, {"min", Scalar{-clip}}, {"max", Scalar{clip}}});
        const std::string& name = weights.activations.at(index);
        const auto given = [&](const std::vector<double>& values, double otherwise) {
            return index < values.size() ? values[index] : otherwise;
        };
        if (name == "Sigmoid") return ir::unary(node, "sigmoid", x);
        if (name == "Tanh") return ir::unary(node, "tanh", x);
        if (name == "Relu") return ir::unary(node, "relu", x);
        if (name == "Softplus") return ir::unary(node, "softplus", x);
        if (name == "Softsign")
            return ir::div(node, x, ir::add(node, ir::unary(node, "abs", x), 1.0));
        if (name == "Affine")
            return ir::add(
                node, ir::mul(node, x, given(weights.alphas, 1.0)), given(weights.betas, 0.0));
        if (name == "LeakyRelu")
            return node.call(
                "leaky_relu",
                {{"self", x}, {"negative_slope", Scalar{given(weights.alphas, 0.01)}}});
        node.unsupported("the activation " + name + " is not supported");
    }
    [[nodiscard]] Tensor plus(const Tensor& x, const Tensor& bias) const {
        return weights.has_bias ? ir::add(node, x, bias) : x;
    }
    [[nodiscard]] Tensor peeped(const Tensor& x, const Tensor& c, int64_t index) const {
        if (!weights.has_peephole) return x;
        return ir::add(node, x, ir::mul(node, c, gate(weights.peephole, index)));
    }
    [[nodiscard]] Tensor one_minus(const Tensor& x) const {
        return ir::sub(node, ir::number_like(x, 1), x);
    }

    [[nodiscard]] Tensor rnn(const Tensor& x, const Tensor& h) const {
        const Tensor sum = ir::add(node,
                                   plus(ir::matmul(node, x, weights.w), weights.wb),
                                   plus(ir::matmul(node, h, weights.r), weights.rb));
        return activated(0, sum);
    }

    /// Gates z, r, h.
    [[nodiscard]] Tensor gru(const Tensor& x, const Tensor& h) const {
        const Tensor wx = plus(ir::matmul(node, x, weights.w), weights.wb);
        const Tensor rh = plus(ir::matmul(node, h, weights.r), weights.rb);
        const Tensor z = activated(0, ir::add(node, gate(wx, 0), gate(rh, 0)));
        const Tensor r = activated(0, ir::add(node, gate(wx, 1), gate(rh, 1)));
        Tensor recurrent;
        if (node.attribute("linear_before_reset", int64_t{0}) != 0) {
            recurrent = ir::mul(node, r, gate(rh, 2));
        } else {
            recurrent = ir::matmul(node, ir::mul(node, r, h), gate(weights.r, 2));
            if (weights.has_bias) recurrent = ir::add(node, recurrent, gate(weights.rb, 2));
        }
        const Tensor fresh = activated(1, ir::add(node, gate(wx, 2), recurrent));
        return ir::add(node, ir::mul(node, one_minus(z), fresh), ir::mul(node, z, h));
    }

    /// Gates i, o, f, c; peepholes i, o, f. Returns the new h and c.
    [[nodiscard]] std::pair<Tensor, Tensor> lstm(const Tensor& x,
                                                 const Tensor& h,
                                                 const Tensor& c) const {
        const Tensor sum = ir::add(node,
                                   plus(ir::matmul(node, x, weights.w), weights.wb),
                                   plus(ir::matmul(node, h, weights.r), weights.rb));
        const Tensor i = activated(0, peeped(gate(sum, 0), c, 0));
        const bool coupled = node.attribute("input_forget", int64_t{0}) != 0;
        const Tensor f = coupled ? one_minus(i) : activated(0, peeped(gate(sum, 2), c, 2));
        const Tensor fresh = activated(1, gate(sum, 3));
        const Tensor next = ir::add(node, ir::mul(node, f, c), ir::mul(node, i, fresh));
        const Tensor o = activated(0, peeped(gate(sum, 1), next, 1));
        return {ir::mul(node, o, activated(2, next)), next};
    }
};

/// What all three operators share: inputs X, W, R, B, lengths, first h; and for LSTM c and P.
struct Recurrence {
    int64_t gates = 1;
    int64_t hidden = 0;
    int64_t directions = 1;
    int64_t times = 0;
    int64_t batch = 0;
    bool batch_first = false;
    IntList lengths;
};

Direction read_direction(NodeRun& node, const Recurrence& shape, int64_t d, size_t per_direction) {
    const auto part = [&](size_t index) { return ir::select(node, node.input(index), 0, d); };
    Direction weights;
    weights.w = node.call("t", {{"self", part(1)}});
    weights.r = node.call("t", {{"self", part(2)}});
    weights.has_bias = node.has_input(3);
    if (weights.has_bias) {
        const Tensor both = part(3);
        const int64_t half = shape.gates * shape.hidden;
        node.require(both.numel() == 2 * half, "its bias has a wrong shape");
        weights.wb = ir::slice(node, both, 0, 0, half);
        weights.rb = ir::slice(node, both, 0, half, 2 * half);
    }
    weights.has_peephole = shape.gates == 4 && node.has_input(7);
    if (weights.has_peephole) weights.peephole = part(7);
    weights.backward = d == 1 || node.attribute("direction", "forward") == "reverse";
    std::vector<std::string> names = node.texts_attribute("activations");
    if (names.empty()) {
        for (int64_t i = 0; i < shape.directions; ++i) {
            if (shape.gates > 1) names.emplace_back("Sigmoid");
            names.emplace_back("Tanh");
            if (shape.gates == 4) names.emplace_back("Tanh");
        }
    }
    const size_t from = per_direction * static_cast<size_t>(d);
    node.require(names.size() >= from + per_direction, "it has too few activations");
    weights.activations.assign(names.begin() + static_cast<int64_t>(from),
                               names.begin() + static_cast<int64_t>(from + per_direction));
    weights.alphas = node.floats_attribute("activation_alpha");
    weights.betas = node.floats_attribute("activation_beta");
    return weights;
}

Recurrence read_recurrence(NodeRun& node, int64_t gates) {
    const Tensor& x = node.input(0);
    const Tensor& r = node.input(2);
    node.require(x.ndim() == 3 && node.input(1).ndim() == 3 && r.ndim() == 3,
                 "X, W and R must have three dimensions");
    Recurrence shape;
    shape.gates = gates;
    shape.hidden = r.dim(2);
    const std::string direction = node.attribute("direction", "forward");
    shape.directions = direction == "bidirectional" ? 2 : 1;
    shape.batch_first = node.attribute("layout", int64_t{0}) != 0;
    shape.times = x.dim(shape.batch_first ? 1 : 0);
    shape.batch = x.dim(shape.batch_first ? 0 : 1);
    node.require(shape.times > 0 && r.dim(0) == shape.directions &&
                     r.dim(1) == gates * shape.hidden && node.input(1).dim(0) == shape.directions &&
                     node.input(1).dim(1) == gates * shape.hidden &&
                     node.input(1).dim(2) == x.dim(2),
                 "the shapes of X, W and R do not fit each other");
    if (node.has_input(4)) {
        shape.lengths = node.ints(4);
        node.require(static_cast<int64_t>(shape.lengths.size()) == shape.batch,
                     "a length is needed for each sequence");
        if (std::ranges::all_of(shape.lengths, [&](int64_t n) { return n == shape.times; }))
            shape.lengths.clear();
    }
    return shape;
}

/// The state of direction d before the first step: [batch, hidden].
Tensor first_state(NodeRun& node, const Recurrence& shape, size_t index, int64_t d) {
    if (!node.has_input(index))
        return Tensor::zeros(node.input(0).dtype(), {shape.batch, shape.hidden});
    return ir::select(node, node.input(index), shape.batch_first ? 1 : 0, d);
}

/// Sequences that have ended keep their state.
Tensor where_running(NodeRun& node,
                     const Recurrence& shape,
                     int64_t step,
                     const Tensor& next,
                     const Tensor& before) {
    if (shape.lengths.empty()) return next;
    Tensor running(DType::kBool, {shape.batch, 1});
    for (size_t b = 0; b < shape.lengths.size(); ++b)
        running.mutable_as<bool>()[b] = step < shape.lengths[b];
    return ir::where(node, running, next, before);
}

void lower_recurrent(NodeRun& node, int64_t gates) {
    const Recurrence shape = read_recurrence(node, gates);
    const size_t per_direction = gates == 1 ? 1 : (gates == 3 ? 2 : 3);
    const int64_t time_axis = shape.batch_first ? 1 : 0;
    TensorList sequences;
    TensorList last_h;
    TensorList last_c;
    for (int64_t d = 0; d < shape.directions; ++d) {
        const Direction weights = read_direction(node, shape, d, per_direction);
        if (weights.backward && !shape.lengths.empty())
            node.unsupported("backward sequences of unequal lengths are not supported");
        const Cell cell{node, weights, shape.hidden};
        Tensor h = first_state(node, shape, 5, d);
        Tensor c = gates == 4 ? first_state(node, shape, 6, d) : Tensor{};
        TensorList steps;
        for (int64_t i = 0; i < shape.times; ++i) {
            const int64_t at = weights.backward ? shape.times - 1 - i : i;
            const Tensor x = ir::select(node, node.input(0), time_axis, at);
            Tensor next;
            if (gates == 4) {
                auto [new_h, new_c] = cell.lstm(x, h, c);
                next = std::move(new_h);
                c = where_running(node, shape, i, new_c, c);
            } else {
                next = gates == 1 ? cell.rnn(x, h) : cell.gru(x, h);
            }
            const Tensor silent = shape.lengths.empty()
                                      ? next
                                      : where_running(node, shape, i, next, ir::number_like(h, 0));
            h = where_running(node, shape, i, next, h);
            steps.push_back(ir::unsqueeze(node, silent, 0));
        }
        if (weights.backward) std::ranges::reverse(steps);
        sequences.push_back(ir::unsqueeze(node, ir::cat(node, std::move(steps), 0), 1));
        last_h.push_back(ir::unsqueeze(node, h, 0));
        if (gates == 4) last_c.push_back(ir::unsqueeze(node, c, 0));
    }
    // [times, directions, batch, hidden] and [directions, batch, hidden], or the batch in front.
    const auto give = [&](size_t index, const Tensor& tensor, const IntList& batch_first) {
        node.set_output(index, shape.batch_first ? ir::permute(node, tensor, batch_first) : tensor);
    };
    if (node.wants_output(0)) give(0, ir::cat(node, std::move(sequences), 1), {2, 0, 1, 3});
    if (node.wants_output(1)) give(1, ir::cat(node, std::move(last_h), 0), {1, 0, 2});
    if (gates == 4 && node.wants_output(2)) give(2, ir::cat(node, std::move(last_c), 0), {1, 0, 2});
}

}  // namespace

void lower_rnn(NodeRun& node) {
    lower_recurrent(node, 1);
}

void lower_gru(NodeRun& node) {
    lower_recurrent(node, 3);
}

void lower_lstm(NodeRun& node) {
    lower_recurrent(node, 4);
}

}  // namespace npuscope::onnx_model
