// Reductions beside the sums of given axes: of everything, deviations, norms, truths, extremes.
#include <array>
#include <limits>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// The axes that `dim` names (an int, a list or None), from the front; all where there are none.
IntList axes_of(const Lowering& op, int64_t ndim, bool has_dim) {
    IntList axes;
    if (has_dim && op.has("dim")) {
        const Value& dim = op.given("dim");
        if (const auto* one = std::get_if<int64_t>(&dim))
            axes = {normalized_axis(*one, ndim)};
        else
            for (const int64_t axis : op.ints("dim"))
                axes.push_back(normalized_axis(axis, ndim));
    }
    if (axes.empty())
        for (int64_t axis = 0; axis < ndim; ++axis)
            axes.push_back(axis);
    return axes;
}

NamedValues reduced(const IntList& axes, bool keep) {
    return {{"axes", axes}, {"keep_dims", keep}};
}

void lower_sum(Lowering& op) {
    op.become("sum_dim_IntList",
              {{"self", op.given("self")}, {"dim", IntList{}}, {"dtype", op.given("dtype")}});
}

void lower_mean(Lowering& op) {
    op.become("mean_dim",
              {{"self", op.given("self")}, {"dim", IntList{}}, {"dtype", op.given("dtype")}});
}

void lower_prod(Lowering& op) {
    const DType own = op.declared("self");
    const DType dtype = op.dtype("dtype").value_or(is_float(own) ? own : DType::kInt64);
    const Tensor x = op.cast(op.tensor("self"), dtype);
    op.result(op.launch("ReduceProd", {x}, reduced(axes_of(op, x.ndim(), false), false)), dtype);
}

/// Variance or deviation, then the mean where both are asked for.
template <bool kRoot, bool kHasDim, bool kWithMean>
void deviate(Lowering& op, double correction, bool keep) {
    const DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    const Tensor x = op.tensor("self");
    const IntList axes = axes_of(op, x.ndim(), kHasDim);
    const Tensor mean = op.launch("ReduceMean", {x}, reduced(axes, true));
    const Tensor spread = op.launch(
        kRoot ? "ReduceStdWithMean" : "ReduceStdV2Update",
        {x, mean},
        {{"dim", axes}, {"correction", correction}, {"if_std", kRoot}, {"keep_dims", keep}});
    op.result(spread, dtype);
    if (kWithMean) op.result(mean.reshaped(spread.shape()), dtype);
}

template <bool kRoot, bool kWithMean = false>
void lower_deviation(Lowering& op) {
    deviate<kRoot, false, kWithMean>(op, op.flag("unbiased") ? 1 : 0, false);
}

template <bool kRoot, bool kWithMean = false>
void lower_deviation_dim(Lowering& op) {
    deviate<kRoot, true, kWithMean>(op, op.flag("unbiased") ? 1 : 0, op.flag("keepdim"));
}

template <bool kRoot, bool kWithMean = false>
void lower_deviation_correction(Lowering& op) {
    deviate<kRoot, true, kWithMean>(
        op, op.has("correction") ? op.number("correction") : 1, op.flag("keepdim"));
}

void lower_extreme(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(op.launch(op.kernel(), {x}, reduced(axes_of(op, x.ndim(), false), false)),
              op.declared("self"));
}

void lower_extreme_dim(Lowering& op) {
    const Tensor self = op.tensor("self");
    const int64_t axis = normalized_axis(op.integer("dim"), self.ndim());
    const bool scalar = self.ndim() == 0;
    const std::vector<Tensor> both =
        op.launch_all(op.kernel(),
                      {scalar ? self.reshaped({1}) : self},
                      {{"dimension", axis}, {"keep_dims", op.flag("keepdim")}});
    if (both.size() != 2) op.reject("the kernel must give places and values");
    op.result(scalar ? both[1].reshaped({}) : both[1], op.declared("self"));
    op.result(scalar ? both[0].reshaped({}) : both[0], DType::kInt64);
}

