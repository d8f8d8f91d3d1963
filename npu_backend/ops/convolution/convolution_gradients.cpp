// Gradients of convolutions: 2-D and 3-D on the Cube, 1-D as 2-D of height 1.
#include <array>

#include "npu_backend/ops/linear/cube_inputs.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// One-dimensional tensors with a height of 1.
Tensor planar(const Tensor& tensor) {
    const Shape& shape = tensor.shape();
    return shape.size() == 3 ? tensor.reshaped({shape[0], shape[1], 1, shape[2]}) : tensor;
}

IntList planar(IntList list, int64_t fill) {
    if (list.size() == 1) list.insert(list.begin(), fill);
    return list;
}

NamedValues attributes(const Lowering& op, size_t count) {
    const IntList stride = planar(op.sizes("stride", count, 1), 1);
    const IntList padding = planar(op.sizes("padding", count, 0), 0);
    const IntList dilation = planar(op.sizes("dilation", count, 1), 1);
    IntList strides = {1, 1};
    IntList pads;
    IntList dilations = {1, 1};
    for (size_t i = 0; i < stride.size(); ++i) {
        strides.push_back(stride[i]);
        pads.insert(pads.end(), {padding[i], padding[i]});
        dilations.push_back(dilation[i]);
    }
    return {{"strides", std::move(strides)},
            {"pads", std::move(pads)},
            {"dilations", std::move(dilations)},
            {"groups", op.integer("groups")},
            {"data_format", std::string(count == 3 ? "NCDHW" : "NCHW")}};
}

NamedValues with(NamedValues values, std::string name, Value value) {
    values.push_back({std::move(name), std::move(value)});
    return values;
}

/// The three operands on the Cube, and what the two convolutions share.
struct Gradient {
    Tensor dy, x, filter;
    NamedValues attributes;
    DType output;
    bool transposed;
    bool volume;

    [[nodiscard]] const char* kernel(const char* planar, const char* spatial) const {
        return volume ? spatial : planar;
    }
};

Tensor input_gradient(Lowering& op, const Gradient& g) {
    const NamedValues attributes = with(g.attributes, "output_dtype", g.output);
    const Tensor dx = g.transposed
                          ? op.launch(g.kernel("Conv2D", "Conv3D"), {g.dy, g.filter}, attributes)
                          : op.launch(g.kernel("Conv2DBackpropInput", "Conv3DBackpropInput"),
                                      {g.dy, g.filter},
                                      with(attributes, "input_size", IntList(g.x.shape())));
    return op.format_cast(dx, g.kernel("NC1HWC0", "NDC1HWC0"), g.kernel("NCHW", "NCDHW"));
}

/// A transposed convolution's filter has met its gradient where a plain one's has met its input.
/// Always float32. Source: CANN operator Conv2DBackpropFilter.
Tensor filter_gradient(Lowering& op, const Gradient& g) {
    const DType output =
        g.output == DType::kFloat64 ? DType::kFloat64 : op.numerics().held(DType::kFloat32);
    const NamedValues attributes =
        with(with(g.attributes, "output_dtype", output), "filter_size", IntList(g.filter.shape()));
    return op.format_cast(op.launch(g.kernel("Conv2DBackpropFilter", "Conv3DBackpropFilter"),
                                    {g.transposed ? g.x : g.dy, g.transposed ? g.dy : g.x},
                                    attributes),
                          g.kernel("FRACTAL_Z", "FRACTAL_Z_3D"),
                          g.kernel("NCHW", "NCDHW"),
                          op.integer("groups"));
}

void lower_convolution_backward(Lowering& op) {
    const Tensor& given = op.raw("grad_output");
    const Tensor& input = op.raw("input");
    const Tensor& weight = op.raw("weight");
    if (input.ndim() != weight.ndim() || given.ndim() != input.ndim() || input.ndim() < 3 ||
        input.ndim() > 5)
        op.reject("grad_output " + to_string(given.shape()) + ", input " +
                  to_string(input.shape()) + " and weight " + to_string(weight.shape()) +
                  " must all have 3 to 5 dimensions");
    const std::vector<bool>& wanted = op.mask("output_mask", 3);
    const DType declared = given.dtype();
    CubeInputs inputs = cube_inputs(
        op,
        {planar(op.tensor("grad_output")), planar(op.tensor("input")), planar(op.tensor("weight"))},
        declared,
        CubeUse::kConvolution);
    const bool volume = input.ndim() == 5;
    const char* plain = volume ? "NCDHW" : "NCHW";
    const char* blocked = volume ? "NDC1HWC0" : "NC1HWC0";
    const Gradient g{
        op.format_cast(inputs.tensors[0], plain, blocked),
        op.format_cast(inputs.tensors[1], plain, blocked),
        op.format_cast(
            inputs.tensors[2], plain, volume ? "FRACTAL_Z_3D" : "FRACTAL_Z", op.integer("groups")),
        attributes(op, static_cast<size_t>(input.ndim() - 2)),
        inputs.output,
        op.flag("transposed"),
        volume};
    if (wanted[0])
        op.result(input_gradient(op, g).reshaped(input.shape()), input.dtype());
    else
        op.no_result();
    if (wanted[1])
        op.result(filter_gradient(op, g).reshaped(weight.shape()), weight.dtype());
    else
        op.no_result();
    if (!wanted[2]) {
        op.no_result();
        return;
    }
    const Tensor lines = op.tensor("grad_output").reshaped({given.dim(0), given.dim(1), -1});
    op.result(op.launch("ReduceSum", {lines}, {{"axes", IntList{0, 2}}, {"keep_dims", false}}),
              declared);
}

}  // namespace

std::span<const OpRow> convolution_gradients_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema =
             "convolution_backward(Tensor grad_output, Tensor input, Tensor weight, int[]? "
             "bias_sizes, int[] stride, int[] padding, int[] dilation, bool transposed, int[] "
             "output_padding, int groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
         .launches = {"Cast",
                      "TransData",
                      "Conv2DBackpropInput",
                      "Conv3DBackpropInput",
                      "Conv2D",
                      "Conv3D",
                      "Conv2DBackpropFilter",
                      "Conv3DBackpropFilter",
                      "ReduceSum"},
         .note = "Cast of float32 operands where the Cube takes none; TransData; "
                 "Conv2DBackpropInput (Conv2D when transposed), Conv2DBackpropFilter, Cast (Conv3D "
                 "likewise); ReduceSum for the bias",
         .source = "spec",
         .lower = lower_convolution_backward,
         .sum = "result2"},
    });
    return kRows;
}

}  // namespace npuscope::backend
