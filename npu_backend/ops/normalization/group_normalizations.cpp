// Group norm, and the gradients of group norm and layer norm.
#include <algorithm>
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// The argument, or a constant in its place.
Tensor tensor_or(Lowering& op, const char* name, DType dtype, const Shape& shape, bool one) {
    if (op.has(name)) return op.cast(op.tensor(name), dtype);
    return op.launch(one ? "OnesLike" : "ZerosLike", {Tensor(op.numerics().held(dtype), shape)});
}

/// Those of three results that the mask asks for.
void give(Lowering& op, const std::vector<Tensor>& results, const std::array<DType, 3>& dtypes) {
    const std::vector<bool>& wanted = op.mask("output_mask", 3);
    if (results.size() != 3) op.reject("the kernel must give three gradients");
    for (size_t i = 0; i < 3; ++i) {
        if (wanted[i])
            op.result(results[i], dtypes[i]);
        else
            op.no_result();
    }
}

void lower_layer_norm_gradient(Lowering& op) {
    const Tensor& input = op.raw("input");
    const Tensor& given = op.raw("grad_out");
    const IntList& normalized = op.ints("normalized_shape");
    if (given.shape() != input.shape() || normalized.size() > input.shape().size() ||
        !std::equal(normalized.rbegin(), normalized.rend(), input.shape().rbegin()))
        op.reject("grad_out " + to_string(given.shape()) + ", input " + to_string(input.shape()) +
                  " and normalized_shape " + to_string(normalized) + " do not fit");
    const DType dtype = input.dtype();
    const DType parameters = op.has("weight") ? op.declared("weight") : dtype;
    give(op,
         op.launch_all("LayerNormGrad",
                       {op.cast(op.tensor("grad_out"), dtype),
                        op.tensor("input"),
                        op.cast(op.tensor("mean"), dtype),
                        op.cast(op.tensor("rstd"), dtype),
                        tensor_or(op, "weight", dtype, normalized, true)}),
         {dtype, parameters, parameters});
}

/// [N, C, HxW], whatever the sizes behind the channels.
Tensor planes(Lowering& op, const char* name) {
    const Tensor x = op.tensor(name);
    const int64_t count = op.integer("N") * op.integer("C") * op.integer("HxW");
    if (op.integer("N") < 0 || op.integer("C") < 1 || x.numel() != count)
        op.reject(std::string(name) + " " + to_string(x.shape()) +
                  " does not have N C HxW elements");
    return x.reshaped({op.integer("N"), op.integer("C"), op.integer("HxW")});
}

void lower_group_norm(Lowering& op) {
    const Tensor& input = op.raw("input");
    const DType dtype = input.dtype();
    const Shape channels = {op.integer("C")};
    const std::vector<Tensor> outputs =
        op.launch_all("GroupNorm",
                      {planes(op, "input"),
                       tensor_or(op, "weight", dtype, channels, true),
                       tensor_or(op, "bias", dtype, channels, false)},
                      {{"num_groups", op.integer("group")}, {"epsilon", op.number("eps")}});
    if (outputs.size() != 3) op.reject("kernel GroupNorm must give y, mean and rstd");
    op.result(outputs[0].reshaped(input.shape()), dtype);
    op.result(outputs[1], dtype);
    op.result(outputs[2], dtype);
}

void lower_group_norm_gradient(Lowering& op) {
    const Tensor& input = op.raw("input");
    const DType dtype = input.dtype();
    std::vector<Tensor> results =
        op.launch_all("GroupNormGrad",
                      {op.cast(planes(op, "grad_out"), dtype),
                       planes(op, "input"),
                       op.cast(op.tensor("mean"), dtype),
                       op.cast(op.tensor("rstd"), dtype),
                       tensor_or(op, "weight", dtype, {op.integer("C")}, true)},
                      {{"num_groups", op.integer("group")}});
    if (!results.empty()) results[0] = results[0].reshaped(input.shape());
    give(op, results, {dtype, dtype, dtype});
}

}  // namespace

std::span<const OpRow> group_normalizations_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "native_layer_norm_backward(Tensor grad_out, Tensor input, int[] "
                   "normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, "
                   "bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
         .launches = {"OnesLike", "LayerNormGrad"},
         .note = "OnesLike for a missing weight; LayerNormGrad",
         .source = "table",
         .lower = lower_layer_norm_gradient,
         .sum = "result2"},
        {.schema = "native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, "
                   "int HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
         .launches = {"OnesLike", "ZerosLike", "GroupNorm"},
         .note = "OnesLike, ZerosLike for missing parameters; GroupNorm",
         .lower = lower_group_norm,
         .sum = "result1"},
        {.schema = "native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor "
                   "rstd, Tensor? weight, int N, int C, int HxW, int group, bool[3] output_mask) "
                   "-> (Tensor, Tensor, Tensor)",
         .launches = {"OnesLike", "GroupNormGrad"},
         .note = "OnesLike for a missing weight; GroupNormGrad",
         .lower = lower_group_norm_gradient,
         .sum = "result2"},
    });
    return kRows;
}

}  // namespace npuscope::backend
