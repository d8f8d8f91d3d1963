// Convolutions on the Cube: columns of the image (im2col), then a matrix product a group.
#include <array>
#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/cube.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

/// Sizes of a 2-D convolution; weights are [outputs, inputs / groups, kh, kw].
struct Geometry {
    int64_t batch, inputs, height, width;
    int64_t outputs, kh, kw, groups;
    int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    int64_t out_h, out_w;

    [[nodiscard]] int64_t group_inputs() const { return inputs / groups; }
    [[nodiscard]] int64_t group_outputs() const { return outputs / groups; }
    [[nodiscard]] int64_t depth() const { return group_inputs() * kh * kw; }
    [[nodiscard]] int64_t pixels() const { return out_h * out_w; }
    [[nodiscard]] bool pointwise() const {
        return kh == 1 && kw == 1 && stride_h == 1 && stride_w == 1 && pad_h == 0 && pad_w == 0;
    }
};

[[noreturn]] void misfit(const KernelCall& call) {
    throw Error(ErrorKind::kUsage,
                "input " + to_string(call.input(0).shape()) + " and weight " +
                    to_string(call.input(1).shape()) +
                    " do not fit a convolution with these groups, strides and padding");
}

void read_attributes(const KernelCall& call, Geometry& g) {
    const IntList& strides = call.ints("strides");
    const IntList& pads = call.ints("pads");
    const IntList& dilations = call.ints("dilations");
    g.stride_h = strides[2];
    g.stride_w = strides[3];
    g.pad_h = pads[0];
    g.pad_w = pads[2];
    g.dilation_h = dilations[2];
    g.dilation_w = dilations[3];
    g.groups = call.integer("groups");
    if (call.input(0).ndim() != 4 || call.input(1).ndim() != 4 || g.groups < 1 ||
        std::min({g.stride_h, g.stride_w, g.dilation_h, g.dilation_w}) < 1 ||
        std::min(g.pad_h, g.pad_w) < 0)
        misfit(call);
}

Geometry forward_geometry(const KernelCall& call) {
    Geometry g{};
    read_attributes(call, g);
    const Shape& x = call.input(0).shape();
    const Shape& w = call.input(1).shape();
    g.batch = x[0];
    g.inputs = x[1];
    g.height = x[2];
    g.width = x[3];
    g.outputs = w[0];
    g.kh = w[2];
    g.kw = w[3];
    g.out_h = (g.height + 2 * g.pad_h - g.dilation_h * (g.kh - 1) - 1) / g.stride_h + 1;
    g.out_w = (g.width + 2 * g.pad_w - g.dilation_w * (g.kw - 1) - 1) / g.stride_w + 1;
    if (g.inputs != w[1] * g.groups || g.outputs % g.groups != 0 ||
        g.height + 2 * g.pad_h < g.dilation_h * (g.kh - 1) + 1 ||
        g.width + 2 * g.pad_w < g.dilation_w * (g.kw - 1) + 1)
        misfit(call);
    return g;
}

/// columns[c, i, j, oh, ow] = the element that filter tap (i, j) of channel c meets; 0 in the
/// padding.
template <class W>
void image_to_columns(const Geometry& g, const W* image, W* columns) {
    for (int64_t c = 0; c < g.group_inputs(); ++c)
        for (int64_t i = 0; i < g.kh; ++i)
            for (int64_t j = 0; j < g.kw; ++j)
                for (int64_t oh = 0; oh < g.out_h; ++oh) {
                    const int64_t h = oh * g.stride_h - g.pad_h + i * g.dilation_h;
                    const bool inside = h >= 0 && h < g.height;
                    const W* line = image + (c * g.height + h) * g.width;
                    for (int64_t ow = 0; ow < g.out_w; ++ow) {
                        const int64_t w = ow * g.stride_w - g.pad_w + j * g.dilation_w;
                        *columns++ = inside && w >= 0 && w < g.width ? line[w] : W{0};
                    }
                }
}