void lower_aminmax(Lowering& op) {
    const Tensor x = op.tensor("self");
    const IntList axes = axes_of(op, x.ndim(), true);
    for (const char* kernel : {"ReduceMin", "ReduceMax"})
        op.result(op.launch(kernel, {x}, reduced(axes, op.flag("keepdim"))), op.declared("self"));
}

/// uint8 stays uint8. Source: PyTorch, all and any.
template <bool kHasDim>
void lower_truth(Lowering& op) {
    const Tensor truth = op.cast(op.tensor("self"), DType::kBool);
    Tensor y =
        op.launch(op.kernel(),
                  {truth},
                  reduced(axes_of(op, truth.ndim(), kHasDim), kHasDim && op.flag("keepdim")));
    const DType dtype = op.declared("self") == DType::kUInt8 ? DType::kUInt8 : DType::kBool;
    op.result(op.cast(std::move(y), dtype), dtype);
}

void lower_count_nonzero(Lowering& op) {
    const Tensor truth = op.cast(op.cast(op.tensor("self"), DType::kBool), DType::kInt64);
    op.result(op.launch("ReduceSum", {truth}, reduced(axes_of(op, truth.ndim(), true), false)),
              DType::kInt64);
}

/// In float32 at least; the root and the sum are two launches. Source: CANN adapter, norm.
void norm(Lowering& op, double p, const IntList& axes, bool keep, DType dtype) {
    const DType inside = dtype == DType::kFloat64 ? dtype : DType::kFloat32;
    const Tensor x = op.cast(op.cast(op.tensor("self"), dtype), inside);
    NamedValues attributes = reduced(axes, keep);
    attributes.push_back({"p", p});
    const Tensor sum = op.launch("LpNormReduce", {x}, std::move(attributes));
    op.result(op.launch("LpNormUpdate", {sum}, {{"p", p}}), dtype);
}

void lower_norm(Lowering& op) {
    const DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    norm(op, op.number("p"), axes_of(op, op.raw("self").ndim(), false), false, dtype);
}

void lower_norm_dim(Lowering& op) {
    DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    norm(op,
         op.has(op.argument()) ? op.number(op.argument()) : 2.0,
         axes_of(op, op.raw("self").ndim(), true),
         op.flag("keepdim"),
         dtype);
}

void lower_vector_norm(Lowering& op) {
    const DType dtype = op.dtype("dtype").value_or(op.declared("self"));
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    norm(op, op.number("ord"), axes_of(op, op.raw("self").ndim(), true), op.flag("keepdim"), dtype);
}

void lower_log_sum_exp(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    const Tensor x = op.cast(op.tensor("self"), dtype);
    op.result(
        op.launch("ReduceLogSumExp", {x}, reduced(axes_of(op, x.ndim(), true), op.flag("keepdim"))),
        dtype);
}

void lower_cumprod(Lowering& op) {
    const DType own = op.declared("self");
    const DType dtype = op.dtype("dtype").value_or(is_float(own) ? own : DType::kInt64);
    const Tensor x = op.cast(op.tensor("self"), dtype);
    if (x.ndim() == 0) {
        op.result(x, dtype);
        return;
    }
    const int64_t axis = normalized_axis(op.integer("dim"), x.ndim());
    op.result(op.launch("Cumprod", {x}, {{"axis", axis}, {"exclusive", false}, {"reverse", false}}),
              dtype);
}

}  // namespace

