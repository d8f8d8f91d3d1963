// Convolutions and their gradients on the Cube: one matrix product a group, its right side gathered
// from the image while it is packed.
#include <array>
#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "core/tensor/op_budget.h"
#include "npu_backend/kernels/convolution/convolution_columns.h"
#include "npu_backend/kernels/linear/cube.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

bool reads_hf32(const KernelCall& call) {
    return !call.numerics.reference() && call.numerics.device.options.conv_hf32 &&
           call.input(0).dtype() == DType::kFloat32;
}

bool adds_bias_last(const KernelCall& call) {
    return !call.numerics.reference() &&
           call.numerics.device.options.cube_bias == CubeBias::kPostAdd;
}

template <class W>
std::vector<W> bias_of(KernelCall& call, int64_t outputs) {
    if (call.inputs.size() < 3) return {};
    if (call.input(2).numel() != outputs) convolution_misfit(call);
    const CubeOperand<W> bias = cube_operand<W>(call, call.input(2), false);
    return {bias.data(), bias.data() + bias.size()};
}

template <class W>
void add_bias(const std::vector<W>& bias, std::span<W> c, int64_t pixels) {
    if (bias.empty() || pixels == 0) return;
    for (size_t plane = 0; plane * static_cast<size_t>(pixels) < c.size(); ++plane)
        for (int64_t i = 0; i < pixels; ++i)
            c[plane * static_cast<size_t>(pixels) + static_cast<size_t>(i)] +=
                bias[plane % bias.size()];
}

/// One product a group and image: left sides are the groups' filters, [rows, depth] each.
template <class W>
struct FilterPass {
    const CubeOperand<W>& filters;
    OperandRange right_range;
    int64_t groups, batch, rows, depth, pixels;
    const std::vector<W>& bias;  ///< of all groups' rows; may be empty
    bool bias_last;              ///< the accumulators start at 0, not at the bias

    template <class RightOf>
    void run(KernelCall& call, std::span<W> c, RightOf&& right_of) const {
        OpBudget::take_steps({batch, groups, rows, depth, pixels});
        const CubeModel model = cube_model(call.numerics, call.input(0).dtype());
        const int64_t work = batch * groups * rows * depth * pixels;
        const int threads = work < 100000 ? 1 : call.numerics.threads;
        const bool many = batch * groups > 1;
        std::vector<PackedLeft<W>> packed;
        for (int64_t group = 0; model.plain() && group < groups; ++group)
            packed.emplace_back(lines(group), rows, depth, threads);
        std::mutex mutex;
        parallel_for(batch * groups, threads, [&](int64_t task) {
            const int64_t image = task / groups;
            const int64_t group = task % groups;
            const int64_t plane = (image * groups + group) * rows;
            for (int64_t row = 0; row < rows; ++row)
                std::fill_n(c.data() + (plane + row) * pixels,
                            pixels,
                            bias.empty() || bias_last
                                ? W{0}
                                : bias[static_cast<size_t>(group * rows + row)]);
            const CubeProduct<W> part{
                .chains = {c.data() + plane * pixels, pixels, rows, pixels, depth},
                .left = lines(group),
                .right = right_of(image, group),
                .left_range = filters.range,
                .right_range = right_range,
                .model = model};
            multiply_add<W>(part,
                            packed.empty() ? nullptr : &packed[static_cast<size_t>(group)],
                            many ? 1 : threads);
            FloatStatus status;
            check_accumulators<W>(
                part, bias.empty() ? nullptr : bias.data() + group * rows, status);
            const std::lock_guard guard(mutex);
            call.status.merge(status);
        });
    }

  private:
    [[nodiscard]] Lines<W> lines(int64_t group) const {
        return {filters.data() + group * rows * depth, depth, 1};
    }
};

template <class W>
void convolve(KernelCall& call, DType output) {
    const ConvolutionGeometry g =
        forward_geometry(call, call.input(0).shape(), call.input(1).shape());
    const bool hf32 = reads_hf32(call);
    const CubeOperand<W> x = cube_operand<W>(call, call.input(0), hf32);
    const CubeOperand<W> weight = cube_operand<W>(call, call.input(1), hf32);
    const std::vector<W> bias = bias_of<W>(call, g.outputs);
    const bool last = adds_bias_last(call);
    Tensor sums(kDTypeOf<W>, g.shape(g.outputs, g.out));
    const auto c = sums.mutable_as<W>();
    const FilterPass<W> pass{weight,
                             x.range,
                             g.groups,
                             g.batch,
                             g.group_outputs(),
                             g.group_inputs() * g.tap_count(),
                             g.out_pixels(),
                             bias,
                             last};
    pass.run(call, c, [&](int64_t image, int64_t group) {
        return image_columns<W>(
            g, x.data() + (image * g.inputs + group * g.group_inputs()) * g.pixels());
    });
    if (last) add_bias(bias, c, g.out_pixels());
    call.outputs = {output == DType::kInt32 ? copy_out_integers(sums, call)
                                            : copy_out<W>(std::move(sums), output, call)};
}

