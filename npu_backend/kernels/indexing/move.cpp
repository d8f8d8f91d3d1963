// Kernels that turn, repeat and unfold tensors, or write a sequence.
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/memory/strided.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

void run_reverse(KernelCall& call) {
    const Tensor& x = call.input(0);
    Strided layout = Strided::of(x);
    for (const int64_t axis : call.ints("axis")) {
        const auto at = static_cast<size_t>(axis);
        layout.offset += (layout.shape[at] - 1) * layout.strides[at];
        layout.strides[at] = -layout.strides[at];
    }
    call.outputs = {x.numel() == 0 ? x : gather(x, layout)};
}

/// One axis for each shift.
void run_roll(KernelCall& call) {
    const IntList& shifts = call.ints("shifts");
    const IntList& axes = call.ints("dims");
    if (shifts.size() != axes.size()) call.reject("shifts and dims differ in length");
    Tensor y = call.input(0);
    for (size_t i = 0; i < axes.size() && y.numel() != 0; ++i) {
        const auto axis = static_cast<size_t>(axes[i]);
        const int64_t size = y.shape()[axis];
        Tensor places(DType::kInt64, {size});
        for (int64_t j = 0; j < size; ++j)
            places.mutable_as<int64_t>()[static_cast<size_t>(j)] =
                ((j - shifts[i]) % size + size) % size;
        const Kernel* gather_row = find_kernel("GatherV2");
        KernelCall taken{gather_row->type, {y, places}, {{"axis", axes[i]}}, call.numerics};
        gather_row->run(taken);
        y = taken.outputs.at(0);
    }
    call.outputs = {std::move(y)};
}

void run_tile(KernelCall& call) {
    const IntList& multiples = call.ints("multiples");
    const Tensor& x = call.input(0);
    if (multiples.size() < x.shape().size()) call.reject("there are too few multiples");
    Shape own(multiples.size() - x.shape().size(), 1);
    own.insert(own.end(), x.shape().begin(), x.shape().end());
    const std::vector<int64_t> strides = contiguous_strides(own);
    Strided layout;
    Shape shape;
    for (size_t i = 0; i < own.size(); ++i) {
        if (multiples[i] < 0) call.reject("a multiple is negative");
        layout.shape.insert(layout.shape.end(), {multiples[i], own[i]});
        layout.strides.insert(layout.strides.end(), {0, strides[i]});
        shape.push_back(multiples[i] * own[i]);
    }
    call.outputs = {gather(x, layout).reshaped(std::move(shape))};
}

/// Places of a sliding window over [N, C, H, W].
struct Unfolding {
    int64_t images, channels, height, width;
    std::array<int64_t, 2> kernel, dilation, pad, stride, out;

    Unfolding(const KernelCall& call, const Shape& image) {
        if (image.size() != 4) call.reject("the image needs 4 dimensions");
        images = image[0];
        channels = image[1];
        height = image[2];
        width = image[3];
        for (size_t i = 0; i < 2; ++i) {
            kernel[i] = call.ints("ksizes")[i];
            dilation[i] = call.ints("dilations")[i];
            pad[i] = call.ints("pads")[i];
            stride[i] = call.ints("strides")[i];
            const int64_t span = image[2 + i] + 2 * pad[i] - dilation[i] * (kernel[i] - 1) - 1;
            if (kernel[i] < 1 || dilation[i] < 1 || stride[i] < 1 || pad[i] < 0 || span < 0)
                call.reject("the window does not fit " + to_string(image));
            out[i] = span / stride[i] + 1;
        }
    }
    [[nodiscard]] Shape columns() const {
        return {images, channels * kernel[0] * kernel[1], out[0] * out[1]};
    }
    /// Calls f(column element, image element) for each pair inside the image.
    template <class F>
    void for_pairs(F&& f) const {
        int64_t column = 0;
        for (int64_t plane = 0; plane < images * channels; ++plane)
            for (int64_t i = 0; i < kernel[0]; ++i)
                for (int64_t j = 0; j < kernel[1]; ++j)
                    for (int64_t oh = 0; oh < out[0]; ++oh)
                        for (int64_t ow = 0; ow < out[1]; ++ow, ++column) {
                            const int64_t h = oh * stride[0] - pad[0] + i * dilation[0];
                            const int64_t w = ow * stride[1] - pad[1] + j * dilation[1];
                            if (h >= 0 && h < height && w >= 0 && w < width)
                                f(static_cast<size_t>(column),
                                  static_cast<size_t>((plane * height + h) * width + w));
                        }
    }
};

