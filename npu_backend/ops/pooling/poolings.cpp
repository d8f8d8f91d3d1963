// Pooling over the last two dimensions.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// [C, H, W] as a batch of one.
Tensor batched(const Lowering& op, const Tensor& self) {
    if (self.ndim() == 4) return self;
    if (self.ndim() != 3) op.reject("self must have 3 or 4 dimensions");
    return self.reshaped({1, self.dim(0), self.dim(1), self.dim(2)});
}

Tensor unbatched(const Tensor& tensor, int64_t ndim) {
    if (ndim == 4) return tensor;
    return tensor.reshaped({tensor.dim(1), tensor.dim(2), tensor.dim(3)});
}

IntList strides_of(const Lowering& op, const IntList& kernel) {
    return op.ints("stride").empty() ? kernel : op.sizes("stride", 2);
}

void lower_max_pool(Lowering& op) {
    const Tensor self = op.tensor("self");
    const IntList kernel = op.sizes("kernel_size", 2);
    const IntList stride = strides_of(op, kernel);
    const IntList padding = op.sizes("padding", 2, 0);
    const IntList dilation = op.sizes("dilation", 2, 1);
    Tensor x = op.format_cast(batched(op, self), "NCHW", "NC1HWC0");
    std::vector<Tensor> outputs =
        op.launch_all("MaxPoolWithArgmaxV1",
                      {std::move(x)},
                      {{"ksize", IntList{1, 1, kernel[0], kernel[1]}},
                       {"strides", IntList{1, 1, stride[0], stride[1]}},
                       {"pads", IntList{0, 0, padding[0], padding[1]}},
                       {"dilation", IntList{1, 1, dilation[0], dilation[1]}},
                       {"ceil_mode", op.flag("ceil_mode")}});
    if (outputs.size() != 2) op.reject("kernel MaxPoolWithArgmaxV1 must give y and argmax");
    const Tensor y = op.format_cast(outputs[0], "NC1HWC0", "NCHW");
    op.result(unbatched(y, self.ndim()), op.declared("self"));
    op.result(unbatched(outputs[1], self.ndim()), DType::kInt64);
}

void lower_average_pool(Lowering& op) {
    const Tensor self = op.tensor("self");
    const IntList kernel = op.sizes("kernel_size", 2);
    const IntList stride = strides_of(op, kernel);
    const IntList padding = op.sizes("padding", 2, 0);
    NamedValues attributes = {{"ksize", IntList{1, 1, kernel[0], kernel[1]}},
                              {"strides", IntList{1, 1, stride[0], stride[1]}},
                              {"pads", IntList{padding[0], padding[0], padding[1], padding[1]}},
                              {"ceil_mode", op.flag("ceil_mode")},
                              {"exclusive", !op.flag("count_include_pad")}};
    if (op.has("divisor_override")) {
        if (op.integer("divisor_override") == 0) op.reject("divisor_override must not be 0");
        attributes.push_back({"divisor_override", op.integer("divisor_override")});
    }
    const Tensor y = op.launch("AvgPoolV2", {batched(op, self)}, std::move(attributes));
    op.result(unbatched(y, self.ndim()), op.declared("self"));
}

}  // namespace

std::span<const OpRow> poolings_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], "
                   "int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
         .launches = {"TransData", "MaxPoolWithArgmaxV1"},
         .note = "TransData(x), MaxPoolWithArgmaxV1, TransData(y); places as ATen counts them",
         .source = "spec",
         .lower = lower_max_pool},
        {.schema =
             "avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool "
             "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
         .launches = {"AvgPoolV2"},
         .source = "table",
         .lower = lower_average_pool,
         .sum = "result"},
    });
    return kRows;
}

}  // namespace npuscope::backend