/// The filters of an input gradient: [inputs, outputs / groups * taps] for each group.
template <class W>
CubeOperand<W> turned_filters(const ConvolutionGeometry& g, const CubeOperand<W>& weight) {
    CubeOperand<W> turned{weight.given, Buffer<W>(weight.size()), weight.range};
    const int64_t taps = g.tap_count();
    for (int64_t o = 0; o < g.outputs; ++o)
        for (int64_t c = 0; c < g.group_inputs(); ++c) {
            const int64_t group = o / g.group_outputs();
            const int64_t row = group * g.group_inputs() + c;
            std::copy_n(
                weight.data() + (o * g.group_inputs() + c) * taps,
                taps,
                turned.widened.data() + (row * g.group_outputs() + o % g.group_outputs()) * taps);
        }
    return turned;
}

/// From an output's gradient (or a transposed convolution's input) to the input.
template <class W>
void spread(KernelCall& call,
            const ConvolutionGeometry& g,
            const Tensor& gradient,
            const Tensor& filter,
            const std::vector<W>& bias,
            DType output) {
    const bool hf32 = reads_hf32(call);
    const CubeOperand<W> dy = cube_operand<W>(call, gradient, hf32);
    const CubeOperand<W> weight = turned_filters(g, cube_operand<W>(call, filter, hf32));
    const bool last = adds_bias_last(call);
    Tensor sums(kDTypeOf<W>, g.shape(g.inputs, g.size));
    const auto c = sums.mutable_as<W>();
    const FilterPass<W> pass{weight,
                             dy.range,
                             g.groups,
                             g.batch,
                             g.group_inputs(),
                             g.group_outputs() * g.tap_count(),
                             g.pixels(),
                             bias,
                             last};
    pass.run(call, c, [&](int64_t image, int64_t group) {
        return gradient_columns<W>(
            g, dy.data() + (image * g.outputs + group * g.group_outputs()) * g.out_pixels());
    });
    if (last) add_bias(bias, c, g.pixels());
    call.outputs = {output == DType::kInt32 ? copy_out_integers(sums, call)
                                            : copy_out<W>(std::move(sums), output, call)};
}

template <class W>
void convolve_transposed(KernelCall& call, DType output) {
    const ConvolutionGeometry g =
        transposed_geometry(call, call.input(0).shape(), call.input(1).shape());
    spread<W>(call, g, call.input(0), call.input(1), bias_of<W>(call, g.inputs), output);
}

Shape size_attribute(const KernelCall& call, std::string_view name) {
    const IntList& sizes = call.ints(name);
    return {sizes.begin(), sizes.end()};
}

template <class W>
void input_gradient(KernelCall& call, DType output) {
    const ConvolutionGeometry g =
        forward_geometry(call, size_attribute(call, "input_size"), call.input(1).shape());
    if (g.shape(g.outputs, g.out) != call.input(0).shape()) convolution_misfit(call);
    spread<W>(call, g, call.input(0), call.input(1), {}, output);
}

/// k runs over images and output pixels, in that order.
template <class W>
void weight_gradient(KernelCall& call, DType output) {
    const Shape filter_size = size_attribute(call, "filter_size");
    const ConvolutionGeometry g = forward_geometry(call, call.input(1).shape(), filter_size);
    if (g.shape(g.outputs, g.out) != call.input(0).shape()) convolution_misfit(call);
    const bool hf32 = reads_hf32(call);
    const CubeOperand<W> given = cube_operand<W>(call, call.input(0), hf32);
    const CubeOperand<W> x = cube_operand<W>(call, call.input(1), hf32);
    const int64_t depth = g.batch * g.out_pixels();
    // [outputs, batch, pixels], so that k is one axis.
    Buffer<W> dy(given.size());
    for (int64_t n = 0; n < g.batch; ++n)
        for (int64_t o = 0; o < g.outputs; ++o)
            std::copy_n(given.data() + (n * g.outputs + o) * g.out_pixels(),
                        g.out_pixels(),
                        dy.data() + (o * g.batch + n) * g.out_pixels());
    const int64_t columns = g.group_inputs() * g.tap_count();
    OpBudget::take_steps({g.outputs, columns, depth});
    Tensor sums = accumulators<W>(filter_size);
    const auto c = sums.mutable_as<W>();
    for (int64_t group = 0; group < g.groups; ++group) {
        const int64_t first = group * g.group_outputs();
        const CubeProduct<W> part{
            .chains = {c.data() + first * columns, columns, g.group_outputs(), columns, depth},
            .left = {dy.data() + first * depth, depth, 1},
            .right = weight_columns<W>(
                g, x.data() + group * g.group_inputs() * g.pixels(), call.numerics.threads),
            .left_range = given.range,
            .right_range = x.range,
            .model = cube_model(call.numerics, call.input(0).dtype())};
        multiply_add<W>(part, nullptr, call.numerics.threads);
        check_accumulators<W>(part, nullptr, call.status);
    }
    call.outputs = {copy_out<W>(std::move(sums), output, call)};
}

