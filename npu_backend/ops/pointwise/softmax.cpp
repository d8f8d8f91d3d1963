// Softmax and its logarithm, and their gradients. input_dtype has a default because dumps of other
// frameworks leave dtypes out.
#include <array>
#include <limits>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

void lower_softmax(Lowering& op) {
    DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    if (op.flag("half_to_float")) dtype = DType::kFloat32;
    const int64_t axis = normalized_axis(op.integer("dim"), op.raw("self").ndim());
    Tensor x = op.cast(op.tensor("self"), dtype);
    op.result(op.launch(op.kernel(), {std::move(x)}, {{"axes", IntList{axis}}}), dtype);
}

void lower_softmax_gradient(Lowering& op) {
    const Operands pair = operands_of_one_shape(op, "grad_output", "output");
    const int64_t axis = normalized_axis(op.integer("dim"), pair.self.ndim());
    op.result(op.launch(op.kernel(), {pair.self, pair.other}, {{"axes", IntList{axis}}}),
              op.dtype("input_dtype").value_or(pair.dtype));
}

/// Rows that are masked everywhere give 0 where softmax gives nan. Source: PyTorch 2.5.
void lower_safe_softmax(Lowering& op) {
    const Tensor& self = op.raw("self");
    const DType dtype = op.dtype("dtype").value_or(self.dtype());
    const Tensor x = op.cast(op.tensor("self"), dtype);
    const int64_t axis = normalized_axis(op.integer("dim"), self.ndim());
    const Tensor y = op.launch("SoftmaxV2", {x}, {{"axes", IntList{axis}}});
    const Tensor largest =
        op.launch("ReduceMax", {x}, {{"axes", IntList{axis}}, {"keep_dims", true}});
    const Tensor lowest =
        Tensor::scalar<double>(-std::numeric_limits<double>::infinity()).cast(x.dtype());
    const Tensor masked = op.launch("Equal", {largest, lowest});
    const Tensor zero = Tensor::scalar<double>(0).cast(x.dtype());
    op.result(op.launch("SelectV2", {masked, zero, y}), dtype);
}

}  // namespace

std::span<const OpRow> softmax_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
         .launches = {"SoftmaxV2", "Cast"},
         .note = "SoftmaxV2, after Cast when half_to_float",
         .source = "spec",
         .lower = lower_softmax},
        {.schema = "_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
         .launches = {"LogSoftmaxV2", "Cast"},
         .note = "LogSoftmaxV2, after Cast when half_to_float",
         .source = "spec",
         .lower = lower_softmax},
        {.schema = "_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
         .launches = {"SoftmaxV2", "ReduceMax", "Equal", "SelectV2"},
         .lower = lower_safe_softmax},
        {.schema = "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType? "
                   "input_dtype=None) -> Tensor",
         .launches = {"SoftmaxGrad"},
         .source = "spec",
         .lower = lower_softmax_gradient},
        {.schema = "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, "
                   "ScalarType? input_dtype=None) -> Tensor",
         .launches = {"LogSoftmaxGrad"},
         .source = "table",
         .lower = lower_softmax_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
