// Reductions beside sums and extremes: deviations, norms, truths, extremes with their places.
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/kernels/pointwise/formula.h"
#include "npu_backend/kernels/rows.h"

namespace npuscope::backend {

namespace {

/// y[row] = round(f(the row's elements in the wide type)); f may overwrite them.
template <class T, class F>
Tensor reduce_rows(KernelCall& call, const Rows& rows, F&& f) {
    using W = Wide<T>;
    Tensor y(kDTypeOf<T>, call.flag("keep_dims") ? rows.with_ones : rows.kept);
    const auto in = rows.data.as<T>();
    const auto out = y.template mutable_as<T>();
    const bool finite = all_finite(in);
    if (!finite) call.status.raise(FloatStatus::kVectorInputNonFinite);
    const auto length = static_cast<size_t>(rows.length);
    for_tiles(rows.rows, call, [&](int64_t begin, int64_t end) {
        Rounder<T> round(call.numerics.overflow_mode());
        std::vector<W> row(length);
        for (auto r = static_cast<size_t>(begin); r < static_cast<size_t>(end); ++r) {
            for (size_t i = 0; i < length; ++i)
                row[i] = widen<W>(in[r * length + i]);
            out[r] = round(static_cast<double>(f(r, std::span<W>(row))), always(finite));
        }
        return round.status();
    });
    return y;
}

/// Inputs x and its mean with 1 at each axis of `dim`. Attributes dim, correction, if_std,
/// keep_dims.
void run_deviation(KernelCall& call) {
    const Tensor& x = call.input(0);
    const Rows rows = Rows::over(x, call.ints("dim"));
    if (call.input(1).numel() != rows.rows || call.input(1).dtype() != x.dtype())
        call.refuse(call.input(1).dtype());
    const double freedom =
        std::max(static_cast<double>(rows.length) - call.number("correction"), 0.0);
    const bool root = call.flag("if_std");
    visit_float(call, x.dtype(), [&]<class T>() {
        using W = Wide<T>;
        const auto means = call.input(1).as<T>();
        call.outputs = {reduce_rows<T>(call, rows, [&](size_t r, std::span<W> row) {
            const W mean = widen<W>(means[r]);
            for (W& value : row)
                value = (value - mean) * (value - mean);
            const W variance = repeat_sum(row, call.numerics.device.options.reduce_order) /
                               static_cast<W>(freedom);
            return root ? std::sqrt(variance) : variance;
        })};
    });
}

/// Attributes p, axes, keep_dims: the sum of |x|^p, the largest or least |x|, or how many are not
/// 0.
void run_norm_reduce(KernelCall& call) {
    const Rows rows = Rows::over(call.input(0), call.ints("axes"));
    const double p = call.number("p");
    if (rows.length == 0 && p < 0)
        throw Error(ErrorKind::kUsage, "kernel LpNormReduce: a row without elements has no norm");
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        using W = Wide<T>;
        call.outputs = {reduce_rows<T>(call, rows, [&](size_t, std::span<W> row) {
            for (W& value : row)
                value = std::fabs(value);
            if (std::isinf(p)) {
                W extreme = row.empty() ? W{0} : row[0];
                for (const W value : row)
                    if (value != value ||
                        (extreme == extreme && (p > 0 ? value > extreme : value < extreme)))
                        extreme = value;
                return extreme;
            }
            for (W& value : row) {
                if (p == 0)
                    value = value != 0 ? W{1} : W{0};
                else if (p == 2)
                    value *= value;
                else if (p != 1)
                    value = static_cast<W>(std::pow(static_cast<double>(value), p));
            }
            return repeat_sum(row, call.numerics.device.options.reduce_order);
        })};
    });
}

void run_norm_update(KernelCall& call) {
    run_formula_of<1>(call, [p = call.number("p")](auto x) {
        using W = decltype(x);
        if (p == 2) return std::sqrt(x);
        if (p == 0 || p == 1 || std::isinf(p)) return x;
        return static_cast<W>(std::pow(static_cast<double>(x), 1.0 / p));
    });
}