template <class W>
void columns_to_image(const Geometry& g, const W* columns, W* image) {
    for (int64_t c = 0; c < g.group_inputs(); ++c)
        for (int64_t i = 0; i < g.kh; ++i)
            for (int64_t j = 0; j < g.kw; ++j)
                for (int64_t oh = 0; oh < g.out_h; ++oh) {
                    const int64_t h = oh * g.stride_h - g.pad_h + i * g.dilation_h;
                    const bool inside = h >= 0 && h < g.height;
                    W* line = image + (c * g.height + h) * g.width;
                    for (int64_t ow = 0; ow < g.out_w; ++ow, ++columns) {
                        const int64_t w = ow * g.stride_w - g.pad_w + j * g.dilation_w;
                        if (inside && w >= 0 && w < g.width) line[w] += *columns;
                    }
                }
}

bool reads_hf32(const KernelCall& call) {
    return !call.numerics.reference() && call.numerics.device.chip->conv_hf32 &&
           call.input(0).dtype() == DType::kFloat32;
}

template <class W>
std::vector<W> bias_of(KernelCall& call, int64_t outputs) {
    if (call.inputs.size() < 3) return {};
    if (call.input(2).numel() != outputs) misfit(call);
    return cube_operand<W>(call.input(2), false, call.status);
}

/// The bias is the accumulators' first value. Source: Mmad, bias table.
template <class W>
std::vector<W> first_values(const std::vector<W>& bias, int64_t planes, int64_t pixels) {
    std::vector<W> c(static_cast<size_t>(planes * pixels), W{0});
    if (bias.empty()) return c;
    for (int64_t plane = 0; plane < planes; ++plane)
        std::fill_n(
            c.begin() + plane * pixels, pixels, bias[static_cast<size_t>(plane) % bias.size()]);
    return c;
}

template <class W>
void convolve(KernelCall& call, DType output) {
    const Geometry g = forward_geometry(call);
    const bool hf32 = reads_hf32(call);
    const std::vector<W> x = cube_operand<W>(call.input(0), hf32, call.status);
    const std::vector<W> weight = cube_operand<W>(call.input(1), hf32, call.status);
    const std::vector<W> bias = bias_of<W>(call, g.outputs);
    std::vector<W> c = first_values<W>(bias, g.batch * g.outputs, g.pixels());
    const bool small = g.batch * g.outputs * g.pixels() * g.depth() < 100000;
    std::mutex mutex;
    parallel_for(g.batch, small ? 1 : call.numerics.threads, [&](int64_t image) {
        std::vector<W> columns(g.pointwise() ? 0 : static_cast<size_t>(g.depth() * g.pixels()));
        FloatStatus status;
        for (int64_t group = 0; group < g.groups; ++group) {
            const W* pixels =
                x.data() + (image * g.inputs + group * g.group_inputs()) * g.height * g.width;
            if (!g.pointwise()) image_to_columns(g, pixels, columns.data());
            const int64_t first = group * g.group_outputs();
            const Product<W> part{.a = weight.data() + first * g.depth(),
                                  .transpose_a = false,
                                  .b = g.pointwise() ? pixels : columns.data(),
                                  .transpose_b = false,
                                  .c = c.data() + (image * g.outputs + first) * g.pixels(),
                                  .m = g.group_outputs(),
                                  .n = g.pixels(),
                                  .k = g.depth(),
                                  .bias = bias.empty() ? nullptr : bias.data() + first};
            multiply_add(part);
            check_accumulators(part, status);
        }
        const std::lock_guard guard(mutex);
        call.status.merge(status);
    });
    call.outputs = {copy_out(c, output, {g.batch, g.outputs, g.out_h, g.out_w}, call)};
}

