// Kernels that run along one axis: running sums, products, sorting; and those that choose places.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

template <class T>
auto key_of(T value) {
    if constexpr (kIsFloat<T>) {
        return to_double(value);
    } else {
        return value;
    }
}

/// Sums (products) of elements one after another: floats in Wide<T>, integers wrap.
template <class T, bool kProduct>
struct Running {
    std::conditional_t<kIsFloat<T>, Wide<T>, uint64_t> value{kProduct};

    void take(T element) {
        using W = decltype(value);
        W wide;
        if constexpr (kIsFloat<T>)
            wide = widen<W>(element);
        else
            wide = static_cast<W>(static_cast<int64_t>(element));
        if constexpr (kProduct)
            value *= wide;
        else
            value += wide;
    }
    /// Rounded once.
    T stored(Rounder<T>& round, bool finite) const {
        if constexpr (kIsFloat<T>)
            return round(static_cast<double>(value), [&] { return finite; });
        else
            return static_cast<T>(value);
    }
};

template <class T>
void merge_status(KernelCall& call, const Rounder<T>& round, bool finite) {
    if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
    if constexpr (kIsFloat<T>) call.status.merge(round.status());
}

template <bool kProduct>
void run_cumulative(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Rows rows = Rows::over(x, {call.integer("axis")});
    const bool exclusive = call.flag("exclusive");
    const bool reverse = call.flag("reverse");
    Tensor y(x.dtype(), rows.data.shape());
    visit_dtype(x.dtype(), [&]<class T>() {
        const auto in = rows.data.as<T>();
        const auto out = y.template mutable_as<T>();
        Rounder<T> round(call.numerics.overflow_mode());
        const bool finite = all_finite(x);
        for (int64_t row = 0; row < rows.rows; ++row) {
            Running<T, kProduct> running;
            for (int64_t i = 0; i < rows.length; ++i) {
                const auto at =
                    static_cast<size_t>(row * rows.length + (reverse ? rows.length - 1 - i : i));
                if (exclusive) out[at] = running.stored(round, finite);
                running.take(in[at]);
                if (!exclusive) out[at] = running.stored(round, finite);
            }
        }
        merge_status(call, round, finite);
    });
    call.outputs = {rows.restored(y, x.shape())};
}

void run_prod(KernelCall& call) {
    const Rows rows = Rows::over(call.input(0), call.ints("axes"));
    Tensor y(call.input(0).dtype(), call.flag("keep_dims") ? rows.with_ones : rows.kept);
    visit_dtype(y.dtype(), [&]<class T>() {
        const auto in = rows.data.as<T>();
        const auto out = y.template mutable_as<T>();
        Rounder<T> round(call.numerics.overflow_mode());
        const bool finite = all_finite(call.input(0));
        for (int64_t row = 0; row < rows.rows; ++row) {
            Running<T, true> product;
            for (int64_t i = 0; i < rows.length; ++i)
                product.take(in[static_cast<size_t>(row * rows.length + i)]);
            out[static_cast<size_t>(row)] = product.stored(round, finite);
        }
        merge_status(call, round, finite);
    });
    call.outputs = {std::move(y)};
}

/// The first `keep` of each sorted row, values and indices; equal ones stay in order, nan counts as
/// the largest.
void sort_rows(KernelCall& call, int64_t axis, bool descending, int64_t keep) {
    const Tensor& x = call.input(0);
    const Rows rows = Rows::over(x, {axis});
    if (keep < 0 || keep > rows.length)
        call.reject("there are no " + std::to_string(keep) + " elements along the axis");
    Shape moved(rows.data.shape().begin(), rows.data.shape().end());
    moved.back() = keep;
    Shape shape = x.shape();
    shape[static_cast<size_t>(axis)] = keep;
    Tensor values(x.dtype(), moved);
    Tensor indices(DType::kInt64, moved);
    visit_dtype(x.dtype(), [&]<class T>() {
        const auto in = rows.data.as<T>();
        const auto out = values.template mutable_as<T>();
        const auto places = indices.mutable_as<int64_t>();
        std::vector<int64_t> order(static_cast<size_t>(rows.length));
        for (int64_t row = 0; row < rows.rows; ++row) {
            const T* line = in.data() + row * rows.length;
            const auto less = [&](int64_t a, int64_t b) {
                const auto u = key_of(line[a]);
                const auto v = key_of(line[b]);
                return u < v || (u == u && v != v);
            };
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
                return descending ? less(b, a) : less(a, b);
            });
            for (int64_t i = 0; i < keep; ++i) {
                const auto at = static_cast<size_t>(row * keep + i);
                places[at] = order[static_cast<size_t>(i)];
                out[at] = line[order[static_cast<size_t>(i)]];
            }
        }
    });
    call.outputs = {rows.restored(values, shape), rows.restored(indices, shape)};
}