void run_log_sum_exp(KernelCall& call) {
    const Rows rows = Rows::over(call.input(0), call.ints("axes"));
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        using W = Wide<T>;
        call.outputs = {reduce_rows<T>(call, rows, [&](size_t, std::span<W> row) {
            W largest = row.empty() ? -std::numeric_limits<W>::infinity() : row[0];
            for (const W value : row)
                largest = largest != largest || value <= largest ? largest : value;
            if (std::isinf(largest)) largest = 0;
            for (W& value : row)
                value = exp_step(value - largest);
            return largest + log_step(pairwise_sum(row));
        })};
    });
}

/// Of a bool tensor.
template <bool kAll>
void run_truth(KernelCall& call) {
    if (call.input(0).dtype() != DType::kBool) call.refuse(call.input(0).dtype());
    const Rows rows = Rows::over(call.input(0), call.ints("axes"));
    Tensor y(DType::kBool, call.flag("keep_dims") ? rows.with_ones : rows.kept);
    const auto in = rows.data.as<bool>();
    for (int64_t row = 0; row < rows.rows; ++row) {
        bool truth = kAll;
        for (int64_t i = 0; i < rows.length; ++i) {
            const bool value = in[static_cast<size_t>(row * rows.length + i)];
            truth = kAll ? truth && value : truth || value;
        }
        y.mutable_as<bool>()[static_cast<size_t>(row)] = truth;
    }
    call.outputs = {std::move(y)};
}

/// Attributes dimension, keep_dims. Outputs the place and the value.
template <bool kMax>
void run_extreme_with_place(KernelCall& call) {
    const NamedValues attributes = {{"axes", IntList{call.integer("dimension")}},
                                    {"keep_dims", call.flag("keep_dims")}};
    call.outputs.clear();
    for (const char* type : {kMax ? "ArgMaxV2" : "ArgMin", kMax ? "ReduceMax" : "ReduceMin"}) {
        const Kernel* row = find_kernel(type);
        KernelCall part{row->type, {call.input(0)}, attributes, call.numerics};
        row->run(part);
        call.status.merge(part.status);
        call.outputs.push_back(std::move(part.outputs.at(0)));
    }
}

}  // namespace

std::span<const Kernel> statistics_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "ReduceStdV2Update",
         .formula = "sum over dim of (x - mean)^2, over N - correction; its root with if_std",
         .dtypes = kThroughFloat32,
         .source = "; order as ReduceSum",
         .run = run_deviation},
        {.type = "ReduceStdWithMean",
         .formula = "root of sum over dim of (x - mean)^2, over N - correction",
         .dtypes = kThroughFloat32,
         .source = "; order as ReduceSum",
         .run = run_deviation},
        {.type = "LpNormReduce",
         .formula =
             "sum over axes of |x|^p; largest, least |x| for p inf, -inf; count of x != 0 for p 0",
         .dtypes = kThroughFloat32,
         .source = "; order as ReduceSum",
         .run = run_norm_reduce},
        {.type = "LpNormUpdate",
         .formula = "x^(1/p); x for p 0, 1, inf, -inf",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_norm_update},
        {.type = "ReduceLogSumExp",
         .formula = "max + ln(sum over axes of e^(x - max))",
         .dtypes = kThroughFloat32,
         .source = "; steps ours",
         .run = run_log_sum_exp},
        {.type = "ReduceAny",
         .formula = "whether any over axes is true",
         .dtypes = "bool",
         .run = run_truth<false>},
        {.type = "ReduceAll",
         .formula = "whether all over axes are true",
         .dtypes = "bool",
         .run = run_truth<true>},
        {.type = "ArgMaxWithValue",
         .formula = "place and value of the first maximum over one axis",
         .dtypes = "any",
         .run = run_extreme_with_place<true>},
        {.type = "ArgMinWithValue",
         .formula = "place and value of the first minimum over one axis",
         .dtypes = "any",
         .run = run_extreme_with_place<false>},
    });
    return kRows;
}

}  // namespace npuscope::backend
