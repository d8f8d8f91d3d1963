// Resizing of images and its gradient.
#include <array>
#include <utility>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// The scales that were given, one a spatial axis; 0 where there was none.
FloatList scales_of(const Lowering& op, size_t spatial) {
    constexpr auto kNames = std::to_array<const char*>({"scales_d", "scales_h", "scales_w"});
    FloatList scales(spatial, 0.0);
    if (spatial == 1) {
        if (op.has("scales")) scales[0] = op.number("scales");
        return scales;
    }
    for (size_t i = 0; i < spatial; ++i)
        if (op.has(kNames[3 - spatial + i])) scales[i] = op.number(kNames[3 - spatial + i]);
    return scales;
}

NamedValues attributes(const IntList& size, const char* mode, bool align, FloatList scales) {
    return {{"size", size},
            {"mode", std::string(mode)},
            {"align_corners", align},
            {"scales", std::move(scales)}};
}

void require_image(const Lowering& op, const Shape& shape, size_t spatial) {
    if (shape.size() != spatial + 2)
        op.reject("a tensor of " + std::to_string(spatial + 2) + " dimensions is needed, not " +
                  to_string(shape));
}

template <const char* kKernel, const char* kMode, size_t kSpatial>
void lower_resize(Lowering& op) {
    constexpr bool kAligns = std::string_view(kMode) != "nearest";
    const Tensor self = op.tensor("self");
    require_image(op, self.shape(), kSpatial);
    op.result(op.launch(kKernel,
                        {self},
                        attributes(op.sizes("output_size", kSpatial),
                                   kMode,
                                   kAligns && op.flag("align_corners"),
                                   scales_of(op, kSpatial))),
              op.declared("self"));
}

template <const char* kKernel, const char* kMode, size_t kSpatial>
void lower_gradient(Lowering& op) {
    constexpr bool kAligns = std::string_view(kMode) != "nearest";
    const IntList& input = op.ints("input_size");
    require_image(op, input, kSpatial);
    NamedValues values = attributes(op.sizes("output_size", kSpatial),
                                    kMode,
                                    kAligns && op.flag("align_corners"),
                                    scales_of(op, kSpatial));
    values.push_back({"input_size", input});
    op.result(op.launch(kKernel, {op.tensor("grad_output")}, std::move(values)),
              op.declared("grad_output"));
}

/// The output's size, given as such or by factors to each size, and those factors.
std::pair<IntList, FloatList> size_of_output(const Lowering& op, const Shape& input) {
    require_image(op, input, 2);
    if (op.has("output_size") == op.has("scale_factors"))
        op.reject("output_size or scale_factors is needed, not both");
    if (op.has("output_size")) return {op.sizes("output_size", 2), FloatList(2, 0.0)};
    const auto scales = std::get<FloatList>(op.given("scale_factors"));
    if (scales.size() != 2) op.reject("scale_factors needs 2 numbers");
    IntList size;
    for (size_t i = 0; i < 2; ++i)
        size.push_back(static_cast<int64_t>(static_cast<double>(input[2 + i]) * scales[i]));
    return {size, scales};
}

template <const char* kKernel, const char* kMode>
void lower_either(Lowering& op) {
    constexpr bool kAligns = std::string_view(kMode) != "nearest";
    const Tensor input = op.tensor("input");
    auto [size, scales] = size_of_output(op, input.shape());
    op.result(
        op.launch(kKernel,
                  {input},
                  attributes(size, kMode, kAligns && op.flag("align_corners"), std::move(scales))),
        op.declared("input"));
}

template <const char* kKernel, const char* kMode>
void lower_either_gradient(Lowering& op) {
    constexpr bool kAligns = std::string_view(kMode) != "nearest";
    const IntList& input = op.ints("input_size");
    auto [size, scales] = size_of_output(op, input);
    NamedValues values =
        attributes(size, kMode, kAligns && op.flag("align_corners"), std::move(scales));
    values.push_back({"input_size", input});
    op.result(op.launch(kKernel, {op.tensor("grad_output")}, std::move(values)),
              op.declared("grad_output"));
}

constexpr char kNearest[] = "nearest";
constexpr char kLinear[] = "linear";
constexpr char kCubic[] = "cubic";
constexpr char kNearest1d[] = "UpsampleNearest1d";
constexpr char kNearest2d[] = "ResizeNearestNeighborV2";
constexpr char kNearest3d[] = "UpsampleNearest3d";
constexpr char kBilinear[] = "ResizeBilinearV2";
constexpr char kTrilinear[] = "UpsampleTrilinear3d";
constexpr char kGeneral[] = "ResizeD";
constexpr char kNearest1dGrad[] = "UpsampleNearest1dGrad";
constexpr char kNearest2dGrad[] = "ResizeNearestNeighborV2Grad";
constexpr char kNearest3dGrad[] = "UpsampleNearest3dGrad";
constexpr char kBilinearGrad[] = "ResizeBilinearV2Grad";
constexpr char kTrilinearGrad[] = "UpsampleTrilinear3dGrad";
constexpr char kGeneralGrad[] = "ResizeGradD";

