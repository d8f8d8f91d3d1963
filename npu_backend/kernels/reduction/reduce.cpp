// Reductions over axes: sums and means in float32 inside, maxima.
#include <array>
#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

/// Rows that one task reduces.
constexpr int64_t kRowTile = 64;

Shape result_shape(const KernelCall& call, const Rows& rows) {
    return call.flag("keep_dims") ? rows.with_ones : rows.kept;
}

/// Sum of factor * x over each row: float16 and bfloat16 are widened to float32, the factor is
/// applied before the sum, the result rounded once.
template <class T>
void sum_rows(KernelCall& call, const Rows& rows, double factor, Tensor& y) {
    using W = Wide<T>;
    const auto in = rows.data.as<T>();
    const auto out = y.template mutable_as<T>();
    const W weight = static_cast<W>(factor);
    const int64_t tiles = (rows.rows + kRowTile - 1) / kRowTile;
    const bool small = rows.rows * rows.length < 65536;
    std::mutex mutex;
    parallel_for(tiles, small ? 1 : call.numerics.threads, [&](int64_t tile) {
        std::vector<W> values(static_cast<size_t>(rows.length));
        Rounder<T> round(call.numerics.overflow_mode());
        bool all = true;
        for (int64_t row = tile * kRowTile; row < std::min(rows.rows, (tile + 1) * kRowTile);
             ++row) {
            const auto line = in.subspan(static_cast<size_t>(row * rows.length), values.size());
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = widen<W>(line[i]) * weight;
            const bool finite = all_finite(std::span<const T>(line));
            all &= finite;
            out[static_cast<size_t>(row)] =
                round(static_cast<double>(repeat_sum(std::span<W>(values),
                                                     call.numerics.device.options.reduce_order)),
                      [finite] { return finite; });
        }
        FloatStatus status = round.status();
        if (!all) status.raise(FloatStatus::kVectorInputNonFinite);
        const std::lock_guard guard(mutex);
        call.status.merge(status);
    });
}

void run_sum(KernelCall& call) {
    const Rows rows = Rows::over(call.input(0), call.ints("axes"));
    Tensor y(call.input(0).dtype(), result_shape(call, rows));
    visit_dtype(y.dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            sum_rows<T>(call, rows, 1.0, y);
        } else {
            const auto in = rows.data.as<T>();
            const auto out = y.template mutable_as<T>();
            for (int64_t row = 0; row < rows.rows; ++row) {
                uint64_t sum = 0;
                for (int64_t i = 0; i < rows.length; ++i)
                    sum += static_cast<uint64_t>(in[static_cast<size_t>(row * rows.length + i)]);
                out[static_cast<size_t>(row)] = static_cast<T>(sum);
            }
        }
    });
    call.outputs = {std::move(y)};
}

void run_mean(KernelCall& call) {
    const Rows rows = Rows::over(call.input(0), call.ints("axes"));
    Tensor y(call.input(0).dtype(), result_shape(call, rows));
    visit_float(call, y.dtype(), [&]<class T>() {
        sum_rows<T>(call, rows, 1.0 / static_cast<double>(rows.length), y);
    });
    call.outputs = {std::move(y)};
}

/// What an element is ordered by.
template <class T>
auto order_key(T value) {
    if constexpr (kIsFloat<T>) {
        return to_double(value);
    } else {
        return value;
    }
}

/// The first extreme's index; the first nan's when there is one. `finite` becomes false when an
/// element is not.
template <bool kMax, class T>
size_t extreme_index(std::span<const T> line, bool& finite) {
    size_t best = 0;
    for (size_t i = 0; i < line.size(); ++i) {
        finite &= is_finite(line[i]);
        const auto held = order_key(line[best]);
        const auto value = order_key(line[i]);
        if (held == held && (value != value || (kMax ? value > held : value < held))) best = i;
    }
    return best;
}

/// Order statistics never round; nan wins, as in NumPy.
template <bool kMax, bool kIndex>
void run_extreme(KernelCall& call) {
    const Rows rows = Rows::over(call.input(0), call.ints("axes"));
    if (rows.length == 0) call.reject("a row without elements has no extreme");
    Tensor y(kIndex ? DType::kInt64 : call.input(0).dtype(), result_shape(call, rows));
    visit_dtype(call.input(0).dtype(), [&]<class T>() {
        const auto in = rows.data.as<T>();
        bool finite = true;
        for (int64_t row = 0; row < rows.rows; ++row) {
            const auto line = in.subspan(static_cast<size_t>(row * rows.length),
                                         static_cast<size_t>(rows.length));
            const size_t best = extreme_index<kMax, T>(line, finite);
            if constexpr (kIndex)
                y.mutable_as<int64_t>()[static_cast<size_t>(row)] = static_cast<int64_t>(best);
            else
                y.template mutable_as<T>()[static_cast<size_t>(row)] = line[best];
        }
        if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
    });
    call.outputs = {std::move(y)};
}

}  // namespace

std::span<const Kernel> reduce_kernels() {
    constexpr std::string_view kSums =
        "float16, bfloat16 through float32; float32; float64; integers exact";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "ReduceSum",
         .colour = PrecisionColour::kBlack,
         .formula = "sum over axes, neighbours in pairs",
         .dtypes = kSums,
         .source = "CANN operator ReduceSum (float16 through float32); asc-devkit ReduceSum for "
                   "the order",
         .run = run_sum},
        {.type = "ReduceMean",
         .colour = PrecisionColour::kBlack,
         .formula = "sum over axes of x * (1/N), neighbours in pairs",
         .dtypes = kThroughFloat32,
         .source = "CANN operator ReduceMean (computes in float32); order as ReduceSum",
         .run = run_mean},
        {.type = "ReduceMax",
         .formula = "maximum over axes",
         .dtypes = "any",
         .run = run_extreme<true, false>},
        {.type = "ReduceMin",
         .formula = "minimum over axes",
         .dtypes = "any",
         .run = run_extreme<false, false>},
        {.type = "ArgMaxV2",
         .formula = "index of the first maximum over one axis",
         .dtypes = "any, to int64",
         .run = run_extreme<true, true>},
        {.type = "ArgMin",
         .formula = "index of the first minimum over one axis",
         .dtypes = "any, to int64",
         .run = run_extreme<false, true>},
    });
    return kRows;
}

}  // namespace npuscope::backend
