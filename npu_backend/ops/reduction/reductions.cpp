// Sums, means, products, extremes and truths over axes.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/promotion.h"
#include "npu_backend/ops/reduction/axes.h"

namespace npuscope::backend {

namespace {

void reduce(Lowering& op, DType dtype) {
    const Tensor x = op.cast(op.tensor("self"), dtype);
    op.result(op.launch(op.kernel(), {x}, reduction_of(op, x.ndim())), dtype);
}

/// Sums and products.
void lower_sum(Lowering& op) {
    reduce(op, sum_type(op));
}

void lower_mean(Lowering& op) {
    const DType dtype = op.dtype("dtype").value_or(op.declared("self"));
    if (!is_float(dtype)) op.reject("the mean of integers needs a float dtype");
    reduce(op, dtype);
}

void lower_extreme(Lowering& op) {
    reduce(op, op.declared("self"));
}

void lower_log_sum_exp(Lowering& op) {
    reduce(op, float_type(op.declared("self")));
}

void lower_aminmax(Lowering& op) {
    const Tensor x = op.tensor("self");
    for (const size_t kernel : {0, 1})
        op.result(op.launch(op.kernel(kernel), {x}, reduction_of(op, x.ndim())),
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

/// uint8 stays uint8. Source: PyTorch, all and any.
void lower_any(Lowering& op) {
    const Tensor truth = op.cast(op.tensor("self"), DType::kBool);
    Tensor y = op.launch(op.kernel(), {truth}, reduction_of(op, truth.ndim()));
    const DType dtype = op.declared("self") == DType::kUInt8 ? DType::kUInt8 : DType::kBool;
    op.result(op.cast(std::move(y), dtype), dtype);
}

void lower_count_nonzero(Lowering& op) {
    const Tensor truth = op.cast(op.cast(op.tensor("self"), DType::kBool), DType::kInt64);
    op.result(op.launch("ReduceSum", {truth}, reduction_of(op, truth.ndim())), DType::kInt64);
}

void lower_place_of_extreme(Lowering& op) {
    Tensor self = op.tensor("self");
    if (!op.has("dim")) self = self.reshaped({-1});
    const int64_t axis =
        op.has("dim") ? normalized_axis(op.integer("dim"), self.ndim()) : int64_t{0};
    const bool keep = op.flag("keepdim");
    Tensor index = op.launch(
        op.kernel(), {self}, {{"axes", IntList{axis}}, {"keep_dims", keep && op.has("dim")}});
    if (keep && !op.has("dim"))
        index = index.reshaped(Shape(static_cast<size_t>(op.raw("self").ndim()), 1));
    op.result(std::move(index), DType::kInt64);
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a row an op
std::span<const OpRow> reductions_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"ReduceSum"},
         .note = "ReduceSum; integers stay exact",
         .source = "table",
         .lower = lower_sum,
         .sum = "result"},
        {.schema = "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
                   "dtype=None) -> Tensor",
         .launches = {"ReduceSum"},
         .note = "ReduceSum; integers stay exact",
         .source = "spec",
         .lower = lower_sum,
         .sum = "result"},
        {.schema = "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"ReduceMean"},
         .source = "table",
         .lower = lower_mean,
         .sum = "result"},
        {.schema = "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
                   "dtype=None) -> Tensor",
         .launches = {"ReduceMean"},
         .source = "spec",
         .lower = lower_mean,
         .sum = "result"},
        {.schema = "prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"ReduceProd"},
         .note = "ReduceProd; integers stay exact",
         .source = "table",
         .lower = lower_sum},
        {.schema = "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? "
                   "dtype=None) -> Tensor",
         .launches = {"ReduceProd"},
         .note = "ReduceProd; integers stay exact",
         .source = "table",
         .lower = lower_sum},
        {.schema = "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
         .launches = {"ReduceMax"},
         .lower = lower_extreme},
        {.schema = "amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
         .launches = {"ReduceMin"},
         .lower = lower_extreme},
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
         .lower = lower_any},
        {.schema = "any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
         .launches = {"ReduceAny", "Cast"},
         .note = "Cast, ReduceAny",
         .source = "table",
         .lower = lower_any},
        {.schema = "any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
         .launches = {"ReduceAny", "Cast"},
         .note = "Cast, ReduceAny",
         .lower = lower_any},
        {.schema = "all(Tensor self) -> Tensor",
         .launches = {"ReduceAll", "Cast"},
         .note = "Cast, ReduceAll",
         .source = "table",
         .lower = lower_any},
        {.schema = "all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
         .launches = {"ReduceAll", "Cast"},
         .note = "Cast, ReduceAll",
         .source = "table",
         .lower = lower_any},
        {.schema = "count_nonzero(Tensor self, int? dim=None) -> Tensor",
         .launches = {"Cast", "ReduceSum"},
         .note = "Cast to bool, Cast to int64, ReduceSum",
         .lower = lower_count_nonzero},
        {.schema = "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
         .launches = {"ReduceLogSumExp"},
         .lower = lower_log_sum_exp},
        {.schema = "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
         .launches = {"ArgMaxV2"},
         .source = "table",
         .lower = lower_place_of_extreme},
        {.schema = "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
         .launches = {"ArgMin"},
         .source = "table",
         .lower = lower_place_of_extreme},
    });
    return kRows;
}

}  // namespace npuscope::backend