/// The geometry of the convolution whose input gradient this is: weights [inputs, outputs/groups,
/// kh, kw] of the transposed convolution are that convolution's own.
Geometry transposed_geometry(const KernelCall& call) {
    Geometry g{};
    read_attributes(call, g);
    const Shape& x = call.input(0).shape();
    const Shape& w = call.input(1).shape();
    const IntList& extra = call.ints("output_padding");
    g.batch = x[0];
    g.outputs = x[1];
    g.out_h = x[2];
    g.out_w = x[3];
    g.inputs = w[1] * g.groups;
    g.kh = w[2];
    g.kw = w[3];
    g.height = (g.out_h - 1) * g.stride_h - 2 * g.pad_h + g.dilation_h * (g.kh - 1) + extra[0] + 1;
    g.width = (g.out_w - 1) * g.stride_w - 2 * g.pad_w + g.dilation_w * (g.kw - 1) + extra[1] + 1;
    if (w[0] != g.outputs || g.outputs % g.groups != 0 || g.height < 0 || g.width < 0) misfit(call);
    return g;
}

template <class W>
void convolve_transposed(KernelCall& call, DType output) {
    const Geometry g = transposed_geometry(call);
    const bool hf32 = reads_hf32(call);
    const std::vector<W> x = cube_operand<W>(call.input(0), hf32, call.status);
    const std::vector<W> weight = cube_operand<W>(call.input(1), hf32, call.status);
    const int64_t pixels = g.height * g.width;
    const std::vector<W> bias = bias_of<W>(call, g.inputs);
    std::vector<W> result = first_values<W>(bias, g.batch * g.inputs, pixels);
    std::mutex mutex;
    parallel_for(g.batch, call.numerics.threads, [&](int64_t image) {
        std::vector<W> columns;
        FloatStatus status;
        for (int64_t group = 0; group < g.groups; ++group) {
            columns.assign(static_cast<size_t>(g.depth() * g.pixels()), W{0});
            const int64_t first = group * g.group_outputs();
            const Product<W> part{.a = weight.data() + first * g.depth(),
                                  .transpose_a = true,
                                  .b = x.data() + (image * g.outputs + first) * g.pixels(),
                                  .transpose_b = false,
                                  .c = columns.data(),
                                  .m = g.depth(),
                                  .n = g.pixels(),
                                  .k = g.group_outputs()};
            multiply_add(part);
            check_accumulators(part, status);
            W* out = result.data() + (image * g.inputs + group * g.group_inputs()) * pixels;
            columns_to_image(g, columns.data(), out);
        }
        const std::lock_guard guard(mutex);
        call.status.merge(status);
    });
    if (!call.status.input_non_finite() && !all_finite(std::span<const W>(result)))
        call.status.raise(FloatStatus::kCubeOverflow);
    call.outputs = {copy_out(result, output, {g.batch, g.inputs, g.height, g.width}, call)};
}

template <bool kTransposed>
void run_convolution(KernelCall& call) {
    const DType dtype = call.input(0).dtype();
    require_cube_dtype(call, dtype);
    if (call.input(1).dtype() != dtype) call.refuse(call.input(1).dtype());
    const DType output = call.dtype("output_dtype").value_or(dtype);
    const auto run = [&]<class W>() {
        if constexpr (kTransposed)
            convolve_transposed<W>(call, output);
        else
            convolve<W>(call, output);
    };
    if (dtype == DType::kFloat64)
        run.template operator()<double>();
    else
        run.template operator()<float>();
}

constexpr std::string_view kDTypes =
    "float16, bfloat16 and float32 where the chip's Cube takes them (float32 as HF32 where the "
    "chip says so), accumulated in float32; float64 in float64; result in output_dtype";
constexpr std::string_view kSource =
    "CANN operator of this name, Intrinsic_mmad; the order of the sum inside the Cube is not "
    "public, the BLAS library's here";

constexpr auto kRows = std::to_array<Kernel>({
    {"Conv2D",
     "y[n,o,p] = bias[o] + sum over c,i,j of x[n,c,p*stride-pad+(i,j)*dilation] filter[o,c,i,j]",
     kDTypes,
     kSource,
     run_convolution<false>},
    {"Conv2DTranspose",
     "the input gradient of Conv2D with this filter, plus bias",
     kDTypes,
     kSource,
     run_convolution<true>},
});

}  // namespace

extern const std::span<const Kernel> k_convolution_kernels;
const std::span<const Kernel> k_convolution_kernels = kRows;

}  // namespace npuscope::backend
