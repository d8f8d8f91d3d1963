// Padding with a number, or with elements of the tensor itself, and its gradient.
#include <array>
#include <string>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// ATen counts from the last dimension, CANN from the first.
IntList paddings_of(const Lowering& op, const Shape& shape, size_t spatial) {
    const IntList& given = op.ints("padding");
    if (given.size() != 2 * spatial) op.reject("padding needs a pair of numbers a dimension");
    if (shape.size() != spatial + 1 && shape.size() != spatial + 2)
        op.reject("a tensor of " + std::to_string(spatial + 1) + " or " +
                  std::to_string(spatial + 2) + " dimensions is needed, not " + to_string(shape));
    IntList paddings;
    for (size_t i = spatial; i-- > 0;)
        paddings.insert(paddings.end(), {given[2 * i], given[2 * i + 1]});
    return paddings;
}

template <size_t kSpatial>
void lower_mirror_pad(Lowering& op) {
    const Tensor self = op.tensor("self");
    op.result(op.launch("MirrorPad",
                        {self},
                        {{"paddings", paddings_of(op, self.shape(), kSpatial)},
                         {"mode", std::string(op.argument())}}),
              op.declared("self"));
}

template <size_t kSpatial>
void lower_mirror_pad_gradient(Lowering& op) {
    const Shape& shape = op.raw("self").shape();
    op.result(op.launch("PadV3Grad",
                        {op.tensor("grad_output")},
                        {{"paddings", paddings_of(op, shape, kSpatial)},
                         {"mode", std::string(op.argument())},
                         {"input_size", IntList(shape)}}),
              op.declared("grad_output"));
}

void lower_constant_pad(Lowering& op) {
    const Tensor& self = op.raw("self");
    const IntList& pad = op.ints("pad");
    if (pad.size() % 2 != 0 || static_cast<int64_t>(pad.size() / 2) > self.ndim())
        op.reject("pad needs a pair of numbers for each of at most " + std::to_string(self.ndim()) +
                  " dimensions");
    // ATen counts from the last dimension, CANN from the first.
    IntList paddings(static_cast<size_t>(self.ndim()) * 2, 0);
    for (size_t i = 0; i < pad.size() / 2; ++i) {
        const size_t axis = static_cast<size_t>(self.ndim()) - 1 - i;
        paddings[2 * axis] = pad[2 * i];
        paddings[2 * axis + 1] = pad[2 * i + 1];
    }
    const auto* whole = std::get_if<int64_t>(&op.scalar("value").number);
    const Tensor value = (whole != nullptr ? Tensor::scalar<int64_t>(*whole)
                                           : Tensor::scalar<double>(op.scalar("value").to_double()))
                             .cast(self.dtype());
    op.result(op.launch("PadV3", {self, value}, {{"paddings", paddings}}), self.dtype());
}

}  // namespace

std::span<const OpRow> pads_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
         .launches = {"PadV3"},
         .source = "table",
         .lower = lower_constant_pad},
        {.schema = "reflection_pad1d(Tensor self, int[2] padding) -> Tensor",
         .launches = {"MirrorPad"},
         .lower = lower_mirror_pad<1>,
         .argument = "reflect"},
        {.schema = "reflection_pad2d(Tensor self, int[4] padding) -> Tensor",
         .launches = {"MirrorPad"},
         .source = "table",
         .lower = lower_mirror_pad<2>,
         .argument = "reflect"},
        {.schema = "reflection_pad3d(Tensor self, int[6] padding) -> Tensor",
         .launches = {"MirrorPad"},
         .lower = lower_mirror_pad<3>,
         .argument = "reflect"},
        {.schema = "replication_pad1d(Tensor self, int[2] padding) -> Tensor",
         .launches = {"MirrorPad"},
         .note = "MirrorPad in mode edge",
         .lower = lower_mirror_pad<1>,
         .argument = "edge"},
        {.schema = "replication_pad2d(Tensor self, int[4] padding) -> Tensor",
         .launches = {"MirrorPad", "PadV3"},
         .note = "MirrorPad in mode edge (CANN: PadV3)",
         .source = "table",
         .lower = lower_mirror_pad<2>,
         .argument = "edge"},
        {.schema = "replication_pad3d(Tensor self, int[6] padding) -> Tensor",
         .launches = {"MirrorPad"},
         .note = "MirrorPad in mode edge",
         .lower = lower_mirror_pad<3>,
         .argument = "edge"},
        {.schema =
             "reflection_pad1d_backward(Tensor grad_output, Tensor self, int[2] padding) -> Tensor",
         .launches = {"PadV3Grad"},
         .lower = lower_mirror_pad_gradient<1>,
         .argument = "reflect"},
        {.schema =
             "reflection_pad2d_backward(Tensor grad_output, Tensor self, int[4] padding) -> Tensor",
         .launches = {"PadV3Grad"},
         .source = "table",
         .lower = lower_mirror_pad_gradient<2>,
         .argument = "reflect"},
        {.schema =
             "reflection_pad3d_backward(Tensor grad_output, Tensor self, int[6] padding) -> Tensor",
         .launches = {"PadV3Grad"},
         .lower = lower_mirror_pad_gradient<3>,
         .argument = "reflect"},
        {.schema = "replication_pad1d_backward(Tensor grad_output, Tensor self, int[2] padding) -> "
                   "Tensor",
         .launches = {"PadV3Grad"},
         .lower = lower_mirror_pad_gradient<1>,
         .argument = "edge"},
        {.schema = "replication_pad2d_backward(Tensor grad_output, Tensor self, int[4] padding) -> "
                   "Tensor",
         .launches = {"PadV3Grad"},
         .source = "table",
         .lower = lower_mirror_pad_gradient<2>,
         .argument = "edge"},
        {.schema = "replication_pad3d_backward(Tensor grad_output, Tensor self, int[6] padding) -> "
                   "Tensor",
         .launches = {"PadV3Grad"},
         .lower = lower_mirror_pad_gradient<3>,
         .argument = "edge"},
    });
    return kRows;
}

}  // namespace npuscope::backend
