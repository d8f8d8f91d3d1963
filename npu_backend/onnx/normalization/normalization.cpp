// Normalizations: by layer, batch, instance, group, neighbouring channels.
#include <algorithm>
#include <utility>
#include <vector>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

/// (x - mean) / sqrt(variance + epsilon) over `axes`.
Tensor standardized(NodeRun& node, const Tensor& x, const IntList& axes, double epsilon) {
    const Tensor centred = ir::sub(node, x, ir::reduce(node, "mean_dim", x, axes, true));
    const Tensor variance =
        ir::reduce(node, "mean_dim", ir::mul(node, centred, centred), axes, true);
    return ir::mul(node, centred, ir::unary(node, "rsqrt", ir::add(node, variance, epsilon)));
}

}  // namespace

void lower_layer_normalization(NodeRun& node) {
    const Tensor& input = node.input(0);
    if (node.attribute("stash_type", int64_t{1}) != 1)
        node.unsupported("stash_type other than float32 is not supported");
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{-1}), input.ndim());
    const Shape normalized(input.shape().begin() + axis, input.shape().end());
    const auto affine = [&](size_t index) -> Value {
        if (!node.has_input(index)) return {};
        const Tensor& tensor = node.input(index);
        if (tensor.shape() == normalized) return tensor;
        node.require(broadcast(tensor.shape(), normalized) == normalized,
                     "scale or bias of shape " + to_string(tensor.shape()) +
                         " does not fit the normalized dimensions " + to_string(normalized));
        return node.call("expand", {{"self", tensor}, {"size", normalized}});
    };
    std::vector<Tensor> results = node.call_all("native_layer_norm",
                                                {{"input", input},
                                                 {"normalized_shape", normalized},
                                                 {"weight", affine(1)},
                                                 {"bias", affine(2)},
                                                 {"eps", node.attribute("epsilon", 1e-5)}});
    for (size_t i = 0; i < node.output_count() && i < results.size(); ++i)
        node.set_output(i, std::move(results[i]));
}

namespace {

/// The batch's own statistics; the running ones move toward them, both with the biased variance.
void normalize_by_batch(NodeRun& node) {
    const Tensor& x = node.input(0);
    IntList axes = {0};
    for (int64_t axis = 2; axis < x.ndim(); ++axis)
        axes.push_back(axis);
    const double momentum = node.attribute("momentum", 0.9);
    const Tensor mean = ir::reduce(node, "mean_dim", x, axes, true);
    const Tensor centred = ir::sub(node, x, mean);
    const Tensor variance =
        ir::reduce(node, "mean_dim", ir::mul(node, centred, centred), axes, true);
    const double epsilon = node.attribute("epsilon", 1e-5);
    const Tensor normal =
        ir::mul(node, centred, ir::unary(node, "rsqrt", ir::add(node, variance, epsilon)));
    const Tensor scaled = ir::mul(node, normal, ir::view(node, node.input(1), mean.shape()));
    node.set_output(0, ir::add(node, scaled, ir::view(node, node.input(2), mean.shape())));
    const auto moved = [&](size_t index, const Tensor& batch) {
        const Tensor& running = node.input(index);
        return ir::add(node,
                       ir::mul(node, running, momentum),
                       ir::mul(node, ir::view(node, batch, running.shape()), 1.0 - momentum));
    };
    node.set_output(1, moved(3, mean));
    node.set_output(2, moved(4, variance));
}

}  // namespace

void lower_batch_normalization(NodeRun& node) {
    if (node.attribute("spatial", int64_t{1}) != 1)
        node.unsupported("batch normalization with spatial=0 is not supported");
    const Tensor& input = node.input(0);
    node.require(input.ndim() >= 2, "the input has no channels");
    for (size_t i = 1; i <= 4; ++i)
        node.require(node.input(i).shape() == Shape{input.dim(1)},
                     "input " + std::to_string(i) + " must have one element per channel");
    if (node.attribute("training_mode", int64_t{0}) != 0) {
        normalize_by_batch(node);
        return;
    }
    // ONNX counts the momentum of the running value, ATen that of the batch.
    node.set_output(0,
                    node.call("native_batch_norm",
                              {{"input", input},
                               {"weight", node.input(1)},
                               {"bias", node.input(2)},
                               {"running_mean", node.input(3)},
                               {"running_var", node.input(4)},
                               {"training", false},
                               {"momentum", 1.0 - node.attribute("momentum", 0.9)},
                               {"eps", node.attribute("epsilon", 1e-5)}}));
}

