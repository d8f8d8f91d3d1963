// Operators that repeat, surround or move whole blocks of elements, or make them from numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::onnx_model {

namespace {

/// Pads of every axis: begin of each, then end of each.
IntList read_pads(const NodeRun& node, int64_t ndim) {
    IntList pads = node.has_input(1)
                       ? node.ints(1)
                       : node.attribute("pads", node.attribute("paddings", IntList{}));
    IntList axes = ir::iota(ndim);
    if (node.has_input(3)) {
        axes.clear();
        for (const int64_t axis : node.ints(3))
            axes.push_back(node.axis_from_front(axis, ndim));
    }
    node.require(pads.size() == 2 * axes.size(), "pads must have two numbers for each axis");
    for (const int64_t pad : pads)
        node.require(pad > -(int64_t{1} << 40) && pad < int64_t{1} << 40,
                     "a pad of " + std::to_string(pad) + " elements is too large to be meant");
    IntList all(static_cast<size_t>(2 * ndim), 0);
    for (size_t i = 0; i < axes.size(); ++i) {
        all[static_cast<size_t>(axes[i])] = pads[i];
        all[static_cast<size_t>(axes[i] + ndim)] = pads[axes.size() + i];
    }
    return all;
}

/// Which element of an axis of `size` stands at `at`, which may lie outside.
int64_t mirrored(const NodeRun& node, const std::string& mode, int64_t at, int64_t size) {
    if (mode == "edge") return std::clamp<int64_t>(at, 0, size - 1);
    if (mode == "wrap") return (at % size + size) % size;
    node.require(mode == "reflect", "mode is not constant, reflect, edge or wrap");
    if (size == 1) return 0;
    const int64_t period = 2 * (size - 1);
    const int64_t place = (at % period + period) % period;
    return place < size ? place : period - place;
}

Scalar pad_value(const NodeRun& node, DType dtype) {
    const double value = node.has_input(2) ? node.number(2) : node.attribute("value", 0.0);
    if (is_float(dtype)) return Scalar{value};
    return Scalar{static_cast<int64_t>(value)};
}

/// [N, C, H, W] seen as blocks, moved and seen as another shape.
Tensor rearranged(
    NodeRun& node, const Tensor& x, const Shape& blocks, const IntList& order, const Shape& shape) {
    return ir::view(node, ir::permute(node, ir::view(node, x, blocks), order), shape);
}

}  // namespace

void lower_pad(NodeRun& node) {
    Tensor x = node.input(0);
    const int64_t ndim = x.ndim();
    const IntList pads = read_pads(node, ndim);
    const std::string mode = node.attribute("mode", "constant");
    if (mode == "constant") {
        IntList last_first;
        for (int64_t axis = ndim; axis-- > 0;) {
            last_first.push_back(pads[static_cast<size_t>(axis)]);
            last_first.push_back(pads[static_cast<size_t>(axis + ndim)]);
        }
        node.set_output(
            0,
            node.call("constant_pad_nd",
                      {{"self", x}, {"pad", last_first}, {"value", pad_value(node, x.dtype())}}));
        return;
    }
    for (int64_t axis = 0; axis < ndim; ++axis) {
        const int64_t before = pads[static_cast<size_t>(axis)];
        const int64_t after = pads[static_cast<size_t>(axis + ndim)];
        if (before == 0 && after == 0) continue;
        node.require(x.dim(axis) > 0, "an axis without elements cannot be continued");
        require_host_size({x.dim(axis) + before + after});
        IntList index;
        for (int64_t at = -before; at < x.dim(axis) + after; ++at)
            index.push_back(mirrored(node, mode, at, x.dim(axis)));
        x = ir::take(node, x, axis, index);
    }
    node.set_output(0, std::move(x));
}

