// Convolutions: 2-D and 3-D on the Cube, 1-D as 2-D of height 1.
#include <array>

#include "npu_backend/ops/convolution/planes.h"
#include "npu_backend/ops/linear/cube_inputs.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// What the two forms of the kernel share.
struct Arguments {
    IntList stride, padding, dilation, output_padding;
};

Arguments spatial(const Lowering& op, size_t count) {
    return {op.sizes("stride", count, 1),
            op.sizes("padding", count, 0),
            op.sizes("dilation", count, 1),
            op.sizes("output_padding", count, 0)};
}

NamedValues attributes(const Arguments& a, int64_t groups, bool transposed, DType output) {
    IntList strides = {1, 1};
    IntList pads;
    IntList dilations = {1, 1};
    for (size_t i = 0; i < a.stride.size(); ++i) {
        strides.push_back(a.stride[i]);
        pads.insert(pads.end(), {a.padding[i], a.padding[i]});
        dilations.push_back(a.dilation[i]);
    }
    NamedValues values = {{"strides", std::move(strides)},
                          {"pads", std::move(pads)},
                          {"dilations", std::move(dilations)},
                          {"groups", groups},
                          {"data_format", std::string(a.stride.size() == 3 ? "NCDHW" : "NCHW")},
                          {"output_dtype", output}};
    if (transposed) values.push_back({"output_padding", a.output_padding});
    return values;
}

void lower_convolution(Lowering& op) {
    const Tensor& input = op.raw("input");
    const bool one_dimensional = input.ndim() == 3;
    if (input.ndim() != op.raw("weight").ndim() || input.ndim() < 3 || input.ndim() > 5)
        op.reject("input " + to_string(input.shape()) + " and weight " +
                  to_string(op.raw("weight").shape()) + " must both have 3 to 5 dimensions");
    Arguments spatial_arguments = spatial(op, static_cast<size_t>(input.ndim() - 2));
    Tensor x = op.tensor("input");
    Tensor weight = op.tensor("weight");
    if (one_dimensional) {
        x = with_height(x);
        weight = with_height(weight);
        for (auto [list, fill] : {std::pair{&spatial_arguments.stride, int64_t{1}},
                                  std::pair{&spatial_arguments.padding, int64_t{0}},
                                  std::pair{&spatial_arguments.dilation, int64_t{1}},
                                  std::pair{&spatial_arguments.output_padding, int64_t{0}}})
            list->insert(list->begin(), fill);
    }
    const bool transposed = op.flag("transposed");
    // Integers are accumulated, and given, in int32.
    const DType declared = is_float(input.dtype()) ? input.dtype() : DType::kInt32;
    CubeInputs inputs = cube_inputs(op, {x, weight}, declared, CubeUse::kConvolution);
    const bool volume = input.ndim() == 5;
    const char* plain = volume ? "NCDHW" : "NCHW";
    const char* blocked = volume ? "NDC1HWC0" : "NC1HWC0";
    std::vector<Tensor> operands = {
        op.format_cast(inputs.tensors[0], plain, blocked),
        op.format_cast(
            inputs.tensors[1], plain, volume ? "FRACTAL_Z_3D" : "FRACTAL_Z", op.integer("groups"))};
    if (op.has("bias")) operands.push_back(op.tensor("bias"));
    const char* kernel = volume       ? (transposed ? "Conv3DTranspose" : "Conv3D")
                         : transposed ? "Conv2DTranspose"
                                      : "Conv2D";
    Tensor y =
        op.launch(kernel,
                  std::move(operands),
                  attributes(spatial_arguments, op.integer("groups"), transposed, inputs.output));
    y = op.format_cast(y, blocked, plain);
    if (one_dimensional) {
        const Shape& shape = y.shape();
        y = y.reshaped({shape[0], shape[1], shape[3]});
    }
    op.result(std::move(y), declared);
}

}  // namespace

std::span<const OpRow> convolutions_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema =
             "convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, "
             "int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor",
         .launches =
             {"Cast", "TransData", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"},
         .note =
             "Cast(x), Cast(filter) where the Cube takes no float32; TransData(x), "
             "TransData(filter), Conv2D or Conv2DTranspose (Conv3D, Conv3DTranspose), TransData(y)",
         .source = "spec",
         .lower = lower_convolution},
    });
    return kRows;
}

}  // namespace npuscope::backend