/// Mean 0 and variance 1 over each channel of each sample: a group norm with one channel a group.
void lower_instance_normalization(NodeRun& node) {
    const Tensor& x = node.input(0);
    node.require(x.ndim() >= 3, "the input has no spatial dimensions");
    IntList axes = ir::iota(x.ndim());
    axes = IntList(axes.begin() + 2, axes.end());
    Shape channels(static_cast<size_t>(x.ndim()), 1);
    channels[1] = x.dim(1);
    const Tensor normal = standardized(node, x, axes, node.attribute("epsilon", 1e-5));
    const Tensor scaled = ir::mul(node, normal, ir::view(node, node.input(1), channels));
    node.set_output(0, ir::add(node, scaled, ir::view(node, node.input(2), channels)));
}

void lower_mean_variance_normalization(NodeRun& node) {
    const Tensor& x = node.input(0);
    const IntList axes = node.axes_from_front(node.attribute("axes", IntList{0, 2, 3}), x.ndim());
    const Tensor centred = ir::sub(node, x, ir::reduce(node, "mean_dim", x, axes, true));
    const Tensor variance =
        ir::reduce(node, "mean_dim", ir::mul(node, centred, centred), axes, true);
    node.set_output(0,
                    ir::div(node, centred, ir::add(node, ir::unary(node, "sqrt", variance), 1e-9)));
}

/// x / (bias + alpha / size * sum of squares over neighbouring channels)^beta.
void lower_lrn(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t size = node.attribute("size", int64_t{1});
    node.require(x.ndim() >= 2 && size >= 1 && size < (1 << 20), "size does not fit");
    IntList pad(static_cast<size_t>(2 * (x.ndim() - 1)), 0);
    pad[pad.size() - 2] = (size - 1) / 2;
    pad[pad.size() - 1] = size / 2;
    const Tensor squares = node.call(
        "constant_pad_nd", {{"self", ir::mul(node, x, x)}, {"pad", pad}, {"value", Scalar{0.0}}});
    Tensor sum = ir::slice(node, squares, 1, 0, x.dim(1));
    for (int64_t i = 1; i < size; ++i)
        sum = ir::add(node, sum, ir::slice(node, squares, 1, i, i + x.dim(1)));
    const double alpha = node.attribute("alpha", 1e-4) / static_cast<double>(size);
    const Tensor base = ir::add(node, ir::mul(node, sum, alpha), node.attribute("bias", 1.0));
    const Tensor power = node.call(
        "pow_Tensor_Scalar", {{"self", base}, {"exponent", Scalar{node.attribute("beta", 0.75)}}});
    node.set_output(0, ir::div(node, x, power));
}

void lower_lp_normalization(NodeRun& node) {
    const Tensor& x = node.input(0);
    const IntList axes = {node.axis_from_front(node.attribute("axis", int64_t{-1}), x.ndim())};
    const bool squares = node.attribute("p", int64_t{2}) == 2;
    const Tensor powers = squares ? ir::mul(node, x, x) : ir::unary(node, "abs", x);
    Tensor norm = ir::reduce(node, "sum_dim_IntList", powers, axes, true);
    if (squares) norm = ir::unary(node, "sqrt", norm);
    node.set_output(0, ir::div(node, x, norm));
}

/// Groups of channels; scale and bias by channel, by group in operator set 18.
void lower_group_normalization(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t groups = node.attribute("num_groups", int64_t{0});
    node.require(x.ndim() >= 3 && groups >= 1 && x.dim(1) % groups == 0,
                 "num_groups does not divide the channels");
    const int64_t inner = x.numel() / std::max<int64_t>(1, x.dim(0) * groups);
    const Tensor flat = ir::view(node, x, {x.dim(0), groups, inner});
    const Tensor normal = standardized(node, flat, {2}, node.attribute("epsilon", 1e-5));
    const auto affine = [&](size_t index) {
        const Tensor& given = node.input(index);
        if (given.numel() == groups && groups != x.dim(1))
            return std::pair{ir::view(node, given, {groups, 1}), true};
        Shape channels(static_cast<size_t>(x.ndim()), 1);
        channels[1] = x.dim(1);
        return std::pair{ir::view(node, given, channels), false};
    };
    const auto [scale, by_group] = affine(1);
    const Tensor bias = affine(2).first;
    const Tensor shaped = by_group ? normal : ir::view(node, normal, x.shape());
    const Tensor result = ir::add(node, ir::mul(node, shaped, scale), bias);
    node.set_output(0, ir::view(node, result, x.shape()));
}

}  // namespace npuscope::onnx_model
