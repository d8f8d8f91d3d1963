// Softmax and its logarithm over one axis.
#include <array>
#include <cmath>
#include <limits>

#include "npu_backend/kernels/pointwise/pointwise.h"
#include "npu_backend/kernels/row_tiles.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/kernels/widened.h"
#include "npu_backend/numerics/vector_unit.h"

namespace npuscope::backend {

namespace {

/// How the steps before the exponential are rounded.
enum class Steps : uint8_t { kAsComputed, kFloat16, kFloat16Max };

/// One row: subtracts the maximum, then softmax or its logarithm.
template <class W>
class RowRecipe {
  public:
    RowRecipe(Steps steps, bool logarithm, const Numerics& numerics)
        : steps_(steps),
          logarithm_(logarithm),
          unit_(numerics),
          half_(numerics.overflow_mode()),
          order_(numerics.device.options.reduce_order) {}

    void operator()(std::span<W> row, bool finite) {
        if (row.empty()) return;
        W largest = row[0];
        for (const W value : row)
            largest = largest != largest || value <= largest ? largest : value;
        if (steps_ == Steps::kFloat16Max) largest = rounded(largest, finite);
        for (W& value : row) {
            value -= largest;
            if (steps_ == Steps::kFloat16) value = rounded(value, finite);
        }
        powers_.resize(row.size());
        for (size_t i = 0; i < row.size(); ++i)
            powers_[i] = unit_.exp(row[i]);
        sums_ = powers_;
        const W sum = repeat_sum(std::span<W>(sums_), order_);
        const W logarithm = logarithm_ ? unit_.ln(sum) : W{0};
        for (size_t i = 0; i < row.size(); ++i)
            row[i] = logarithm_ ? row[i] - logarithm : unit_.divide(powers_[i], sum);
    }

    [[nodiscard]] FloatStatus status() const {
        FloatStatus status = half_.status();
        status.bits &= FloatStatus::kOverflow;
        return status;
    }

  private:
    W rounded(W value, bool finite) {
        return widen<W>(half_(static_cast<double>(value), [finite] { return finite; }));
    }

    Steps steps_;
    bool logarithm_;
    VectorUnit<W> unit_;
    Rounder<Float16> half_;
    ReduceOrder order_;
    std::vector<W> powers_;
    std::vector<W> sums_;
};

template <class T>
Steps steps_of(const KernelCall& call, bool last_axis) {
    if (call.numerics.reference()) return Steps::kAsComputed;
    if (std::is_same_v<T, Float16>) return Steps::kFloat16;
    const bool narrow_max = !call.numerics.device.chip->reduce_max_float32;
    return std::is_same_v<T, float> && last_axis && narrow_max ? Steps::kFloat16Max
                                                               : Steps::kAsComputed;
}

template <class T>
void run_rows(KernelCall& call, bool logarithm) {
    using W = Wide<T>;
    const Tensor& x = call.input(0);
    const IntList& axes = call.ints("axes");
    const Rows rows = Rows::over(x, axes);
    const bool last_axis = axes.size() == 1 && axes[0] == x.ndim() - 1;
    const auto in = rows.data.as<T>();
    Tensor y(x.dtype(), rows.data.shape());
    const auto out = y.template mutable_as<T>();
    const OverflowMode mode = call.numerics.overflow_mode();
    for_row_tiles(call, rows.rows, rows.length, [&](int64_t first, int64_t end) {
        RowRecipe<W> recipe(steps_of<T>(call, last_axis), logarithm, call.numerics);
        Rounder<T> round(mode);
        FloatStatus status;
        std::vector<W> row(static_cast<size_t>(rows.length));
        for (int64_t r = first; r < end; ++r) {
            const auto at = static_cast<size_t>(r * rows.length);
            for (size_t i = 0; i < row.size(); ++i)
                row[i] = widen<W>(in[at + i]);
            const bool finite = all_finite(in.subspan(at, row.size()));
            if (!finite) status.raise(FloatStatus::kVectorInputNonFinite);
            recipe(std::span<W>(row), finite);
            for (size_t i = 0; i < row.size(); ++i)
                out[at + i] = round(static_cast<double>(row[i]), [finite] { return finite; });
        }
        status.merge(round.status());
        status.merge(recipe.status());
        return status;
    });
    call.outputs = {rows.restored(y, x.shape())};
}

void run_softmax(KernelCall& call) {
    visit_float(call, call.input(0).dtype(), [&]<class T>() { run_rows<T>(call, false); });
}

void run_log_softmax(KernelCall& call) {
    visit_float(call, call.input(0).dtype(), [&]<class T>() { run_rows<T>(call, true); });
}

}  // namespace

std::span<const Kernel> softmax_kernels() {
    constexpr std::string_view kDTypes =
        "float16: maximum and x - max in float16, the rest in float32; float32: the maximum of the "
        "last axis in float16 on 910A; bfloat16 through float32; float64";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "SoftmaxV2",
         .colour = PrecisionColour::kBlack,
         .formula = "e^(x - max) / sum e^(x - max) over axes",
         .dtypes = kDTypes,
         .run = run_softmax},
        {.type = "LogSoftmaxV2",
         .colour = PrecisionColour::kBlack,
         .formula = "x - max - ln(sum e^(x - max)) over axes",
         .dtypes = kDTypes,
         .source = "CANN operator SoftmaxV2 for the steps; LogSoftmaxV2's own are not public",
         .run = run_log_softmax},
    });
    return kRows;
}

}  // namespace npuscope::backend