enum class Pass : uint8_t { kForward, kTransposed, kInputGradient, kWeightGradient };

template <Pass kPass>
void run_convolution(KernelCall& call) {
    const DType dtype = call.input(0).dtype();
    if constexpr (kPass == Pass::kForward || kPass == Pass::kTransposed)
        if (takes_integers(call)) {
            if (call.inputs.size() > 2 && call.input(2).dtype() != DType::kInt32)
                call.refuse(call.input(2).dtype());
            if constexpr (kPass == Pass::kForward)
                convolve<double>(call, DType::kInt32);
            else
                convolve_transposed<double>(call, DType::kInt32);
            return;
        }
    require_cube_dtype(call, dtype);
    if (call.input(1).dtype() != dtype) call.refuse(call.input(1).dtype());
    const DType output = call.dtype("output_dtype").value_or(dtype);
    const auto run = [&]<class W>() {
        if constexpr (kPass == Pass::kForward) convolve<W>(call, output);
        if constexpr (kPass == Pass::kTransposed) convolve_transposed<W>(call, output);
        if constexpr (kPass == Pass::kInputGradient) input_gradient<W>(call, output);
        if constexpr (kPass == Pass::kWeightGradient) weight_gradient<W>(call, output);
    };
    if (dtype == DType::kFloat64)
        run.template operator()<double>();
    else
        run.template operator()<float>();
}

constexpr std::string_view kForward =
    "y[n,o,p] = bias[o] + sum over c,t of x[n,c,p*stride-pad+t*dilation] filter[o,c,t]";
constexpr std::string_view kTransposed = "the input gradient of Conv with this filter, plus bias";
constexpr std::string_view kInputGradient =
    "dx[n,c,q] = sum over o,t of dy[n,o,p] filter[o,c,t] with p*stride-pad+t*dilation = q";
constexpr std::string_view kWeightGradient =
    "dfilter[o,c,t] = sum over n,p of dy[n,o,p] x[n,c,p*stride-pad+t*dilation]";

}  // namespace

std::span<const Kernel> convolution_kernels() {
    using enum Held;
    constexpr std::string_view kDTypes =
        "float16, bfloat16 and float32 where the chip's Cube takes them (float32 as HF32 where the "
        "chip says so), accumulated in float32; float64 in float64; result in output_dtype; "
        "forward and transposed: int8, uint8 and int4 (as int8, operand_bits 4) where the Cube "
        "takes them, exactly to int32";
    constexpr std::string_view kSource =
        "CANN operator of this name, Intrinsic_mmad; the order of the sum inside the Cube is not "
        "public, option cube_acc here; k runs over channels, then taps";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Conv2D",
         .unit = Unit::kCube,
         .formats = {{kBlocked, kFilter}, {kBlocked}},
         .colour = PrecisionColour::kWhite,
         .formula = kForward,
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_convolution<Pass::kForward>},
        {.type = "Conv2DTranspose",
         .unit = Unit::kCube,
         .formats = {{kBlocked, kFilter}, {kBlocked}},
         .colour = PrecisionColour::kWhite,
         .formula = kTransposed,
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_convolution<Pass::kTransposed>},
        {.type = "Conv2DBackpropInput",
         .unit = Unit::kCube,
         .formats = {{kBlocked, kFilter}, {kBlocked}},
         .colour = PrecisionColour::kWhite,
         .formula = kInputGradient,
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_convolution<Pass::kInputGradient>},
        {.type = "Conv2DBackpropFilter",
         .unit = Unit::kCube,
         .formats = {{kBlocked, kBlocked}, {kFilter}},
         .colour = PrecisionColour::kWhite,
         .formula = kWeightGradient,
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_convolution<Pass::kWeightGradient>},
        {.type = "Conv3D",
         .unit = Unit::kCube,
         .formats = {{kBlocked, kFilter}, {kBlocked}},
         .colour = PrecisionColour::kWhite,
         .formula = kForward,
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_convolution<Pass::kForward>},
        {.type = "Conv3DTranspose",
         .unit = Unit::kCube,
         .formats = {{kBlocked, kFilter}, {kBlocked}},
         .colour = PrecisionColour::kWhite,
         .formula = kTransposed,
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_convolution<Pass::kTransposed>},
        {.type = "Conv3DBackpropInput",
         .unit = Unit::kCube,
         .formats = {{kBlocked, kFilter}, {kBlocked}},
         .colour = PrecisionColour::kWhite,
         .formula = kInputGradient,
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_convolution<Pass::kInputGradient>},
        {.type = "Conv3DBackpropFilter",
         .unit = Unit::kCube,
         .formats = {{kBlocked, kBlocked}, {kFilter}},
         .colour = PrecisionColour::kWhite,
         .formula = kWeightGradient,
         .dtypes = kDTypes,
         .source = kSource,
         .run = run_convolution<Pass::kWeightGradient>},
    });
    return kRows;
}

}  // namespace npuscope::backend
