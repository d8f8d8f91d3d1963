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

template <const char* kKernel>
void lower_extreme(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(op.launch(kKernel, {x}, reduced(axes_of(op, x.ndim(), false), false)),
              op.declared("self"));
}

template <const char* kKernel>
void lower_extreme_dim(Lowering& op) {
    const Tensor self = op.tensor("self");
    const int64_t axis = normalized_axis(op.integer("dim"), self.ndim());
    const bool scalar = self.ndim() == 0;
    const std::vector<Tensor> both =
        op.launch_all(kKernel,
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
template <const char* kKernel, bool kHasDim>
void lower_truth(Lowering& op) {
    const Tensor truth = op.cast(op.tensor("self"), DType::kBool);
    Tensor y =
        op.launch(kKernel,
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

template <const char* kOrder>
void lower_norm_dim(Lowering& op) {
    DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    norm(op,
         op.has(kOrder) ? op.number(kOrder) : 2.0,
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

constexpr char kReduceMax[] = "ReduceMax";
constexpr char kReduceMin[] = "ReduceMin";
constexpr char kMaxWithValue[] = "ArgMaxWithValue";
constexpr char kMinWithValue[] = "ArgMinWithValue";
constexpr char kAny[] = "ReduceAny";
constexpr char kAll[] = "ReduceAll";
constexpr char kP[] = "p";

constexpr auto kRows = std::to_array<OpRow>({
    {"sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
     "ReduceSum; integers stay exact",
     "table",
     lower_sum,
     "result"},
    {"mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
     "ReduceMean",
     "table",
     lower_mean,
     "result"},
    {"prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
     "ReduceProd; integers stay exact",
     "table",
     lower_prod},
    {"var(Tensor self, bool unbiased=True) -> Tensor",
     "ReduceMean, ReduceStdV2Update",
     "table",
     lower_deviation<false>},
    {"var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
     "ReduceMean, ReduceStdV2Update",
     "table",
     lower_deviation_dim<false>},
    {"var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
     "keepdim=False) -> Tensor",
     "ReduceMean, ReduceStdV2Update",
     "ours",
     lower_deviation_correction<false>},
    {"std(Tensor self, bool unbiased=True) -> Tensor",
     "ReduceMean, ReduceStdWithMean",
     "table",
     lower_deviation<true>},
    {"std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
     "ReduceMean, ReduceStdWithMean",
     "table",
     lower_deviation_dim<true>},
    {"std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
     "keepdim=False) -> Tensor",
     "ReduceMean, ReduceStdWithMean",
     "ours",
     lower_deviation_correction<true>},
    {"var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, "
     "Tensor)",
     "ReduceMean, ReduceStdV2Update",
     "table",
     lower_deviation_dim<false, true>,
     "result1"},
    {"var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
     "keepdim=False) -> (Tensor, Tensor)",
     "ReduceMean, ReduceStdV2Update",
     "ours",
     lower_deviation_correction<false, true>,
     "result1"},
    {"std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
     "keepdim=False) -> (Tensor, Tensor)",
     "ReduceMean, ReduceStdWithMean",
     "ours",
     lower_deviation_correction<true, true>,
     "result1"},
    {"max(Tensor self) -> Tensor", "ReduceMax", "table", lower_extreme<kReduceMax>},
    {"min(Tensor self) -> Tensor", "ReduceMin", "table", lower_extreme<kReduceMin>},
    {"max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     "ArgMaxWithValue",
     "table",
     lower_extreme_dim<kMaxWithValue>},
    {"min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     "ArgMinWithValue",
     "table",
     lower_extreme_dim<kMinWithValue>},
    {"aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
     "ReduceMin, ReduceMax",
     "ours",
     lower_aminmax},
    {"any(Tensor self) -> Tensor", "Cast, ReduceAny", "table", lower_truth<kAny, false>},
    {"any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
     "Cast, ReduceAny",
     "table",
     lower_truth<kAny, true>},
    {"any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
     "Cast, ReduceAny",
     "ours",
     lower_truth<kAny, true>},
    {"all(Tensor self) -> Tensor", "Cast, ReduceAll", "table", lower_truth<kAll, false>},
    {"all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
     "Cast, ReduceAll",
     "table",
     lower_truth<kAll, true>},
    {"count_nonzero(Tensor self, int? dim=None) -> Tensor",
     "Cast to bool, Cast to int64, ReduceSum",
     "ours",
     lower_count_nonzero},
    {"norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
     "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
     "table",
     lower_norm},
    {"norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
     "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
     "table",
     lower_norm_dim<kP>},
    {"linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, "
     "ScalarType? dtype=None) -> Tensor",
     "Cast to float32, LpNormReduce, LpNormUpdate, Cast",
     "ours",
     lower_vector_norm},
    {"logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
     "ReduceLogSumExp",
     "ours",
     lower_log_sum_exp},
    {"cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
     "Cumprod; integers stay exact",
     "indirect",
     lower_cumprod},
});

}  // namespace

extern const std::span<const OpRow> k_statistics_ops;
const std::span<const OpRow> k_statistics_ops = kRows;

}  // namespace npuscope::backend