void lower_tile(NodeRun& node) {
    const Tensor& x = node.input(0);
    IntList repeats = node.ints(1);
    if (node.opset() < 6) {
        node.require(node.input_count() == 3, "tiles and axis are needed");
        const int64_t axis = node.axis_from_front(node.ints(2).at(0), x.ndim());
        const int64_t tiles = repeats.at(0);
        repeats.assign(static_cast<size_t>(x.ndim()), 1);
        repeats[static_cast<size_t>(axis)] = tiles;
    }
    node.require(static_cast<int64_t>(repeats.size()) == x.ndim(),
                 "repeats must have one number for each axis");
    Shape apart;
    Shape spread;
    Shape shape;
    for (size_t axis = 0; axis < repeats.size(); ++axis) {
        node.require(repeats[axis] >= 0, "a repeat is negative");
        apart.insert(apart.end(), {1, x.shape()[axis]});
        spread.insert(spread.end(), {repeats[axis], x.shape()[axis]});
        shape.push_back(numel_of(Shape{repeats[axis], x.shape()[axis]}));
    }
    static_cast<void>(numel_of(shape));
    node.set_output(0, ir::view(node, ir::expand(node, ir::view(node, x, apart), spread), shape));
}

void lower_depth_to_space(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t b = node.attribute("blocksize", int64_t{0});
    node.require(x.ndim() == 4 && b > 0 && b < (1 << 16) && x.dim(1) % (b * b) == 0,
                 "its channels do not split into blocks");
    const int64_t n = x.dim(0);
    const int64_t c = x.dim(1) / (b * b);
    const int64_t h = x.dim(2);
    const int64_t w = x.dim(3);
    const bool columns_first = node.attribute("mode", "DCR") == "CRD";
    node.set_output(
        0,
        columns_first
            ? rearranged(node, x, {n, c, b, b, h, w}, {0, 1, 4, 2, 5, 3}, {n, c, h * b, w * b})
            : rearranged(node, x, {n, b, b, c, h, w}, {0, 3, 4, 1, 5, 2}, {n, c, h * b, w * b}));
}

void lower_space_to_depth(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t b = node.attribute("blocksize", int64_t{0});
    node.require(x.ndim() == 4 && b > 0 && x.dim(2) % b == 0 && x.dim(3) % b == 0,
                 "its rows or columns do not split into blocks");
    const int64_t n = x.dim(0);
    const int64_t c = x.dim(1);
    const int64_t h = x.dim(2) / b;
    const int64_t w = x.dim(3) / b;
    node.set_output(
        0, rearranged(node, x, {n, c, h, b, w, b}, {0, 3, 5, 1, 2, 4}, {n, c * b * b, h, w}));
}

void lower_size(NodeRun& node) {
    node.set_known_output(0, Tensor::scalar<int64_t>(node.input(0).numel()));
}

void lower_cast_like(NodeRun& node) {
    node.set_output(0, ir::cast(node, node.input(0), node.input(1).dtype()));
}

void lower_eye_like(NodeRun& node) {
    const Tensor& x = node.input(0);
    node.require(x.ndim() == 2, "its input must be a matrix");
    const auto code = node.attribute("dtype", int64_t{info(x.dtype()).onnx_code});
    const int64_t k = node.attribute("k", int64_t{0});
    Tensor eye = Tensor::zeros(DType::kFloat64, x.shape());
    const auto elements = eye.mutable_as<double>();
    for (int64_t row = 0; row < x.dim(0); ++row)
        if (k >= -row && k < x.dim(1) - row)
            elements[static_cast<size_t>(row * x.dim(1) + row + k)] = 1;
    node.set_output(0, eye.cast(element_type(static_cast<int>(code), "its result")));
}

