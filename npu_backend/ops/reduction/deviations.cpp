// Variances and standard deviations.
#include <array>

#include "npu_backend/ops/reduction/axes.h"

namespace npuscope::backend {

namespace {

/// Variance or deviation by the row's second kernel; then the mean, where the op gives it too.
template <bool kWithMean>
void lower_deviation(Lowering& op) {
    const DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    const Tensor x = op.tensor("self");
    const IntList axes = axes_of(op, x.ndim());
    const double correction = op.declares("unbiased") ? op.flag("unbiased")
                              : op.has("correction")  ? op.number("correction")
                                                      : 1;
    const Tensor mean = op.launch("ReduceMean", {x}, {{"axes", axes}, {"keep_dims", true}});
    const Tensor spread = op.launch(op.kernel(1),
                                    {x, mean},
                                    {{"dim", axes},
                                     {"correction", correction},
                                     {"if_std", op.kernel(1) == "ReduceStdWithMean"},
                                     {"keep_dims", keeps_axes(op)}});
    op.result(spread, dtype);
    if (kWithMean) op.result(mean.reshaped(spread.shape()), dtype);
}

}  // namespace

std::span<const OpRow> deviations_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "var(Tensor self, bool unbiased=True) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .source = "table",
         .lower = lower_deviation<false>},
        {.schema =
             "var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .source = "table",
         .lower = lower_deviation<false>},
        {.schema = "var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
                   "keepdim=False) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .lower = lower_deviation<false>},
        {.schema = "std(Tensor self, bool unbiased=True) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdWithMean"},
         .source = "table",
         .lower = lower_deviation<false>},
        {.schema =
             "std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdWithMean"},
         .source = "table",
         .lower = lower_deviation<false>},
        {.schema = "std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
                   "keepdim=False) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdWithMean"},
         .lower = lower_deviation<false>},
        {.schema = "var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) "
                   "-> (Tensor, Tensor)",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .source = "table",
         .lower = lower_deviation<true>,
         .sum = "result1"},
        {.schema = "var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                   "bool keepdim=False) -> (Tensor, Tensor)",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .lower = lower_deviation<true>,
         .sum = "result1"},
        {.schema = "std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                   "bool keepdim=False) -> (Tensor, Tensor)",
         .launches = {"ReduceMean", "ReduceStdWithMean"},
         .lower = lower_deviation<true>,
         .sum = "result1"},
    });
    return kRows;
}

}  // namespace npuscope::backend