void run_sort(KernelCall& call) {
    const int64_t axis = call.integer("axis");
    sort_rows(call, axis, call.flag("descending"), call.input(0).dim(axis));
}

void run_topk(KernelCall& call) {
    sort_rows(call, call.integer("dim"), call.flag("largest"), call.integer("k"));
}

/// Elements above (Tril) or below (Triu) a diagonal of the last two axes become 0.
template <bool kLower>
void run_triangle(KernelCall& call) {
    Tensor y = call.input(0);
    const int64_t diagonal = call.integer("diagonal");
    const int64_t height = y.dim(-2);
    const int64_t width = y.dim(-1);
    visit_dtype(y.dtype(), [&]<class T>() {
        const auto out = y.mutable_as<T>();
        for (size_t i = 0; i < out.size(); ++i) {
            const int64_t column = static_cast<int64_t>(i) % width;
            const int64_t row = static_cast<int64_t>(i) / width % height;
            if (kLower ? column - row > diagonal : column - row < diagonal) out[i] = T{};
        }
    });
    call.outputs = {std::move(y)};
}

/// [count, ndim] places of the elements that are not 0, in C order.
void run_nonzero(KernelCall& call) {
    const Tensor& x = call.input(0);
    const std::vector<int64_t> strides = contiguous_strides(x.shape());
    std::vector<int64_t> places;
    int64_t count = 0;
    for (int64_t i = 0; i < x.numel(); ++i) {
        if (x.at(i) == 0) continue;
        ++count;
        int64_t rest = i;
        for (const int64_t stride : strides) {
            places.push_back(rest / stride);
            rest %= stride;
        }
    }
    call.outputs = {Tensor::from<int64_t>({count, x.ndim()}, std::span<const int64_t>(places))};
}

}  // namespace

std::span<const Kernel> order_kernels() {
    constexpr std::string_view kWide =
        "float16, bfloat16 in float32; float32; float64; integers wrap";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Cumsum",
         .formula = "sums of the elements so far along axis",
         .dtypes = kWide,
         .run = run_cumulative<false>},
        {.type = "Cumprod",
         .formula = "products of the elements so far along axis",
         .dtypes = kWide,
         .run = run_cumulative<true>},
        {.type = "ReduceProd", .formula = "product over axes", .dtypes = kWide, .run = run_prod},
        {.type = "Sort",
         .formula = "each row along axis in order, and where its elements were",
         .dtypes = kAnyMoved,
         .source = "; ties keep their order here",
         .run = run_sort},
        {.type = "TopKV2",
         .formula = "the k largest or smallest along dim, and where they were",
         .dtypes = kAnyMoved,
         .source = "; ties keep their order here",
         .run = run_topk},
        {.type = "Tril",
         .unit = Unit::kMove,
         .formula = "x on and below a diagonal, 0 above",
         .dtypes = kAnyMoved,
         .run = run_triangle<true>},
        {.type = "Triu",
         .unit = Unit::kMove,
         .formula = "x on and above a diagonal, 0 below",
         .dtypes = kAnyMoved,
         .run = run_triangle<false>},
        {.type = "NonZero",
         .formula = "places of the elements that are not 0",
         .dtypes = "any, to int64",
         .run = run_nonzero},
    });
    return kRows;
}

}  // namespace npuscope::backend
