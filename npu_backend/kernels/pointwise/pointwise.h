// The loops of element-wise kernels: one rounding per instruction.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/memory/strided.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

/// Errors: Error(kInternal) when the first two inputs differ in dtype.
inline void require_same_dtype(const KernelCall& call) {
    if (call.input(0).dtype() != call.input(1).dtype())
        throw Error(ErrorKind::kInternal,
                    "kernel " + std::string(call.type) + " got " +
                        std::string(name_of(call.input(0).dtype())) + " and " +
                        std::string(name_of(call.input(1).dtype())));
}

/// Elements that one task computes; fixed, so that nothing depends on the number of threads.
inline constexpr int64_t kPointwiseTile = 65536;

/// Calls tile(begin, end, status) over [0, count) and merges the statuses.
template <class Tile>
void for_tiles(int64_t count, KernelCall& call, Tile&& tile) {
    std::mutex mutex;
    const int64_t tiles = (count + kPointwiseTile - 1) / kPointwiseTile;
    parallel_for(tiles, call.numerics.threads, [&](int64_t t) {
        const FloatStatus status =
            tile(t * kPointwiseTile, std::min(count, (t + 1) * kPointwiseTile));
        const std::lock_guard guard(mutex);
        call.status.merge(status);
    });
}

/// y[i] = round(f(x[i])).
template <class T, class F>
Tensor map_unary(KernelCall& call, const Tensor& x, F f) {
    Tensor y(x.dtype(), x.shape());
    const auto in = x.as<T>();
    const auto out = y.template mutable_as<T>();
    for_tiles(x.numel(), call, [&](int64_t begin, int64_t end) {
        Rounder<T> round(call.numerics.overflow_mode());
        bool finite = true;
        for (int64_t i = begin; i < end; ++i) {
            const T value = in[static_cast<size_t>(i)];
            finite &= is_finite(value);
            out[static_cast<size_t>(i)] =
                round(f(to_double(value)), [&] { return is_finite(value); });
        }
        FloatStatus status = round.status();
        if (!finite) status.raise(FloatStatus::kVectorInputNonFinite);
        return status;
    });
    return y;
}

/// A kernel that is one formula of one float tensor, in double.
template <auto kFormula>
void run_float(KernelCall& call) {
    const Tensor& x = call.input(0);
    visit_float(
        call, x.dtype(), [&]<class T>() { call.outputs = {map_unary<T>(call, x, kFormula)}; });
}

/// Calls row(a, stride of a, b, stride of b, out, count) over the broadcast shape; strides 0 or 1
/// in the innermost dimension.
template <class T, class U, class Row>
void for_broadcast_rows(const Tensor& a, const Tensor& b, const Shape& shape, U* out, Row&& row) {
    const T* pa = reinterpret_cast<const T*>(a.data());
    const T* pb = reinterpret_cast<const T*>(b.data());
    const int64_t numel = numel_of(shape);
    if (numel == 0) return;
    const bool whole_a = a.numel() == numel;
    const bool whole_b = b.numel() == numel;
    if ((whole_a || a.numel() == 1) && (whole_b || b.numel() == 1)) {
        row(pa, whole_a ? 1 : 0, pb, whole_b ? 1 : 0, out, numel);
        return;
    }
    const std::vector<int64_t> sa = broadcast_strides(a.shape(), shape);
    const std::vector<int64_t> sb = broadcast_strides(b.shape(), shape);
    const size_t ndim = shape.size();
    const int64_t run = shape[ndim - 1];
    std::vector<int64_t> index(ndim, 0);
    int64_t at_a = 0;
    int64_t at_b = 0;
    for (int64_t done = 0; done < numel; done += run) {
        row(pa + at_a, sa[ndim - 1], pb + at_b, sb[ndim - 1], out + done, run);
        for (size_t axis = ndim - 1; axis-- > 0;) {
            at_a += sa[axis];
            at_b += sb[axis];
            if (++index[axis] < shape[axis]) break;
            at_a -= sa[axis] * shape[axis];
            at_b -= sb[axis] * shape[axis];
            index[axis] = 0;
        }
    }
}

/// For Rounder: an answer that is known already.
inline auto always(bool answer) {
    return [answer] { return answer; };
}

/// y = round(f(a, b)) with broadcasting; both of T.
template <class T, class F>
Tensor map_binary(KernelCall& call, const Tensor& a, const Tensor& b, F f) {
    const Shape shape = broadcast_shapes(a.shape(), b.shape());
    Tensor y(a.dtype(), shape);
    const OverflowMode mode = call.numerics.overflow_mode();
    for_broadcast_rows<T>(
        a,
        b,
        shape,
        y.template mutable_as<T>().data(),
        [&](const T* x1, int64_t s1, const T* x2, int64_t s2, T* out, int64_t count) {
            const auto tile = [&](int64_t begin, int64_t end) {
                Rounder<T> round(mode);
                bool finite = true;
                for (int64_t i = begin; i < end; ++i) {
                    const T u = x1[i * s1];
                    const T v = x2[i * s2];
                    const bool both_finite = is_finite(u) && is_finite(v);
                    finite &= both_finite;
                    out[i] = round(f(to_double(u), to_double(v)), always(both_finite));
                }
                FloatStatus status = round.status();
                if (!finite) status.raise(FloatStatus::kVectorInputNonFinite);
                return status;
            };
            if (count > kPointwiseTile)
                for_tiles(count, call, tile);
            else
                call.status.merge(tile(0, count));
        });
    return y;
}

}  // namespace npuscope::backend
