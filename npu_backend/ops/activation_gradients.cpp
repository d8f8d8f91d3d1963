// Gradients of activations and of softmax.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// Both operands in one dtype, which must have one shape.
Operands gradient_and(Lowering& op, const char* other) {
    if (op.raw("grad_output").shape() != op.raw(other).shape())
        op.reject("grad_output " + to_string(op.raw("grad_output").shape()) + " and " + other +
                  " " + to_string(op.raw(other).shape()) + " must have one shape");
    return common_operands(op, "grad_output", other);
}

void lower_threshold_backward(Lowering& op) {
    const Operands pair = gradient_and(op, "self");
    const double threshold = op.number("threshold");
    op.result(
        threshold == 0.0
            ? op.launch("ReluGrad", {pair.self, pair.other})
            : op.launch("ThresholdGradV2D", {pair.self, pair.other}, {{"threshold", threshold}}),
        pair.dtype);
}

template <const char* kKernel, const char* kOther>
void lower_gradient(Lowering& op) {
    const Operands pair = gradient_and(op, kOther);
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

template <const char* kKernel>
void lower_softmax_gradient(Lowering& op) {
    const Operands pair = gradient_and(op, "output");
    const int64_t axis = normalized_axis(op.integer("dim"), pair.self.ndim());
    op.result(op.launch(kKernel, {pair.self, pair.other}, {{"axes", IntList{axis}}}),
              op.dtype("input_dtype").value_or(pair.dtype));
}

constexpr char kTanhGrad[] = "TanhGrad";
constexpr char kSigmoidGrad[] = "SigmoidGrad";
constexpr char kSwishGrad[] = "SwishGrad";
constexpr char kLogSoftmaxGrad[] = "LogSoftmaxGrad";
constexpr char kSoftmaxGrad[] = "SoftmaxGrad";
constexpr char kOutput[] = "output";
constexpr char kSelf[] = "self";

// input_dtype has a default because dumps of other frameworks leave dtypes out.
constexpr auto kRows = std::to_array<OpRow>({
    {"threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
     "ReluGrad for threshold 0, else ThresholdGradV2D",
     "spec",
     lower_threshold_backward},
    {"tanh_backward(Tensor grad_output, Tensor output) -> Tensor",
     "TanhGrad",
     "table",
     lower_gradient<kTanhGrad, kOutput>},
    {"sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
     "SigmoidGrad",
     "table",
     lower_gradient<kSigmoidGrad, kOutput>},
    {"silu_backward(Tensor grad_output, Tensor self) -> Tensor",
     "SwishGrad",
     "ours",
     lower_gradient<kSwishGrad, kSelf>},
    {"_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType? "
     "input_dtype=None) -> Tensor",
     "LogSoftmaxGrad",
     "table",
     lower_softmax_gradient<kLogSoftmaxGrad>},
    {"_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType? "
     "input_dtype=None) -> Tensor",
     "SoftmaxGrad",
     "spec",
     lower_softmax_gradient<kSoftmaxGrad>},
});

}  // namespace

extern const std::span<const OpRow> k_activation_gradients_ops;
const std::span<const OpRow> k_activation_gradients_ops = kRows;

}  // namespace npuscope::backend