std::span<const OpRow> statistics_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"ReduceSum"},
         .note = "ReduceSum; integers stay exact",
         .source = "table",
         .lower = lower_sum,
         .sum = "result"},
        {.schema = "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"ReduceMean"},
         .source = "table",
         .lower = lower_mean,
         .sum = "result"},
        {.schema = "prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"ReduceProd"},
         .note = "ReduceProd; integers stay exact",
         .source = "table",
         .lower = lower_prod},
        {.schema = "var(Tensor self, bool unbiased=True) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .source = "table",
         .lower = lower_deviation<false>},
        {.schema =
             "var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .source = "table",
         .lower = lower_deviation_dim<false>},
        {.schema = "var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
                   "keepdim=False) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .lower = lower_deviation_correction<false>},
        {.schema = "std(Tensor self, bool unbiased=True) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdWithMean"},
         .source = "table",
         .lower = lower_deviation<true>},
        {.schema =
             "std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdWithMean"},
         .source = "table",
         .lower = lower_deviation_dim<true>},
        {.schema = "std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
                   "keepdim=False) -> Tensor",
         .launches = {"ReduceMean", "ReduceStdWithMean"},
         .lower = lower_deviation_correction<true>},
        {.schema = "var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) "
                   "-> (Tensor, Tensor)",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .source = "table",
         .lower = lower_deviation_dim<false, true>,
         .sum = "result1"},
        {.schema = "var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                   "bool keepdim=False) -> (Tensor, Tensor)",
         .launches = {"ReduceMean", "ReduceStdV2Update"},
         .lower = lower_deviation_correction<false, true>,
         .sum = "result1"},
        {.schema = "std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                   "bool keepdim=False) -> (Tensor, Tensor)",
         .launches = {"ReduceMean", "ReduceStdWithMean"},
         .lower = lower_deviation_correction<true, true>,
         .sum = "result1"},
        {.schema = "max(Tensor self) -> Tensor",
         .launches = {"ReduceMax"},
         .source = "table",
         .lower = lower_extreme},
        {.schema = "min(Tensor self) -> Tensor",
         .launches = {"ReduceMin"},
         .source = "table",
         .lower = lower_extreme},
        {.schema =
             "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
         .launches = {"ArgMaxWithValue"},
         .source = "table",
         .lower = lower_extreme_dim},
        {.schema =
             "min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
         .launches = {"ArgMinWithValue"},
         .source = "table",
         .lower = lower_extreme_dim},
        {.schema = "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, "
                   "Tensor max)",
         .launches = {"ReduceMin", "ReduceMax"},
         .lower = lower_aminmax},
        {.schema = "any(Tensor self) -> Tensor",
         .launches = {"ReduceAny", "Cast"},
         .note = "Cast, ReduceAny",
         .source = "table",
         .lower = lower_truth<false>},
        {.schema = "any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
         .launches = {"ReduceAny", "Cast"},
         .note = "Cast, ReduceAny",
         .source = "table",
         .lower = lower_truth<true>},
        {.schema = "any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
         .launches = {"ReduceAny", "Cast"},
         .note = "Cast, ReduceAny",
         .lower = lower_truth<true>},
        {.schema = "all(Tensor self) -> Tensor",
         .launches = {"ReduceAll", "Cast"},
         .note = "Cast, ReduceAll",
         .source = "table",
         .lower = lower_truth<false>},
        {.schema = "all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
         .launches = {"ReduceAll", "Cast"},
         .note = "Cast, ReduceAll",
         .source = "table",
         .lower = lower_truth<true>},
        {.schema = "count_nonzero(Tensor self, int? dim=None) -> Tensor",
         .launches = {"Cast", "ReduceSum"},
         .note = "Cast to bool, Cast to int64, ReduceSum",
         .lower = lower_count_nonzero},
        {.schema = "norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
         .launches = {"Cast", "LpNormReduce", "LpNormUpdate"},
         .note = "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
         .source = "table",
         .lower = lower_norm},
        {.schema =
             "norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
         .launches = {"Cast", "LpNormReduce", "LpNormUpdate"},
         .note = "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
         .source = "table",
         .lower = lower_norm_dim,
         .argument = "p"},
        {.schema = "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool "
                   "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"Cast", "LpNormReduce", "LpNormUpdate"},
         .note = "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
         .lower = lower_vector_norm},
        {.schema = "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
         .launches = {"ReduceLogSumExp"},
         .lower = lower_log_sum_exp},
        {.schema = "cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"Cumprod"},
         .note = "Cumprod; integers stay exact",
         .source = "indirect",
         .lower = lower_cumprod},
    });
    return kRows;
}

}  // namespace npuscope::backend
