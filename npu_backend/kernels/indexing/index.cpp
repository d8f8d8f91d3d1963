// Elements read, written or added at places that index tensors name together.
#include <array>
#include <cstring>

#include "core/base/error.h"
#include "npu_backend/kernels/pointwise/pointwise.h"
#include "npu_backend/memory/strided.h"

namespace npuscope::backend {

namespace {

/// Where x[…] reads or writes: runs of `run` elements, one for each place in C order.
struct Places {
    std::vector<int64_t> starts;
    int64_t run = 1;
};

int64_t inside(const KernelCall& call, int64_t index, int64_t size) {
    if (index < -size || index >= size)
        call.reject("index " + std::to_string(index) + " is outside " + std::to_string(size) +
                    " elements");
    return index < 0 ? index + size : index;
}

/// The first axes of `shape`, one for each of the int64 tensors, which have one shape.
Places places_of(const KernelCall& call, const Shape& shape, std::span<const Tensor> indices) {
    if (indices.empty() || indices.size() > shape.size())
        call.reject(std::to_string(indices.size()) + " indices for " + to_string(shape));
    const std::vector<int64_t> strides = contiguous_strides(shape);
    Places places;
    places.run = numel_of(std::span(shape).subspan(indices.size()));
    places.starts.assign(static_cast<size_t>(indices[0].numel()), 0);
    for (size_t axis = 0; axis < indices.size(); ++axis) {
        if (indices[axis].shape() != indices[0].shape()) call.reject("the indices differ in shape");
        const auto at = indices[axis].as<int64_t>();
        for (size_t i = 0; i < at.size(); ++i)
            places.starts[i] += inside(call, at[i], shape[axis]) * strides[axis];
    }
    return places;
}

/// Inputs x and an index for each of its first axes.
void run_index(KernelCall& call) {
    const Tensor& x = call.input(0);
    const auto indices = std::span<const Tensor>(call.inputs).subspan(1);
    const Places places = places_of(call, x.shape(), indices);
    Shape shape = indices[0].shape();
    shape.insert(
        shape.end(), x.shape().begin() + static_cast<int64_t>(indices.size()), x.shape().end());
    Tensor y(x.dtype(), shape);
    const size_t size = size_of(x.dtype());
    const size_t run = static_cast<size_t>(places.run) * size;
    std::byte* out = y.mutable_data();
    for (size_t i = 0; run != 0 && i < places.starts.size(); ++i)
        std::memcpy(out + i * run, x.data() + static_cast<size_t>(places.starts[i]) * size, run);
    call.outputs = {std::move(y)};
}

/// Adds each run of `values` to x in C order, each sum rounded once in T's own dtype.
template <class T>
void add_runs(KernelCall& call, const Places& places, const Tensor& values, Tensor& y) {
    const auto out = y.mutable_as<T>();
    const auto in = values.as<T>();
    const auto run = static_cast<size_t>(places.run);
    Rounder<T> round(call.numerics.overflow_mode());
    bool all = true;
    for (size_t i = 0; i < places.starts.size(); ++i)
        for (size_t j = 0; j < run; ++j) {
            T& target = out[static_cast<size_t>(places.starts[i]) + j];
            const T value = in[i * run + j];
            if constexpr (kIsFloat<T>) {
                const bool finite = is_finite(target) && is_finite(value);
                all &= finite;
                target = round(to_double(target) + to_double(value), always(finite));
            } else {
                target =
                    static_cast<T>(static_cast<uint64_t>(target) + static_cast<uint64_t>(value));
            }
        }
    if constexpr (kIsFloat<T>) call.status.merge(round.status());
    if (!all) call.status.raise(FloatStatus::kVectorInputNonFinite);
}

/// Inputs x, values of the indexed shape, indices. Attribute accumulate.
void run_index_put(KernelCall& call) {
    Tensor y = call.input(0);
    const Tensor& values = call.input(1);
    const Places places =
        places_of(call, y.shape(), std::span<const Tensor>(call.inputs).subspan(2));
    if (values.dtype() != y.dtype()) call.refuse(values.dtype());
    if (values.numel() != static_cast<int64_t>(places.starts.size()) * places.run)
        call.reject("values " + to_string(values.shape()) + " do not fit the indices");
    visit_dtype(y.dtype(), [&]<class T>() {
        if (call.flag("accumulate")) {
            add_runs<T>(call, places, values, y);
            return;
        }
        const auto out = y.mutable_as<T>();
        const auto in = values.as<T>();
        const auto run = static_cast<size_t>(places.run);
        for (size_t i = 0; i < places.starts.size(); ++i)
            for (size_t j = 0; j < run; ++j)
                out[static_cast<size_t>(places.starts[i]) + j] = in[i * run + j];
    });
    call.outputs = {std::move(y)};
}

/// Inputs grad [n, width], indices [n]; sums of each word in the wide type, one rounding.
void run_embedding_gradient(KernelCall& call) {
    const Tensor& gradient = call.input(0);
    const Tensor& words = call.input(1);
    const int64_t count = call.integer("num_weights");
    const int64_t padding = call.integer("padding_idx");
    const int64_t width = gradient.ndim() == 2 ? gradient.dim(1) : -1;
    if (width < 0 || words.numel() != gradient.dim(0) || count < 0)
        call.reject("grad " + to_string(gradient.shape()) + " does not fit indices " +
                    to_string(words.shape()));
    const Tensor wide = words.cast(DType::kInt64);
    std::vector<int64_t> rows;
    std::vector<int64_t> uses(static_cast<size_t>(count), 0);
    for (const int64_t word : wide.as<int64_t>()) {
        if (word < 0 || word >= count)
            call.reject("index " + std::to_string(word) + " is outside " + std::to_string(count));
        rows.push_back(word);
        ++uses[static_cast<size_t>(word)];
    }
    Tensor y(gradient.dtype(), {count, width});
    visit_float(call, gradient.dtype(), [&]<class T>() {
        using W = Wide<T>;
        const auto in = gradient.as<T>();
        std::vector<W> sums(static_cast<size_t>(count * width), W{0});
        for (size_t i = 0; i < rows.size(); ++i) {
            if (rows[i] == padding) continue;
            const W share = call.flag("scale_grad_by_freq")
                                ? W{1} / static_cast<W>(uses[static_cast<size_t>(rows[i])])
                                : W{1};
            for (int64_t j = 0; j < width; ++j)
                sums[static_cast<size_t>(rows[i] * width + j)] +=
                    share * widen<W>(in[i * static_cast<size_t>(width) + static_cast<size_t>(j)]);
        }
        const bool finite = all_finite(in);
        if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
        Rounder<T> round(call.numerics.overflow_mode());
        const auto out = y.template mutable_as<T>();
        for (size_t i = 0; i < out.size(); ++i)
            out[i] = round(static_cast<double>(sums[i]), always(finite));
        call.status.merge(round.status());
    });
    call.outputs = {std::move(y)};
}

/// Inputs x, mask, value: one element, of x's dtype.
void run_masked_fill(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Tensor& mask = call.input(1);
    if (mask.dtype() != DType::kBool) call.refuse(mask.dtype());
    if (call.input(2).dtype() != x.dtype() || call.input(2).numel() != 1)
        call.refuse(call.input(2).dtype());
    const Shape shape = broadcast_shapes(x.shape(), mask.shape());
    const Tensor where = gather(mask, {shape, broadcast_strides(mask.shape(), shape), 0});
    Tensor y = gather(x, {shape, broadcast_strides(x.shape(), shape), 0});
    const auto chosen = where.as<bool>();
    visit_dtype(x.dtype(), [&]<class T>() {
        const T value = call.input(2).as<T>()[0];
        const auto out = y.mutable_as<T>();
        for (size_t i = 0; i < out.size(); ++i)
            if (chosen[i]) out[i] = value;
    });
    call.outputs = {std::move(y)};
}

/// Inputs x, mask of x's shape, updates: taken one after the other.
void run_masked_scatter(KernelCall& call) {
    Tensor y = call.input(0);
    const Tensor& mask = call.input(1);
    const Tensor& updates = call.input(2);
    if (mask.dtype() != DType::kBool || mask.shape() != y.shape()) call.refuse(mask.dtype());
    if (updates.dtype() != y.dtype()) call.refuse(updates.dtype());
    visit_dtype(y.dtype(), [&]<class T>() {
        const auto out = y.mutable_as<T>();
        const auto in = updates.as<T>();
        size_t next = 0;
        for (size_t i = 0; i < out.size(); ++i) {
            if (!mask.as<bool>()[i]) continue;
            if (next == in.size()) call.reject("there are fewer updates than places");
            out[i] = in[next++];
        }
    });
    call.outputs = {std::move(y)};
}

/// Inputs x and a mask of its shape.
void run_masked_select(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Tensor& mask = call.input(1);
    if (mask.dtype() != DType::kBool || mask.shape() != x.shape()) call.refuse(mask.dtype());
    visit_dtype(x.dtype(), [&]<class T>() {
        const auto in = x.as<T>();
        int64_t count = 0;
        for (const bool chosen : mask.as<bool>())
            count += chosen ? 1 : 0;
        Tensor y(x.dtype(), {count});
        const auto out = y.mutable_as<T>();
        size_t next = 0;
        for (size_t i = 0; i < in.size(); ++i)
            if (mask.as<bool>()[i]) out[next++] = in[i];
        call.outputs = {std::move(y)};
    });
}

}  // namespace

std::span<const Kernel> index_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Index",
         .unit = Unit::kMove,
         .formula = "x[i0, i1, …] for indices of one shape over x's first axes",
         .dtypes = kAnyMoved,
         .run = run_index},
        {.type = "IndexPut",
         .formula = "x; x[i0, i1, …] = value, or plus value with accumulate",
         .dtypes = "any; each sum rounds once",
         .source = "; repeated places in C order here",
         .run = run_index_put},
        {.type = "EmbeddingDenseGrad",
         .formula = "sum of the gradients of each word, but for padding_idx; over its uses with "
                    "scale_grad_by_freq",
         .dtypes = kThroughFloat32,
         .source = "; order of the sum ours",
         .run = run_embedding_gradient},
        {.type = "MaskedFill",
         .unit = Unit::kMove,
         .formula = "mask ? value : x",
         .dtypes = kAnyMoved,
         .run = run_masked_fill},
        {.type = "MaskedScatter",
         .unit = Unit::kMove,
         .formula = "x; its masked elements are the updates in their order",
         .dtypes = kAnyMoved,
         .run = run_masked_scatter},
        {.type = "MaskedSelect",
         .unit = Unit::kMove,
         .formula = "the masked elements of x",
         .dtypes = kAnyMoved,
         .run = run_masked_select},
    });
    return kRows;
}

}  // namespace npuscope::backend
