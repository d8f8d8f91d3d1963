// Windows, Fourier transforms and mel weights: products with matrices that follow from the sizes.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::onnx_model {

namespace {

/// a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n).
void lower_window(NodeRun& node, double a0, double a1, double a2) {
    const int64_t size = node.ints(0).at(0);
    node.require(size >= 0, "its size is negative");
    require_host_size({size});
    const bool periodic = node.attribute("periodic", int64_t{1}) != 0;
    const auto period = static_cast<double>(periodic ? size : size - 1);
    Tensor window(DType::kFloat64, {size});
    for (int64_t i = 0; i < size; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / period;
        window.mutable_as<double>()[static_cast<size_t>(i)] =
            a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle);
    }
    const auto code = static_cast<int>(node.attribute("output_datatype", int64_t{1}));
    node.set_output(0, window.cast(element_type(code, "its result")));
}

/// Real and imaginary parts of e^(∓ 2 pi i j k / n): [n, count], j down and k across.
std::pair<Tensor, Tensor> fourier_matrix(
    int64_t n, int64_t rows, int64_t count, bool inverse, DType dtype) {
    require_host_size({rows, count});
    Tensor real(DType::kFloat64, {rows, count});
    Tensor imaginary(DType::kFloat64, {rows, count});
    const auto re = real.mutable_as<double>();
    const auto im = imaginary.mutable_as<double>();
    const double scale = inverse ? 1.0 / static_cast<double>(n) : 1.0;
    for (int64_t j = 0; j < rows; ++j)
        for (int64_t k = 0; k < count; ++k) {
            const double angle =
                2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
            const auto at = static_cast<size_t>(j * count + k);
            re[at] = std::cos(angle) * scale;
            im[at] = (inverse ? 1 : -1) * std::sin(angle) * scale;
        }
    return {real.cast(dtype), imaginary.cast(dtype)};
}

/// Rows [m, n] with 1 (real) or 2 parts in the last axis of `x` [m, n, parts] -> [m, count, 2].
Tensor transformed(NodeRun& node, const Tensor& x, int64_t n, int64_t count, bool inverse) {
    const int64_t rows = x.dim(1);
    const auto [re, im] = fourier_matrix(n, rows, count, inverse, x.dtype());
    const Tensor a = ir::select(node, x, 2, 0);
    Tensor real = ir::matmul(node, a, re);
    Tensor imaginary = ir::matmul(node, a, im);
    if (x.dim(2) == 2) {
        const Tensor b = ir::select(node, x, 2, 1);
        real = ir::sub(node, real, ir::matmul(node, b, im));
        imaginary = ir::add(node, imaginary, ir::matmul(node, b, re));
    }
    return ir::cat(node, {ir::unsqueeze(node, real, 2), ir::unsqueeze(node, imaginary, 2)}, 2);
}

}  // namespace

void lower_hann_window(NodeRun& node) {
    lower_window(node, 0.5, 0.5, 0);
}

/// Source of the weights: ONNX Operators, HammingWindow.
void lower_hamming_window(NodeRun& node) {
    lower_window(node, 25.0 / 46.0, 1.0 - 25.0 / 46.0, 0);
}

void lower_blackman_window(NodeRun& node) {
    lower_window(node, 0.42, 0.5, 0.08);
}

void lower_dft(NodeRun& node) {
    Tensor x = node.input(0);
    node.require(x.ndim() >= 2 && (x.dim(-1) == 1 || x.dim(-1) == 2),
                 "its last axis must hold one or two parts");
    const bool by_input = node.opset() >= 20;
    int64_t axis = node.attribute("axis", int64_t{1});
    if (by_input) axis = node.has_input(2) ? node.ints(2).at(0) : -2;
    axis = node.axis_from_front(axis, x.ndim());
    node.require(axis != x.ndim() - 1, "its axis is that of the parts");
    const int64_t length = node.has_input(1) ? node.ints(1).at(0) : x.dim(axis);
    node.require(length >= 1, "its length is not positive");
    require_host_size({length, length});
    const bool inverse = node.attribute("inverse", int64_t{0}) != 0;
    const bool half = node.attribute("onesided", int64_t{0}) != 0;
    x = ir::slice(node, x, axis, 0, std::min(length, x.dim(axis)));
    // The axis goes before the parts, everything else becomes rows.
    IntList order = ir::iota(x.ndim());
    order.erase(order.begin() + axis);
    order.insert(order.end() - 1, axis);
    const Tensor moved = ir::permute(node, x, order);
    const int64_t count = half ? length / 2 + 1 : length;
    const Tensor rows =
        ir::view(node,
                 moved,
                 {moved.numel() / (moved.dim(-2) * moved.dim(-1)), moved.dim(-2), moved.dim(-1)});
    Shape shape = moved.shape();
    shape[shape.size() - 2] = count;
    shape.back() = 2;
    const Tensor result = ir::view(node, transformed(node, rows, length, count, inverse), shape);
    IntList back(order.size());
    for (size_t i = 0; i < order.size(); ++i)
        back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    node.set_output(0, ir::permute(node, result, back));
}

