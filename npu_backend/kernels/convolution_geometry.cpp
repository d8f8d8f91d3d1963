#include "npu_backend/kernels/convolution_geometry.h"

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

/// A place on three axes that counts up in C order.
struct Place {
    Three at{};

    Place(int64_t index, const Three& size) {
        at[2] = index % size[2];
        at[1] = index / size[2] % size[1];
        at[0] = index / (size[2] * size[1]);
    }
    void next(const Three& size) {
        if (++at[2] < size[2]) return;
        at[2] = 0;
        if (++at[1] < size[1]) return;
        at[1] = 0;
        ++at[0];
    }
};

bool inside(const Three& at, const Three& size) {
    return at[0] >= 0 && at[0] < size[0] && at[1] >= 0 && at[1] < size[1] && at[2] >= 0 &&
           at[2] < size[2];
}

int64_t offset(const Three& at, const Three& size) {
    return (at[0] * size[1] + at[1]) * size[2] + at[2];
}

/// A run of output pixels of one line: columns [begin, begin + count) of the panel.
struct Run {
    Three origin;  ///< of tap 0 in the image
    int64_t begin, count;
};

std::vector<Run> runs_of(const ConvolutionGeometry& g, int64_t first, int64_t count) {
    std::vector<Run> runs;
    Place place(first, g.out);
    for (int64_t i = 0; i < count;) {
        const int64_t length = std::min(count - i, g.out[2] - place.at[2]);
        Run run{{}, i, length};
        for (size_t axis = 0; axis < 3; ++axis)
            run.origin[axis] = place.at[axis] * g.stride[axis] - g.pad[axis];
        runs.push_back(run);
        i += length;
        place.at[2] += length - 1;
        place.next(g.out);
    }
    return runs;
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

template <class W>
PackPanel<W> image_columns(const ConvolutionGeometry& g, const W* image) {
    return [g, image](int64_t first, int64_t count, int64_t width, W* panel) {
        const std::vector<Run> runs = runs_of(g, first, count);
        const int64_t step = g.stride[2];
        for (int64_t c = 0; c < g.group_inputs(); ++c) {
            const W* channel = image + c * g.pixels();
            Place tap(0, g.taps);
            for (int64_t t = 0; t < g.tap_count(); ++t, tap.next(g.taps), panel += width) {
                for (const Run& run : runs) {
                    W* to = panel + run.begin;
                    const int64_t d = run.origin[0] + tap.at[0] * g.dilation[0];
                    const int64_t h = run.origin[1] + tap.at[1] * g.dilation[1];
                    const int64_t w = run.origin[2] + tap.at[2] * g.dilation[2];
                    if (d < 0 || d >= g.size[0] || h < 0 || h >= g.size[1]) {
                        std::fill_n(to, run.count, W{0});
                        continue;
                    }
                    const W* line = channel + (d * g.size[1] + h) * g.size[2];
                    // The part of the run that lies in the line.
                    const int64_t low = std::clamp<int64_t>((step - 1 - w) / step, 0, run.count);
                    const int64_t last = g.size[2] - 1 - w;
                    const int64_t high =
                        last < 0 ? low : std::clamp<int64_t>(last / step + 1, low, run.count);
                    std::fill_n(to, low, W{0});
                    if (step == 1)
                        std::copy_n(line + w + low, high - low, to + low);
                    else
                        for (int64_t i = low; i < high; ++i)
                            to[i] = line[w + i * step];
                    std::fill_n(to + high, run.count - high, W{0});
                }
                std::fill(panel + count, panel + width, W{0});
            }
        }
    };
}

template <class W>
PackPanel<W> gradient_columns(const ConvolutionGeometry& g, const W* gradient) {
    return [g, gradient](int64_t first, int64_t count, int64_t width, W* panel) {
        // Where each (tap, column) reads in a channel of the gradient; -1 for nothing.
        std::vector<int64_t> reads(static_cast<size_t>(g.tap_count() * count));
        Place tap(0, g.taps);
        for (int64_t t = 0; t < g.tap_count(); ++t, tap.next(g.taps)) {
            Place place(first, g.size);
            for (int64_t i = 0; i < count; ++i, place.next(g.size)) {
                Three at{};
                bool met = true;
                for (size_t axis = 0; axis < 3; ++axis) {
                    const int64_t reach =
                        place.at[axis] + g.pad[axis] - tap.at[axis] * g.dilation[axis];
                    met = met && reach >= 0 && reach % g.stride[axis] == 0;
                    at[axis] = reach / g.stride[axis];
                }
                reads[static_cast<size_t>(t * count + i)] =
                    met && inside(at, g.out) ? offset(at, g.out) : -1;
            }
        }
        for (int64_t o = 0; o < g.group_outputs(); ++o) {
            const W* channel = gradient + o * g.out_pixels();
            const int64_t* read = reads.data();
            for (int64_t t = 0; t < g.tap_count(); ++t, panel += width) {
                for (int64_t i = 0; i < count; ++i, ++read)
                    panel[i] = *read < 0 ? W{0} : channel[*read];
                std::fill(panel + count, panel + width, W{0});
            }
        }
    };
}

template <class W>
PackPanel<W> weight_columns(const ConvolutionGeometry& g, const W* images) {
    return [g, images](int64_t first, int64_t count, int64_t width, W* panel) {
        for (int64_t n = 0; n < g.batch; ++n) {
            const W* image = images + n * g.inputs * g.pixels();
            Place pixel(0, g.out);
            for (int64_t p = 0; p < g.out_pixels(); ++p, pixel.next(g.out), panel += width) {
                for (int64_t i = 0; i < count; ++i) {
                    const int64_t channel = (first + i) / g.tap_count();
                    const Place tap((first + i) % g.tap_count(), g.taps);
                    Three at{};
                    for (size_t axis = 0; axis < 3; ++axis)
                        at[axis] = pixel.at[axis] * g.stride[axis] - g.pad[axis] +
                                   tap.at[axis] * g.dilation[axis];
                    panel[i] = inside(at, g.size) ? image[channel * g.pixels() + offset(at, g.size)]
                                                  : W{0};
                }
                std::fill(panel + count, panel + width, W{0});
            }
        }
    };
}

#define NPUSCOPE_COLUMNS(W)                                                          \
    template PackPanel<W> image_columns<W>(const ConvolutionGeometry&, const W*);    \
    template PackPanel<W> gradient_columns<W>(const ConvolutionGeometry&, const W*); \
    template PackPanel<W> weight_columns<W>(const ConvolutionGeometry&, const W*);
NPUSCOPE_COLUMNS(float)
NPUSCOPE_COLUMNS(double)
#undef NPUSCOPE_COLUMNS

}  // namespace npuscope::backend
