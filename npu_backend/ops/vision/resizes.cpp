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

/// The row's argument is the mode.
NamedValues resizing(const Lowering& op, const IntList& size, FloatList scales) {
    return {{"size", size},
            {"mode", std::string(op.argument())},
            {"align_corners", op.argument() != "nearest" && op.flag("align_corners")},
            {"scales", std::move(scales)}};
}

void require_image(const Lowering& op, const Shape& shape, size_t spatial) {
    if (shape.size() != spatial + 2)
        op.reject("a tensor of " + std::to_string(spatial + 2) + " dimensions is needed, not " +
                  to_string(shape));
}

template <size_t kSpatial>
void lower_resize(Lowering& op) {
    const Tensor self = op.tensor("self");
    require_image(op, self.shape(), kSpatial);
    op.result(op.launch(op.kernel(),
                        {self},
                        resizing(op, op.sizes("output_size", kSpatial), scales_of(op, kSpatial))),
              op.declared("self"));
}

template <size_t kSpatial>
void lower_resize_gradient(Lowering& op) {
    const IntList& input = op.ints("input_size");
    require_image(op, input, kSpatial);
    NamedValues values = resizing(op, op.sizes("output_size", kSpatial), scales_of(op, kSpatial));
    values.push_back({"input_size", input});
    op.result(op.launch(op.kernel(), {op.tensor("grad_output")}, std::move(values)),
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

void lower_either(Lowering& op) {
    const Tensor input = op.tensor("input");
    auto [size, scales] = size_of_output(op, input.shape());
    op.result(op.launch(op.kernel(), {input}, resizing(op, size, std::move(scales))),
              op.declared("input"));
}

void lower_either_gradient(Lowering& op) {
    const IntList& input = op.ints("input_size");
    auto [size, scales] = size_of_output(op, input);
    NamedValues values = resizing(op, size, std::move(scales));
    values.push_back({"input_size", input});
    op.result(op.launch(op.kernel(), {op.tensor("grad_output")}, std::move(values)),
              op.declared("grad_output"));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a row an op
std::span<const OpRow> resizes_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema =
             "upsample_nearest1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor",
         .launches = {"UpsampleNearest1d"},
         .source = "table",
         .lower = lower_resize<1>,
         .argument = "nearest"},
        {.schema = "upsample_nearest2d(Tensor self, int[2] output_size, float? scales_h=None, "
                   "float? scales_w=None) -> Tensor",
         .launches = {"ResizeNearestNeighborV2"},
         .source = "table",
         .lower = lower_resize<2>,
         .argument = "nearest"},
        {.schema = "upsample_nearest2d.vec(Tensor input, int[]? output_size, float[]? "
                   "scale_factors) -> Tensor",
         .launches = {"ResizeNearestNeighborV2"},
         .lower = lower_either,
         .argument = "nearest"},
        {.schema = "upsample_nearest3d(Tensor self, int[3] output_size, float? scales_d=None, "
                   "float? scales_h=None, float? scales_w=None) -> Tensor",
         .launches = {"UpsampleNearest3d"},
         .source = "table",
         .lower = lower_resize<3>,
         .argument = "nearest"},
        {.schema = "upsample_linear1d(Tensor self, int[1] output_size, bool align_corners, float? "
                   "scales=None) -> Tensor",
         .launches = {"ResizeD"},
         .source = "table",
         .lower = lower_resize<1>,
         .argument = "linear"},
        {.schema = "upsample_bilinear2d(Tensor self, int[2] output_size, bool align_corners, "
                   "float? scales_h=None, float? scales_w=None) -> Tensor",
         .launches = {"ResizeBilinearV2"},
         .source = "table",
         .lower = lower_resize<2>,
         .argument = "linear"},
        {.schema = "upsample_bilinear2d.vec(Tensor input, int[]? output_size, bool align_corners, "
                   "float[]? scale_factors) -> Tensor",
         .launches = {"ResizeBilinearV2"},
         .lower = lower_either,
         .argument = "linear"},
        {.schema = "upsample_trilinear3d(Tensor self, int[3] output_size, bool align_corners, "
                   "float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
         .launches = {"UpsampleTrilinear3d"},
         .source = "table",
         .lower = lower_resize<3>,
         .argument = "linear"},
        {.schema = "upsample_bicubic2d(Tensor self, int[2] output_size, bool align_corners, float? "
                   "scales_h=None, float? scales_w=None) -> Tensor",
         .launches = {"ResizeD"},
         .source = "table",
         .lower = lower_resize<2>,
         .argument = "cubic"},
        {.schema = "upsample_nearest1d_backward(Tensor grad_output, int[1] output_size, int[3] "
                   "input_size, float? scales=None) -> Tensor",
         .launches = {"UpsampleNearest1dGrad"},
         .source = "table",
         .lower = lower_resize_gradient<1>,
         .argument = "nearest"},
        {.schema = "upsample_nearest2d_backward(Tensor grad_output, int[2] output_size, int[4] "
                   "input_size, float? scales_h=None, float? scales_w=None) -> Tensor",
         .launches = {"ResizeNearestNeighborV2Grad"},
         .source = "table",
         .lower = lower_resize_gradient<2>,
         .argument = "nearest"},
        {.schema = "upsample_nearest3d_backward(Tensor grad_output, int[3] output_size, int[5] "
                   "input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) "
                   "-> Tensor",
         .launches = {"UpsampleNearest3dGrad"},
         .source = "table",
         .lower = lower_resize_gradient<3>,
         .argument = "nearest"},
        {.schema = "upsample_nearest2d_backward.vec(Tensor grad_output, int[]? output_size, int[] "
                   "input_size, float[]? scale_factors) -> Tensor",
         .launches = {"ResizeNearestNeighborV2Grad"},
         .lower = lower_either_gradient,
         .argument = "nearest"},
        {.schema = "upsample_bilinear2d_backward.vec(Tensor grad_output, int[]? output_size, int[] "
                   "input_size, bool align_corners, float[]? scale_factors) -> Tensor",
         .launches = {"ResizeBilinearV2Grad"},
         .lower = lower_either_gradient,
         .argument = "linear"},
        {.schema = "upsample_linear1d_backward(Tensor grad_output, int[1] output_size, int[3] "
                   "input_size, bool align_corners, float? scales=None) -> Tensor",
         .launches = {"ResizeGradD"},
         .source = "table",
         .lower = lower_resize_gradient<1>,
         .argument = "linear"},
        {.schema = "upsample_bilinear2d_backward(Tensor grad_output, int[2] output_size, int[4] "
                   "input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> "
                   "Tensor",
         .launches = {"ResizeBilinearV2Grad"},
         .source = "table",
         .lower = lower_resize_gradient<2>,
         .argument = "linear"},
        {.schema = "upsample_trilinear3d_backward(Tensor grad_output, int[3] output_size, int[5] "
                   "input_size, bool align_corners, float? scales_d=None, float? scales_h=None, "
                   "float? scales_w=None) -> Tensor",
         .launches = {"UpsampleTrilinear3dGrad"},
         .source = "table",
         .lower = lower_resize_gradient<3>,
         .argument = "linear"},
        {.schema = "upsample_bicubic2d_backward(Tensor grad_output, int[2] output_size, int[4] "
                   "input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> "
                   "Tensor",
         .launches = {"ResizeGradD"},
         .source = "table",
         .lower = lower_resize_gradient<2>,
         .argument = "cubic"},
    });
    return kRows;
}

}  // namespace npuscope::backend
