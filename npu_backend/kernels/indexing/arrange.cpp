// Kernels that only move elements.
#include <array>
#include <cstring>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/pointwise/pointwise.h"
#include "npu_backend/memory/strided.h"

namespace npuscope::backend {

namespace {

/// Product of the dimensions before and after an axis.
struct Around {
    int64_t outer = 1;
    int64_t inner = 1;
};

Around around(const Shape& shape, size_t axis) {
    Around sizes;
    for (size_t i = 0; i < shape.size(); ++i)
        if (i != axis) (i < axis ? sizes.outer : sizes.inner) *= shape[i];
    return sizes;
}

void run_concat(KernelCall& call) {
    const auto axis = static_cast<size_t>(call.integer("concat_dim"));
    Shape shape = call.input(0).shape();
    shape[axis] = 0;
    for (const Tensor& part : call.inputs) {
        Shape others = part.shape();
        if (others.size() != shape.size()) call.reject("inputs differ in dimensions");
        shape[axis] += others[axis];
        others[axis] = shape[axis];
        if (others != shape)
            call.reject("inputs " + to_string(call.input(0).shape()) + " and " +
                        to_string(part.shape()) + " differ outside dimension " +
                        std::to_string(axis));
    }
    Tensor y(call.input(0).dtype(), shape);
    std::byte* out = y.mutable_data();
    const Around sizes = around(shape, axis);
    const size_t row = static_cast<size_t>(shape[axis] * sizes.inner) * size_of(y.dtype());
    size_t offset = 0;
    for (const Tensor& part : call.inputs) {
        const size_t run =
            static_cast<size_t>(part.shape()[axis] * sizes.inner) * size_of(y.dtype());
        for (int64_t i = 0; i < sizes.outer && run != 0; ++i)
            std::memcpy(out + static_cast<size_t>(i) * row + offset,
                        part.data() + static_cast<size_t>(i) * run,
                        run);
        offset += run;
    }
    call.outputs = {std::move(y)};
}

/// The inputs have 1 at the new axis already.
void run_pack(KernelCall& call) {
    call.attributes.push_back({"concat_dim", call.integer("axis")});
    run_concat(call);
}

/// Indices as int64, each inside [0, size) or counted from the end.
std::vector<int64_t> indices_of(const KernelCall& call, const Tensor& tensor, int64_t size) {
    if (is_float(tensor.dtype())) call.refuse(tensor.dtype());
    const Tensor wide = tensor.cast(DType::kInt64);
    std::vector<int64_t> indices(wide.as<int64_t>().begin(), wide.as<int64_t>().end());
    for (int64_t& index : indices) {
        if (index < -size || index >= size)
            call.reject("index " + std::to_string(index) + " is outside " + std::to_string(size) +
                        " elements");
        if (index < 0) index += size;
    }
    return indices;
}

void run_gather(KernelCall& call) {
    const Tensor& x = call.input(0);
    const auto axis = static_cast<size_t>(call.integer("axis"));
    const std::vector<int64_t> indices = indices_of(call, call.input(1), x.shape()[axis]);
    Shape shape(x.shape().begin(), x.shape().begin() + static_cast<int64_t>(axis));
    shape.insert(shape.end(), call.input(1).shape().begin(), call.input(1).shape().end());
    shape.insert(shape.end(), x.shape().begin() + static_cast<int64_t>(axis) + 1, x.shape().end());
    Tensor y(x.dtype(), shape);
    const Around sizes = around(x.shape(), axis);
    const size_t run = static_cast<size_t>(sizes.inner) * size_of(x.dtype());
    std::byte* out = y.mutable_data();
    if (y.numel() != 0)
        for (int64_t i = 0; i < sizes.outer; ++i)
            for (const int64_t index : indices) {
                std::memcpy(
                    out, x.data() + static_cast<size_t>(i * x.shape()[axis] + index) * run, run);
                out += run;
            }
    call.outputs = {std::move(y)};
}

/// y[…, i, …] = x[…, indices[…, i, …], …].
void run_gather_elements(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Tensor& places = call.input(1);
    const auto axis = static_cast<size_t>(call.integer("dim"));
    const std::vector<int64_t> indices = indices_of(call, places, x.shape()[axis]);
    for (size_t i = 0; i < x.shape().size(); ++i)
        if (places.ndim() != x.ndim() || (i != axis && places.shape()[i] > x.shape()[i]))
            call.reject("index " + to_string(places.shape()) + " is larger than input " +
                        to_string(x.shape()));
    Tensor y(x.dtype(), places.shape());
    const std::vector<int64_t> from = contiguous_strides(x.shape());
    const std::vector<int64_t> to = contiguous_strides(places.shape());
    const size_t size = size_of(x.dtype());
    std::byte* out = y.mutable_data();
    for (size_t i = 0; i < indices.size(); ++i) {
        int64_t source = 0;
        auto rest = static_cast<int64_t>(i);
        for (size_t d = 0; d < to.size(); ++d) {
            source += from[d] * (d == axis ? indices[i] : rest / to[d]);
            rest %= to[d];
        }
        std::memcpy(out + i * size, x.data() + static_cast<size_t>(source) * size, size);
    }
    call.outputs = {std::move(y)};
}

/// The value is an input of x's dtype without dimensions; paddings are before and after each axis.
void run_pad(KernelCall& call) {
    const Tensor& x = call.input(0);
    const IntList& paddings = call.ints("paddings");
    Strided source = Strided::of(x);
    Shape shape = x.shape();
    std::vector<int64_t> before(shape.size());
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int64_t left = paddings[2 * axis];
        const int64_t right = paddings[2 * axis + 1];
        // Negative padding cuts.
        source.offset += std::max<int64_t>(-left, 0) * source.strides[axis];
        source.shape[axis] += std::min<int64_t>(left, 0) + std::min<int64_t>(right, 0);
        before[axis] = std::max<int64_t>(left, 0);
        shape[axis] += left + right;
        if (shape[axis] < 0 || source.shape[axis] < 0)
            call.reject("padding cuts more than there is of " + to_string(x.shape()));
    }
    const Tensor inner = gather(x, source);
    Tensor y = gather(call.input(1), {shape, std::vector<int64_t>(shape.size(), 0), 0});
    const size_t size = size_of(x.dtype());
    const std::vector<int64_t> strides = contiguous_strides(shape);
    const std::vector<int64_t> inner_strides = contiguous_strides(source.shape);
    const int64_t run = shape.empty() ? 1 : source.shape.back();
    std::byte* out = y.mutable_data();
    for (int64_t done = 0; done < inner.numel(); done += run) {
        int64_t target = 0;
        int64_t rest = done;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            target += (rest / inner_strides[axis] + before[axis]) * strides[axis];
            rest %= inner_strides[axis];
        }
        std::memcpy(out + static_cast<size_t>(target) * size,
                    inner.data() + static_cast<size_t>(done) * size,
                    static_cast<size_t>(run) * size);
    }
    call.outputs = {std::move(y)};
}