constexpr auto kRows = std::to_array<OpRow>({
    {"upsample_nearest1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor",
     "UpsampleNearest1d",
     "table",
     lower_resize<kNearest1d, kNearest, 1>},
    {"upsample_nearest2d(Tensor self, int[2] output_size, float? scales_h=None, float? "
     "scales_w=None) -> Tensor",
     "ResizeNearestNeighborV2",
     "table",
     lower_resize<kNearest2d, kNearest, 2>},
    {"upsample_nearest2d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor",
     "ResizeNearestNeighborV2",
     "ours",
     lower_either<kNearest2d, kNearest>},
    {"upsample_nearest3d(Tensor self, int[3] output_size, float? scales_d=None, float? "
     "scales_h=None, float? scales_w=None) -> Tensor",
     "UpsampleNearest3d",
     "table",
     lower_resize<kNearest3d, kNearest, 3>},
    {"upsample_linear1d(Tensor self, int[1] output_size, bool align_corners, float? scales=None) "
     "-> Tensor",
     "ResizeD",
     "table",
     lower_resize<kGeneral, kLinear, 1>},
    {"upsample_bilinear2d(Tensor self, int[2] output_size, bool align_corners, float? "
     "scales_h=None, float? scales_w=None) -> Tensor",
     "ResizeBilinearV2",
     "table",
     lower_resize<kBilinear, kLinear, 2>},
    {"upsample_bilinear2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? "
     "scale_factors) -> Tensor",
     "ResizeBilinearV2",
     "ours",
     lower_either<kBilinear, kLinear>},
    {"upsample_trilinear3d(Tensor self, int[3] output_size, bool align_corners, float? "
     "scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
     "UpsampleTrilinear3d",
     "table",
     lower_resize<kTrilinear, kLinear, 3>},
    {"upsample_bicubic2d(Tensor self, int[2] output_size, bool align_corners, float? "
     "scales_h=None, float? scales_w=None) -> Tensor",
     "ResizeD",
     "table",
     lower_resize<kGeneral, kCubic, 2>},
    {"upsample_nearest1d_backward(Tensor grad_output, int[1] output_size, int[3] input_size, "
     "float? scales=None) -> Tensor",
     "UpsampleNearest1dGrad",
     "table",
     lower_gradient<kNearest1dGrad, kNearest, 1>},
    {"upsample_nearest2d_backward(Tensor grad_output, int[2] output_size, int[4] input_size, "
     "float? scales_h=None, float? scales_w=None) -> Tensor",
     "ResizeNearestNeighborV2Grad",
     "table",
     lower_gradient<kNearest2dGrad, kNearest, 2>},
    {"upsample_nearest3d_backward(Tensor grad_output, int[3] output_size, int[5] input_size, "
     "float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
     "UpsampleNearest3dGrad",
     "table",
     lower_gradient<kNearest3dGrad, kNearest, 3>},
    {"upsample_nearest2d_backward.vec(Tensor grad_output, int[]? output_size, int[] input_size, "
     "float[]? scale_factors) -> Tensor",
     "ResizeNearestNeighborV2Grad",
     "ours",
     lower_either_gradient<kNearest2dGrad, kNearest>},
    {"upsample_bilinear2d_backward.vec(Tensor grad_output, int[]? output_size, int[] input_size, "
     "bool align_corners, float[]? scale_factors) -> Tensor",
     "ResizeBilinearV2Grad",
     "ours",
     lower_either_gradient<kBilinearGrad, kLinear>},
    {"upsample_linear1d_backward(Tensor grad_output, int[1] output_size, int[3] input_size, bool "
     "align_corners, float? scales=None) -> Tensor",
     "ResizeGradD",
     "table",
     lower_gradient<kGeneralGrad, kLinear, 1>},
    {"upsample_bilinear2d_backward(Tensor grad_output, int[2] output_size, int[4] input_size, bool "
     "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
     "ResizeBilinearV2Grad",
     "table",
     lower_gradient<kBilinearGrad, kLinear, 2>},
    {"upsample_trilinear3d_backward(Tensor grad_output, int[3] output_size, int[5] input_size, "
     "bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> "
     "Tensor",
     "UpsampleTrilinear3dGrad",
     "table",
     lower_gradient<kTrilinearGrad, kLinear, 3>},
    {"upsample_bicubic2d_backward(Tensor grad_output, int[2] output_size, int[4] input_size, bool "
     "align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
     "ResizeGradD",
     "table",
     lower_gradient<kGeneralGrad, kCubic, 2>},
});

}  // namespace

extern const std::span<const OpRow> k_resizes_ops;
const std::span<const OpRow> k_resizes_ops = kRows;

}  // namespace npuscope::backend
