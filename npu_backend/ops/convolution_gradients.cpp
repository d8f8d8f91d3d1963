// Gradients of convolutions: 2-D on the Cube, 1-D as 2-D of height 1.
#include <array>

#include "npu_backend/ops/cube_inputs.h"
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
    return {{"strides", IntList{1, 1, stride[0], stride[1]}},
            {"pads", IntList{padding[0], padding[0], padding[1], padding[1]}},
            {"dilations", IntList{1, 1, dilation[0], dilation[1]}},
            {"groups", op.integer("groups")},
            {"data_format", std::string("NCHW")}};
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
};

Tensor input_gradient(Lowering& op, const Gradient& g) {
    const NamedValues attributes = with(g.attributes, "output_dtype", g.output);
    const Tensor dx = g.transposed
                          ? op.launch("Conv2D", {g.dy, g.filter}, attributes)
                          : op.launch("Conv2DBackpropInput",
                                      {g.dy, g.filter},
                                      with(attributes, "input_size", IntList(g.x.shape())));
    return op.format_cast(dx, "NC1HWC0", "NCHW");
}

/// A transposed convolution's filter has met its gradient where a plain one's has met its input.
/// Always float32. Source: CANN operator Conv2DBackpropFilter.
Tensor filter_gradient(Lowering& op, const Gradient& g) {
    const DType output =
        g.output == DType::kFloat64 ? DType::kFloat64 : op.numerics().held(DType::kFloat32);
    const NamedValues attributes =
        with(with(g.attributes, "output_dtype", output), "filter_size", IntList(g.filter.shape()));
    return op.format_cast(op.launch("Conv2DBackpropFilter",
                                    {g.transposed ? g.x : g.dy, g.transposed ? g.dy : g.x},
                                    attributes),
                          "FRACTAL_Z",
                          "NCHW");
}

void lower_convolution_backward(Lowering& op) {
    const Tensor& given = op.raw("grad_output");
    const Tensor& input = op.raw("input");
    const Tensor& weight = op.raw("weight");
    if (input.ndim() != weight.ndim() || given.ndim() != input.ndim() || input.ndim() < 3 ||
        input.ndim() > 4)
        op.reject("grad_output " + to_string(given.shape()) + ", input " +
                  to_string(input.shape()) + " and weight " + to_string(weight.shape()) +
                  " must all have 3 or 4 dimensions");
    const std::vector<bool>& wanted = op.mask("output_mask", 3);
    const DType declared = given.dtype();
    CubeInputs inputs = cube_inputs(
        op,
        {planar(op.tensor("grad_output")), planar(op.tensor("input")), planar(op.tensor("weight"))},
        declared,
        CubeUse::kConvolution);
    const Gradient g{op.format_cast(inputs.tensors[0], "NCHW", "NC1HWC0"),
                     op.format_cast(inputs.tensors[1], "NCHW", "NC1HWC0"),
                     op.format_cast(inputs.tensors[2], "NCHW", "FRACTAL_Z"),
                     attributes(op, static_cast<size_t>(input.ndim() - 2)),
                     inputs.output,
                     op.flag("transposed")};
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

constexpr auto kRows = std::to_array<OpRow>({
    {"convolution_backward(Tensor grad_output, Tensor input, Tensor weight, int[]? bias_sizes, "
     "int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int "
     "groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
     "Cast of float32 operands where the Cube takes none; TransData; Conv2DBackpropInput (Conv2D "
     "when transposed), Conv2DBackpropFilter, Cast; ReduceSum for the bias",
     "spec",
     lower_convolution_backward},
});

}  // namespace

extern const std::span<const OpRow> k_convolution_gradients_ops;
const std::span<const OpRow> k_convolution_gradients_ops = kRows;

}  // namespace npuscope::backend