void run_select(KernelCall& call) {
    const Tensor& condition = call.input(0);
    const Tensor& a = call.input(1);
    const Tensor& b = call.input(2);
    if (condition.dtype() != DType::kBool || a.dtype() != b.dtype()) call.refuse(condition.dtype());
    const Shape shape = broadcast_shapes(condition.shape(), broadcast_shapes(a.shape(), b.shape()));
    const auto spread = [&](const Tensor& tensor) {
        return gather(tensor, {shape, broadcast_strides(tensor.shape(), shape), 0});
    };
    const Tensor mask = spread(condition);
    Tensor y = spread(b);
    const Tensor chosen = spread(a);
    const size_t size = size_of(a.dtype());
    std::byte* out = y.mutable_data();
    for (size_t i = 0; i < mask.as<bool>().size(); ++i)
        if (mask.as<bool>()[i]) std::memcpy(out + i * size, chosen.data() + i * size, size);
    call.outputs = {std::move(y)};
}

/// x, min, max of one dtype, the bounds without dimensions.
void run_clip(KernelCall& call) {
    const Tensor& x = call.input(0);
    visit_dtype(x.dtype(), [&]<class T>() {
        const T low = call.input(1).as<T>()[0];
        const T high = call.input(2).as<T>()[0];
        Tensor y = x;
        const auto less = [](T u, T v) {
            if constexpr (requires { to_float(u); }) {
                return to_float(u) < to_float(v);
            } else {
                return u < v;
            }
        };
        for (T& value : y.template mutable_as<T>()) {
            if (less(value, low)) value = low;
            if (less(high, value)) value = high;
        }
        if (!all_finite(x)) call.status.raise(FloatStatus::kVectorInputNonFinite);
        call.outputs = {std::move(y)};
    });
}

}  // namespace

std::span<const Kernel> arrange_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "ConcatD",
         .unit = Unit::kMove,
         .formula = "inputs one after another along concat_dim",
         .dtypes = kAnyMoved,
         .run = run_concat},
        {.type = "Pack",
         .unit = Unit::kMove,
         .formula = "inputs one after another along a new axis",
         .dtypes = kAnyMoved,
         .run = run_pack},
        {.type = "GatherV2",
         .unit = Unit::kMove,
         .formula = "slices of x named by indices along axis",
         .dtypes = kAnyMoved,
         .run = run_gather},
        {.type = "GatherElements",
         .unit = Unit::kMove,
         .formula = "elements of x named by index along dim",
         .dtypes = kAnyMoved,
         .run = run_gather_elements},
        {.type = "PadV3",
         .unit = Unit::kMove,
         .formula = "x surrounded by a value; negative padding cuts",
         .dtypes = kAnyMoved,
         .run = run_pad},
        {.type = "SelectV2",
         .unit = Unit::kMove,
         .formula = "condition ? x1 : x2",
         .dtypes = kAnyMoved,
         .run = run_select},
        {.type = "ClipByValue",
         .formula = "min(max(x, low), high)",
         .dtypes = kAnyMoved,
         .run = run_clip},
    });
    return kRows;
}

}  // namespace npuscope::backend
