#include "npu_backend/kernels/convolution/convolution_geometry.h"

#include <algorithm>

#include "core/base/error.h"

namespace npuscope::backend {

namespace {

using Three = ConvolutionGeometry::Three;

void read_attributes(const KernelCall& call, ConvolutionGeometry& g, size_t ndim) {
    const IntList& strides = call.ints("strides");
    const IntList& pads = call.ints("pads");
    const IntList& dilations = call.ints("dilations");
    g.groups = call.integer("groups");
    g.spatial = ndim - 2;
    if (ndim < 3 || ndim > 5 || strides.size() != ndim || dilations.size() != ndim ||
        pads.size() != 2 * g.spatial || g.groups < 1)
        convolution_misfit(call);
    for (size_t i = 0; i < g.spatial; ++i) {
        const size_t axis = 3 - g.spatial + i;
        g.stride[axis] = strides[2 + i];
        g.dilation[axis] = dilations[2 + i];
        g.pad[axis] = pads[2 * i];
        if (g.stride[axis] < 1 || g.dilation[axis] < 1 || g.pad[axis] < 0) convolution_misfit(call);
    }
}

Three spatial_of(const Shape& shape) {
    Three three{1, 1, 1};
    for (size_t i = 2; i < shape.size(); ++i)
        three[3 - (shape.size() - 2) + i - 2] = shape[i];
    return three;
}

}  // namespace

Shape ConvolutionGeometry::shape(int64_t channels, const Three& three) const {
    Shape whole = {batch, channels};
    whole.insert(whole.end(), three.end() - static_cast<std::ptrdiff_t>(spatial), three.end());
    return whole;
}

void convolution_misfit(const KernelCall& call) {
    throw Error(ErrorKind::kUsage,
                "input " + to_string(call.input(0).shape()) + " and weight " +
                    to_string(call.input(1).shape()) +
                    " do not fit a convolution with these groups, strides and padding");
}

ConvolutionGeometry forward_geometry(const KernelCall& call,
                                     const Shape& input,
                                     const Shape& weight) {
    ConvolutionGeometry g;
    if (input.size() != weight.size()) convolution_misfit(call);
    read_attributes(call, g, input.size());
    g.batch = input[0];
    g.inputs = input[1];
    g.outputs = weight[0];
    g.size = spatial_of(input);
    g.taps = spatial_of(weight);
    if (g.inputs != weight[1] * g.groups || g.outputs % g.groups != 0) convolution_misfit(call);
    for (size_t axis = 0; axis < 3; ++axis) {
        const int64_t reach =
            g.size[axis] + 2 * g.pad[axis] - g.dilation[axis] * (g.taps[axis] - 1) - 1;
        if (reach < 0) convolution_misfit(call);
        g.out[axis] = reach / g.stride[axis] + 1;
    }
    return g;
}

ConvolutionGeometry transposed_geometry(const KernelCall& call,
                                        const Shape& output,
                                        const Shape& weight) {
    ConvolutionGeometry g;
    if (output.size() != weight.size()) convolution_misfit(call);
    read_attributes(call, g, output.size());
    const IntList& extra = call.ints("output_padding");
    if (extra.size() != g.spatial) convolution_misfit(call);
    g.batch = output[0];
    g.outputs = output[1];
    g.inputs = weight[1] * g.groups;
    g.out = spatial_of(output);
    g.taps = spatial_of(weight);
    if (weight[0] != g.outputs || g.outputs % g.groups != 0) convolution_misfit(call);
    for (size_t axis = 3 - g.spatial; axis < 3; ++axis) {
        g.size[axis] = (g.out[axis] - 1) * g.stride[axis] - 2 * g.pad[axis] +
                       g.dilation[axis] * (g.taps[axis] - 1) + extra[axis - (3 - g.spatial)] + 1;
        if (g.size[axis] < 0) convolution_misfit(call);
    }
    return g;
}

}  // namespace npuscope::backend