void run_im2col(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Unfolding unfolding(call, x.shape());
    Tensor y = Tensor::zeros(x.dtype(), unfolding.columns());
    visit_dtype(x.dtype(), [&]<class T>() {
        const auto in = x.as<T>();
        const auto out = y.template mutable_as<T>();
        unfolding.for_pairs([&](size_t column, size_t image) { out[column] = in[image]; });
    });
    call.outputs = {std::move(y)};
}

/// Attribute image: the shape of the result. Sums in the wide type, one rounding.
void run_col2im(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Shape& shape = call.ints("image");
    const Unfolding unfolding(call, shape);
    if (x.shape() != unfolding.columns())
        call.reject("columns " + to_string(x.shape()) + " do not fit " + to_string(shape));
    Tensor y(x.dtype(), shape);
    visit_float(call, x.dtype(), [&]<class T>() {
        using W = Wide<T>;
        const auto in = x.as<T>();
        std::vector<W> sums(static_cast<size_t>(y.numel()), W{0});
        unfolding.for_pairs(
            [&](size_t column, size_t image) { sums[image] += widen<W>(in[column]); });
        const bool finite = all_finite(in);
        if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
        Rounder<T> round(call.numerics.overflow_mode());
        const auto out = y.template mutable_as<T>();
        for (size_t i = 0; i < out.size(); ++i)
            out[i] = round(static_cast<double>(sums[i]), [finite] { return finite; });
        call.status.merge(round.status());
    });
    call.outputs = {std::move(y)};
}

/// Input 0 only names the dtype and the length.
void run_range(KernelCall& call) {
    Tensor y(call.input(0).dtype(), call.input(0).shape());
    const double start = call.number("start");
    const double step = call.number("delta");
    visit_dtype(y.dtype(), [&]<class T>() {
        const auto out = y.template mutable_as<T>();
        for (size_t i = 0; i < out.size(); ++i) {
            const double value = start + static_cast<double>(i) * step;
            if constexpr (kIsFloat<T>)
                out[i] = round_nearest<T>(value);
            else
                out[i] = static_cast<T>(value);
        }
    });
    call.outputs = {std::move(y)};
}

/// From both ends, so that the last element is `stop` exactly. Source: PyTorch, linspace.
void run_line_space(KernelCall& call) {
    Tensor y(call.input(0).dtype(), call.input(0).shape());
    const double start = call.number("start");
    const double stop = call.number("stop");
    const int64_t count = y.numel();
    const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
    visit_float(call, y.dtype(), [&]<class T>() {
        const auto out = y.template mutable_as<T>();
        for (int64_t i = 0; i < count; ++i)
            out[static_cast<size_t>(i)] = round_nearest<T>(
                i < count / 2 || count == 1 ? start + step * static_cast<double>(i)
                                            : stop - step * static_cast<double>(count - 1 - i));
    });
    call.outputs = {std::move(y)};
}

void run_eye(KernelCall& call) {
    Tensor y = Tensor::zeros(call.input(0).dtype(), call.input(0).shape());
    if (y.ndim() != 2) call.reject("a matrix has 2 dimensions");
    visit_dtype(y.dtype(), [&]<class T>() {
        const T one = Tensor::scalar<int64_t>(1).cast(y.dtype()).template as<T>()[0];
        for (int64_t i = 0; i < std::min(y.dim(0), y.dim(1)); ++i)
            y.template mutable_as<T>()[static_cast<size_t>(i * y.dim(1) + i)] = one;
    });
    call.outputs = {std::move(y)};
}

}  // namespace

std::span<const Kernel> move_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "ReverseV2",
         .unit = Unit::kMove,
         .formula = "x from its end along axis",
         .dtypes = kAnyMoved,
         .run = run_reverse},
        {.type = "Roll",
         .unit = Unit::kMove,
         .formula = "x moved round by shifts along dims",
         .dtypes = kAnyMoved,
         .run = run_roll},
        {.type = "Tile",
         .unit = Unit::kMove,
         .formula = "x repeated along each axis",
         .dtypes = kAnyMoved,
         .run = run_tile},
        {.type = "Im2col",
         .unit = Unit::kMove,
         .formula = "each window of an image as a column, 0 outside",
         .dtypes = kAnyMoved,
         .run = run_im2col},
        {.type = "Col2im",
         .formula = "the sum of the columns' elements at each pixel",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_col2im},
        {.type = "Range",
         .formula = "start + i delta",
         .dtypes = "any; one rounding",
         .run = run_range},
        {.type = "LinSpace",
         .formula = "start to stop in equal steps",
         .dtypes = "floats; one rounding",
         .source = "; steps ours",
         .run = run_line_space},
        {.type = "Eye", .formula = "1 on the diagonal, else 0", .dtypes = "any", .run = run_eye},
    });
    return kRows;
}

}  // namespace npuscope::backend