/// start + i * delta, in float64 for floats.
void lower_range(NodeRun& node) {
    const DType dtype = node.input(0).dtype();
    for (size_t i = 0; i < 3; ++i)
        node.require(node.input(i).numel() == 1 && node.input(i).dtype() == dtype,
                     "its inputs must be three numbers of one dtype");
    const double start = node.number(0);
    const double delta = node.number(2);
    node.require(delta != 0, "its step is 0");
    const double count = std::max(0.0, std::ceil((node.number(1) - start) / delta));
    node.require(count < 67108864.0, "it has too many elements");
    const auto first = static_cast<uint64_t>(is_float(dtype) ? 0 : node.ints(0)[0]);
    const auto step = static_cast<uint64_t>(is_float(dtype) ? 0 : node.ints(2)[0]);
    Tensor values(is_float(dtype) ? DType::kFloat64 : DType::kInt64, {static_cast<int64_t>(count)});
    for (int64_t i = 0; i < values.numel(); ++i)
        if (is_float(dtype))
            values.mutable_as<double>()[static_cast<size_t>(i)] =
                start + static_cast<double>(i) * delta;
        else
            values.mutable_as<int64_t>()[static_cast<size_t>(i)] =
                static_cast<int64_t>(first + static_cast<uint64_t>(i) * step);
    node.set_output(0, values.cast(dtype));
}

void lower_trilu(NodeRun& node) {
    const int64_t k = node.has_input(1) ? node.ints(1).at(0) : 0;
    node.set_output(0,
                    node.call(node.attribute("upper", int64_t{1}) != 0 ? "triu" : "tril",
                              {{"self", node.input(0)}, {"diagonal", k}}));
}

/// Indices count from the end when negative; outside the depth nothing is hot.
void lower_one_hot(NodeRun& node) {
    const Tensor indices = ir::cast(node, node.input(0), DType::kInt64);
    node.require(node.input(1).numel() == 1 && node.input(2).shape() == Shape{2},
                 "depth must be one number and values two");
    const auto depth = static_cast<int64_t>(node.number(1));
    node.require(depth >= 0, "its depth is negative");
    require_host_size({depth});
    const int64_t axis =
        node.axis_from_front(node.attribute("axis", int64_t{-1}), indices.ndim() + 1);
    const Tensor negative = ir::binary(node, "lt_Tensor", indices, Tensor::scalar<int64_t>(0));
    const Tensor wrapped =
        ir::where(node, negative, ir::add(node, indices, Tensor::scalar<int64_t>(depth)), indices);
    Shape places(static_cast<size_t>(indices.ndim() + 1), 1);
    places[static_cast<size_t>(axis)] = depth;
    const Tensor hot = ir::binary(node,
                                  "eq_Tensor",
                                  ir::unsqueeze(node, wrapped, axis),
                                  ir::int_tensor(ir::iota(depth)).reshaped(places));
    node.set_output(0,
                    ir::where(node,
                              hot,
                              ir::select(node, node.input(2), 0, 1),
                              ir::select(node, node.input(2), 0, 0)));
}

/// The first elements of each sequence backward, the rest as they are.
void lower_reverse_sequence(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t batch_axis = node.attribute("batch_axis", int64_t{1});
    const int64_t time_axis = node.attribute("time_axis", int64_t{0});
    node.require(x.ndim() >= 2 && (time_axis == 0 || time_axis == 1) && batch_axis == 1 - time_axis,
                 "its axes are not 0 and 1");
    const IntList lengths = node.ints(1);
    const int64_t times = x.dim(time_axis);
    node.require(static_cast<int64_t>(lengths.size()) == x.dim(batch_axis),
                 "a length is needed for each sequence");
    TensorList sequences;
    for (int64_t b = 0; b < x.dim(batch_axis); ++b) {
        const int64_t length = lengths[static_cast<size_t>(b)];
        node.require(length >= 0 && length <= times, "a sequence is longer than its axis");
        IntList order = ir::iota(times);
        std::reverse(order.begin(), order.begin() + length);
        sequences.push_back(
            ir::take(node, ir::slice(node, x, batch_axis, b, b + 1), time_axis, order));
    }
    node.require(!sequences.empty(), "there are no sequences");
    node.set_output(0, ir::cat(node, std::move(sequences), batch_axis));
}

}  // namespace npuscope::onnx_model
