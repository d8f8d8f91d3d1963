// Resize and Upsample: each axis is a weighted sum of elements picked by index.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

/// How one axis changes.
struct AxisResize {
    int64_t from = 0;
    int64_t to = 0;
    double scale = 1;
    double roi_begin = 0;
    double roi_end = 1;
};

/// For each tap: which element each output place reads, and with what weight.
struct Taps {
    std::vector<IntList> index;
    std::vector<std::vector<double>> weight;
    std::vector<bool> outside;  ///< places that take the extrapolation value
};

struct Settings {
    std::string mode;
    std::string coordinates;
    std::string nearest;
    double cubic_a = -0.75;
    bool exclude_outside = false;
    bool antialias = false;
};

/// Source: ONNX Operators, Resize, coordinate_transformation_mode.
double original_place(const NodeRun& node,
                      const Settings& how,
                      const AxisResize& axis,
                      int64_t at) {
    const auto x = static_cast<double>(at);
    const auto from = static_cast<double>(axis.from);
    // With scales the length is not the rounded one: ONNX's reference counts so.
    const double to = from * axis.scale;
    if (how.coordinates == "asymmetric") return x / axis.scale;
    if (how.coordinates == "half_pixel") return (x + 0.5) / axis.scale - 0.5;
    if (how.coordinates == "pytorch_half_pixel") return to > 1 ? (x + 0.5) / axis.scale - 0.5 : 0.0;
    if (how.coordinates == "align_corners") return to > 1 ? x * (from - 1) / (to - 1) : 0.0;
    if (how.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
    if (how.coordinates == "half_pixel_symmetric") {
        const double adjustment = static_cast<double>(axis.to) / to;
        return from / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
    }
    node.require(how.coordinates == "tf_crop_and_resize",
                 "coordinate_transformation_mode is not one of ONNX's");
    if (to > 1)
        return axis.roi_begin * (from - 1) +
               x * (axis.roi_end - axis.roi_begin) * (from - 1) / (to - 1);
    return 0.5 * (axis.roi_begin + axis.roi_end) * (from - 1);
}

double rounded_place(const NodeRun& node, const Settings& how, double place) {
    if (how.nearest == "round_prefer_floor") return std::ceil(place - 0.5);
    if (how.nearest == "round_prefer_ceil") return std::floor(place + 0.5);
    if (how.nearest == "floor") return std::floor(place);
    node.require(how.nearest == "ceil", "nearest_mode is not one of ONNX's");
    return std::ceil(place);
}

/// Weights of the four neighbours at distance `t` past the second.
/// Source: Keys, Cubic Convolution Interpolation (1981), equation 4 with free a.
std::array<double, 4> cubic_weights(double t, double a) {
    const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

/// Weight of a neighbour at `distance` in the filter without stretching.
double filter_weight(const Settings& how, double distance) {
    const double d = std::abs(distance);
    if (how.mode == "linear") return std::max(0.0, 1 - d);
    if (d <= 1) return cubic_weights(d, how.cubic_a)[1];
    return d < 2 ? cubic_weights(d - 1, how.cubic_a)[0] : 0.0;
}

/// The filter stretched over what a smaller result averages, its weights adding up to 1.
/// Source: ONNX Operators, Resize, antialias.
Taps stretched_taps(const NodeRun& node, const Settings& how, const AxisResize& axis) {
    const double radius = (how.mode == "linear" ? 1 : 2) / axis.scale;
    node.require(radius < 67108864.0, "a scale is too small to be meant");
    const auto before = static_cast<int64_t>(std::ceil(radius)) - 1;
    const int64_t count = 2 * before + 2;
    require_host_size({count, axis.to});
    Taps taps{std::vector<IntList>(static_cast<size_t>(count)),
              std::vector<std::vector<double>>(static_cast<size_t>(count)),
              {}};
    const auto last = static_cast<double>(axis.from - 1);
    for (int64_t at = 0; at < axis.to; ++at) {
        const double place = original_place(node, how, axis, at);
        taps.outside.push_back(how.coordinates == "tf_crop_and_resize" &&
                               (place < 0 || place > last));
        const double first = std::floor(place) - static_cast<double>(before);
        std::vector<double> weights;
        double sum = 0;
        for (int64_t k = 0; k < count; ++k) {
            const double read = first + static_cast<double>(k);
            const bool counts = !how.exclude_outside || (read >= 0 && read <= last);
            weights.push_back(counts ? filter_weight(how, axis.scale * (read - place)) : 0.0);
            sum += weights.back();
            taps.index[static_cast<size_t>(k)].push_back(
                static_cast<int64_t>(std::clamp(read, 0.0, last)));
        }
        for (int64_t k = 0; k < count; ++k)
            taps.weight[static_cast<size_t>(k)].push_back(
                sum == 0 ? 0.0 : weights[static_cast<size_t>(k)] / sum);
    }
    return taps;
}

Taps read_taps(const NodeRun& node, const Settings& how, const AxisResize& axis) {
    if (how.antialias && how.mode != "nearest" && axis.scale < 1)
        return stretched_taps(node, how, axis);
    const size_t count = how.mode == "nearest" ? 1 : (how.mode == "linear" ? 2 : 4);
    require_host_size({static_cast<int64_t>(4 * count), axis.to});
    Taps taps{std::vector<IntList>(count), std::vector<std::vector<double>>(count), {}};
    for (int64_t at = 0; at < axis.to; ++at) {
        const double place = original_place(node, how, axis, at);
        taps.outside.push_back(how.coordinates == "tf_crop_and_resize" &&
                               (place < 0 || place > static_cast<double>(axis.from - 1)));
        std::array<double, 4> weights = {1, 0, 0, 0};
        double first = count == 1 ? rounded_place(node, how, place) : std::floor(place);
        const double t = place - first;
        if (count == 2) weights = {1 - t, t, 0, 0};
        if (count == 4) {
            weights = cubic_weights(t, how.cubic_a);
            first -= 1;
        }
        double sum = 0;
        for (size_t k = 0; k < count; ++k) {
            const double read = first + static_cast<double>(k);
            if (how.exclude_outside && (read < 0 || read >= static_cast<double>(axis.from)))
                weights[k] = 0;
            sum += weights[k];
            taps.index[k].push_back(
                static_cast<int64_t>(std::clamp(read, 0.0, static_cast<double>(axis.from - 1))));
        }
        for (size_t k = 0; k < count; ++k)
            taps.weight[k].push_back(how.exclude_outside ? weights[k] / sum : weights[k]);
    }
    return taps;
}

Tensor along(const std::vector<double>& values, const Tensor& x, int64_t axis) {
    Shape shape(static_cast<size_t>(x.ndim()), 1);
    shape[static_cast<size_t>(axis)] = static_cast<int64_t>(values.size());
    return Tensor::from<double>(shape, std::span<const double>(values)).cast(x.dtype());
}

Tensor resized_axis(
    NodeRun& node, const Tensor& x, int64_t axis, const Taps& taps, double extrapolation) {
    Tensor sum;
    for (size_t k = 0; k < taps.index.size(); ++k) {
        Tensor part = ir::take(node, x, axis, taps.index[k]);
        if (taps.index.size() > 1) part = ir::mul(node, part, along(taps.weight[k], x, axis));
        sum = k == 0 ? part : ir::add(node, sum, part);
    }
    if (std::ranges::count(taps.outside, true) == 0) return sum;
    const std::vector<double> flags(taps.outside.begin(), taps.outside.end());
    const Tensor outside = along(flags, x, axis).cast(DType::kBool);
    return ir::where(node, outside, ir::number_like(x, extrapolation), sum);
}

std::vector<double> numbers(const NodeRun& node, size_t index) {
    std::vector<double> values;
    if (node.has_input(index))
        for (int64_t i = 0; i < node.input(index).numel(); ++i)
            values.push_back(node.input(index).at(i));
    return values;
}

void resize(NodeRun& node,
            const Settings& how,
            const std::vector<double>& scales,
            const IntList& sizes,
            const std::vector<double>& roi) {
    Tensor x = node.input(0);
    IntList axes = node.attribute("axes", ir::iota(x.ndim()));
    for (int64_t& axis : axes)
        axis = node.axis_from_front(axis, x.ndim());
    const size_t count = axes.size();
    node.require(scales.size() == count || sizes.size() == count,
                 "scales or sizes must have one number for each axis");
    double common = 0;
    const std::string policy = node.attribute("keep_aspect_ratio_policy", "stretch");
    if (!sizes.empty() && policy != "stretch")
        for (size_t i = 0; i < count; ++i) {
            const double scale =
                static_cast<double>(sizes[i]) / static_cast<double>(x.dim(axes[i]));
            common = i == 0                   ? scale
                     : policy == "not_larger" ? std::min(common, scale)
                                              : std::max(common, scale);
        }
    for (size_t i = 0; i < count; ++i) {
        AxisResize axis;
        axis.from = x.dim(axes[i]);
        node.require(axis.from > 0, "an axis has no elements");
        const auto from = static_cast<double>(axis.from);
        if (sizes.empty()) {
            axis.scale = scales[i];
            node.require(axis.scale > 0 && from * axis.scale < 2147483648.0,
                         "a scale is not positive or too large");
            axis.to = static_cast<int64_t>(std::floor(from * axis.scale));
        } else {
            node.require(sizes[i] >= 0 && common * from < 2147483648.0, "a size is too large");
            axis.to = common > 0 ? static_cast<int64_t>(std::round(common * from)) : sizes[i];
            axis.scale = common > 0 ? common : static_cast<double>(sizes[i]) / from;
        }
        require_host_size({axis.to});
        if (roi.size() == 2 * count) {
            axis.roi_begin = roi[i];
            axis.roi_end = roi[i + count];
        }
        const bool crops = how.coordinates == "tf_crop_and_resize";
        if (axis.from == axis.to && axis.scale == 1 && !crops) continue;
        x = resized_axis(node,
                         x,
                         axes[i],
                         read_taps(node, how, axis),
                         node.attribute("extrapolation_value", 0.0));
    }
    node.set_output(0, std::move(x));
}

}  // namespace

/// Operator set 10 has no roi and is asymmetric with floor.
void lower_resize(NodeRun& node) {
    const bool old = node.opset() < 11;
    Settings how{
        node.attribute("mode", "nearest"),
        node.attribute("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
        node.attribute("nearest_mode", old ? "floor" : "round_prefer_floor"),
        node.attribute("cubic_coeff_a", -0.75),
        node.attribute("exclude_outside", int64_t{0}) != 0,
        node.attribute("antialias", int64_t{0}) != 0};
    node.require(how.mode == "nearest" || how.mode == "linear" || how.mode == "cubic",
                 "mode is not nearest, linear or cubic");
    if (old) {
        resize(node, how, numbers(node, 1), {}, {});
        return;
    }
    const bool by_size = node.has_input(3) && node.input(3).numel() > 0;
    resize(node,
           how,
           by_size ? std::vector<double>{} : numbers(node, 2),
           by_size ? node.ints(3) : IntList{},
           numbers(node, 1));
}

void lower_upsample(NodeRun& node) {
    Settings how{node.attribute("mode", "nearest"), "asymmetric", "floor"};
    if (how.mode == "bilinear") how.mode = "linear";
    std::vector<double> scales =
        node.has_input(1) ? numbers(node, 1) : node.floats_attribute("scales");
    if (scales.empty())
        scales = {1, 1, node.attribute("height_scale", 1.0), node.attribute("width_scale", 1.0)};
    resize(node, how, scales, {}, {});
}

}  // namespace npuscope::onnx_model
