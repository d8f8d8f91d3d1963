// Resizing of one to three axes by nearest, linear or cubic interpolation, and its gradient.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "npu_backend/kernels/vision/resample.h"

namespace npuscope::backend {

namespace {

enum class Mode : uint8_t { kNearest, kLinear, kCubic };

/// How output places map to input places along one axis.
struct AxisMap {
    int64_t size, out;
    std::optional<double> factor;  ///< as the caller gave it
    bool align_corners;

    [[nodiscard]] double step() const {
        if (align_corners)
            return out > 1 ? static_cast<double>(size - 1) / static_cast<double>(out - 1) : 0.0;
        return factor && *factor > 0 ? 1.0 / *factor
                                     : static_cast<double>(size) / static_cast<double>(out);
    }
    /// Half pixel centres unless the corners are aligned.
    [[nodiscard]] double place(int64_t o) const {
        const auto at = static_cast<double>(o);
        return align_corners ? at * step() : (at + 0.5) * step() - 0.5;
    }
};

std::vector<Tap> nearest(const AxisMap& map, int64_t o) {
    const auto at = static_cast<int64_t>(std::floor(static_cast<double>(o) * map.step()));
    return {{std::min(at, map.size - 1), 1.0}};
}

std::vector<Tap> linear(const AxisMap& map, int64_t o) {
    const double place = std::max(map.place(o), 0.0);
    const int64_t left = std::min(static_cast<int64_t>(place), map.size - 1);
    const int64_t right = std::min(left + 1, map.size - 1);
    const double part = std::clamp(place - static_cast<double>(left), 0.0, 1.0);
    return {{left, 1.0 - part}, {right, part}};
}

/// Keys' cubic convolution with a = -0.75; places outside count as the edge.
std::vector<Tap> cubic(const AxisMap& map, int64_t o) {
    constexpr double kA = -0.75;
    const auto near = [](double x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
    const auto far = [](double x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
    const double place = map.place(o);
    const double left = std::floor(place);
    const double part = place - left;
    const std::array<double, 4> weights = {
        far(part + 1), near(part), near(1 - part), far(2 - part)};
    std::vector<Tap> taps;
    for (int64_t i = 0; i < 4; ++i)
        taps.push_back({std::clamp<int64_t>(static_cast<int64_t>(left) - 1 + i, 0, map.size - 1),
                        weights[static_cast<size_t>(i)]});
    return taps;
}

/// Attributes size (of the output), scales (one a spatial axis, 0 where none was given),
/// align_corners, mode.
TapVolume volume_of(const KernelCall& call, const Shape& input, const IntList& output) {
    const std::string& text = call.text("mode");
    const Mode mode = text == "nearest"  ? Mode::kNearest
                      : text == "linear" ? Mode::kLinear
                                         : Mode::kCubic;
    const auto* scales = find(call.attributes, "scales");
    const auto* given = scales == nullptr ? nullptr : std::get_if<FloatList>(scales);
    if (input.size() < output.size() || output.empty() || output.size() > 3)
        call.reject("size " + to_string(output) + " does not fit input " + to_string(input));
    TapVolume volume;
    for (size_t i = 0; i < output.size(); ++i) {
        AxisMap map{input[input.size() - output.size() + i],
                    output[i],
                    std::nullopt,
                    call.flag("align_corners")};
        if (map.size < 1 || map.out < 1)
            call.reject("an axis without elements in " + to_string(input));
        if (given != nullptr && (*given)[i] > 0) map.factor = (*given)[i];
        TapAxis& axis = volume[3 - output.size() + i];
        axis = {map.size, {}};
        for (int64_t o = 0; o < map.out; ++o)
            axis.taps.push_back(mode == Mode::kNearest  ? nearest(map, o)
                                : mode == Mode::kLinear ? linear(map, o)
                                                        : cubic(map, o));
    }
    return volume;
}

void run_resize(KernelCall& call) {
    const Tensor& x = call.input(0);
    const IntList& size = call.ints("size");
    call.outputs = {resampled(call, x, volume_of(call, x.shape(), size), size.size())};
}

/// Attribute input_size: the shape of the forward kernel's input.
void run_resize_gradient(KernelCall& call) {
    const Shape& shape = call.ints("input_size");
    call.outputs = {
        resampled_gradient(call, call.input(0), shape, volume_of(call, shape, call.ints("size")))};
}

}  // namespace

std::span<const Kernel> resize_kernels() {
    constexpr std::string_view kFormula =
        "weighted sum of the input elements around (o + 1/2) in/out - 1/2 (o in/out for nearest, o "
        "(in - 1)/(out - 1) with align_corners)";
    constexpr std::string_view kGradient =
        "each output's gradient times its weights, at its elements";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "UpsampleNearest1d",
         .formula = kFormula,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize},
        {.type = "UpsampleNearest1dGrad",
         .formula = kGradient,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize_gradient},
        {.type = "ResizeNearestNeighborV2",
         .formula = kFormula,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize},
        {.type = "ResizeNearestNeighborV2Grad",
         .formula = kGradient,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize_gradient},
        {.type = "UpsampleNearest3d",
         .formula = kFormula,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize},
        {.type = "UpsampleNearest3dGrad",
         .formula = kGradient,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize_gradient},
        {.type = "ResizeBilinearV2",
         .formula = kFormula,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize},
        {.type = "ResizeBilinearV2Grad",
         .formula = kGradient,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize_gradient},
        {.type = "UpsampleTrilinear3d",
         .formula = kFormula,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize},
        {.type = "UpsampleTrilinear3dGrad",
         .formula = kGradient,
         .dtypes = kThroughFloat32,
         .source = "CANN operator of this name; steps ours",
         .run = run_resize_gradient},
        {.type = "ResizeD",
         .formula = kFormula,
         .dtypes = kThroughFloat32,
         .source = ", linear on one axis or cubic; steps ours",
         .run = run_resize},
        {.type = "ResizeGradD",
         .formula = kGradient,
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_resize_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