/// Frames that a window slides over, each transformed: [batch, frames, frequencies, 2].
void lower_stft(NodeRun& node) {
    Tensor x = node.input(0);
    if (x.ndim() == 2) x = ir::unsqueeze(node, x, 2);
    node.require(x.ndim() == 3, "its signal must have two or three dimensions");
    const int64_t step = node.ints(1).at(0);
    const int64_t length = node.has_input(3)   ? node.ints(3).at(0)
                           : node.has_input(2) ? node.input(2).numel()
                                               : 0;
    node.require(step >= 1 && length >= 1 && length <= x.dim(1), "its frames do not fit");
    const int64_t frames = (x.dim(1) - length) / step + 1;
    const bool half = node.attribute("onesided", int64_t{1}) != 0;
    const int64_t count = half ? length / 2 + 1 : length;
    TensorList spectra;
    for (int64_t i = 0; i < frames; ++i) {
        Tensor frame = ir::slice(node, x, 1, i * step, i * step + length);
        if (node.has_input(2))
            frame = ir::mul(node, frame, ir::view(node, node.input(2), {length, 1}));
        spectra.push_back(ir::unsqueeze(node, transformed(node, frame, length, count, false), 1));
    }
    node.set_output(0, ir::cat(node, std::move(spectra), 1));
}

/// Triangles over the spectrogram's bins, equally wide in mel. Source: ONNX Operators,
/// MelWeightMatrix.
void lower_mel_weight_matrix(NodeRun& node) {
    const int64_t bins = node.ints(0).at(0);
    const int64_t length = node.ints(1).at(0);
    const auto rate = static_cast<double>(node.ints(2).at(0));
    const double low = node.number(3);
    const double high = node.number(4);
    node.require(bins >= 1 && length >= 1 && rate > 0, "its sizes are not positive");
    const int64_t spectrum = length / 2 + 1;
    require_host_size({spectrum, bins});
    const auto to_mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double step = (to_mel(high) - to_mel(low)) / static_cast<double>(bins + 2);
    std::vector<int64_t> edges;
    for (int64_t i = 0; i < bins + 2; ++i) {
        const double mel = to_mel(low) + static_cast<double>(i) * step;
        const double hertz = 700 * (std::pow(10.0, mel / 2595) - 1);
        const double edge = std::floor((static_cast<double>(length) + 1) * hertz / rate);
        node.require(std::abs(edge) < 1099511627776.0, "its frequencies are too large");
        edges.push_back(static_cast<int64_t>(edge));
    }
    Tensor weights = Tensor::zeros(DType::kFloat64, {spectrum, bins});
    const auto out = weights.mutable_as<double>();
    const auto set = [&](int64_t row, int64_t column, double value) {
        if (row >= 0 && row < spectrum) out[static_cast<size_t>(row * bins + column)] = value;
    };
    for (int64_t i = 0; i < bins; ++i) {
        const auto at = static_cast<size_t>(i);
        const int64_t begin = edges[at];
        const int64_t middle = edges[at + 1];
        const int64_t end = edges[at + 2];
        if (middle == begin) set(middle, i, 1);
        const int64_t first = std::max<int64_t>(0, begin);
        for (int64_t j = first; middle > begin && j <= std::min(middle, spectrum - 1); ++j)
            set(j, i, static_cast<double>(j - begin) / static_cast<double>(middle - begin));
        for (int64_t j = std::max<int64_t>(0, middle); j < std::min(end, spectrum); ++j)
            set(j, i, static_cast<double>(end - j) / static_cast<double>(end - middle));
    }
    const auto code = static_cast<int>(node.attribute("output_datatype", int64_t{1}));
    node.set_output(0, weights.cast(element_type(code, "its result")));
}

}  // namespace npuscope::onnx_model
