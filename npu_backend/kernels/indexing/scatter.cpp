// ScatterElements: elements written to, or combined with, places of another tensor.
#include <array>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

/// Where each element of `index` goes in a tensor of `shape`.
std::vector<int64_t> targets(const KernelCall& call, const Tensor& index, const Shape& shape) {
    const auto axis = static_cast<size_t>(call.integer("axis"));
    bool fits = index.shape().size() == shape.size() && axis < shape.size();
    for (size_t i = 0; fits && i < shape.size(); ++i)
        fits = i == axis || index.shape()[i] <= shape[i];
    if (!fits)
        call.reject("index " + to_string(index.shape()) + " does not fit " + to_string(shape));
    const Tensor wide = index.cast(DType::kInt64);
    const std::vector<int64_t> from = contiguous_strides(index.shape());
    const std::vector<int64_t> to = contiguous_strides(shape);
    std::vector<int64_t> places;
    for (int64_t i = 0; i < index.numel(); ++i) {
        int64_t at = wide.as<int64_t>()[static_cast<size_t>(i)];
        if (at < -shape[axis] || at >= shape[axis])
            call.reject("index " + std::to_string(at) + " is outside " +
                        std::to_string(shape[axis]) + " elements");
        if (at < 0) at += shape[axis];
        int64_t place = 0;
        int64_t rest = i;
        for (size_t d = 0; d < shape.size(); ++d) {
            place += to[d] * (d == axis ? at : rest / from[d]);
            rest %= from[d];
        }
        places.push_back(place);
    }
    return places;
}

/// Source elements of a shape at least as large as the index, in the index' order.
template <class T>
std::vector<T> chosen(const KernelCall& call, const Tensor& updates, const Shape& shape) {
    bool fits = updates.shape().size() == shape.size();
    for (size_t i = 0; fits && i < shape.size(); ++i)
        fits = shape[i] <= updates.shape()[i];
    if (!fits) call.reject("source " + to_string(updates.shape()) + " is smaller than the index");
    const std::vector<int64_t> from = contiguous_strides(updates.shape());
    const std::vector<int64_t> to = contiguous_strides(shape);
    std::vector<T> values;
    for (int64_t i = 0; i < numel_of(shape); ++i) {
        int64_t place = 0;
        int64_t rest = i;
        for (size_t d = 0; d < shape.size(); ++d) {
            place += from[d] * (rest / to[d]);
            rest %= to[d];
        }
        values.push_back(updates.as<T>()[static_cast<size_t>(place)]);
    }
    return values;
}

template <class T>
double combine(const std::string& how, T own, T other) {
    const double a = to_double(own);
    const double b = to_double(other);
    if (how == "add") return a + b;
    if (how == "mul") return a * b;
    if (a != a || b != b) return std::nan("");
    return how == "max" ? std::max(a, b) : std::min(a, b);
}

template <class T>
T combine_whole(const std::string& how, T a, T b) {
    if (how == "add") return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    if (how == "mul") return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    return how == "max" ? std::max(a, b) : std::min(a, b);
}

/// What a place holds after `value` has come to it.
template <class T>
T combined(const std::string& how, T held, T value, Rounder<T>& round) {
    if (how == "none") return value;
    if constexpr (kIsFloat<T>) {
        const bool finite = is_finite(held) && is_finite(value);
        return round(combine(how, held, value), [&] { return finite; });
    } else {
        return combine_whole(how, held, value);
    }
}

void run_scatter(KernelCall& call) {
    Tensor y = call.input(0);
    const Tensor& index = call.input(1);
    const Tensor& updates = call.input(2);
    if (updates.dtype() != y.dtype()) call.refuse(updates.dtype());
    const std::string& how = call.text("reduction");
    const std::vector<int64_t> places = targets(call, index, y.shape());
    visit_dtype(y.dtype(), [&]<class T>() {
        const std::vector<T> values = chosen<T>(call, updates, index.shape());
        const auto out = y.template mutable_as<T>();
        Rounder<T> round(call.numerics.overflow_mode());
        for (size_t i = 0; i < places.size(); ++i) {
            T& target = out[static_cast<size_t>(places[i])];
            target = combined(how, target, static_cast<T>(values[i]), round);
        }
        if constexpr (kIsFloat<T>) call.status.merge(round.status());
    });
    call.outputs = {std::move(y)};
}

}  // namespace

std::span<const Kernel> scatter_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "ScatterElements",
         .formula =
             "y = x; y[…, index[…], …] = updates, or its sum, product, maximum or minimum with y's",
         .dtypes = "any of one dtype; each combination rounds once",
         .source = "; repeated places in C order here",
         .run = run_scatter},
    });
    return kRows;
}

}  // namespace npuscope::backend
