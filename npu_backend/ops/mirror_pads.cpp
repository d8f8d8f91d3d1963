// Padding with elements of the tensor itself, and its gradient.
#include <array>

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

template <size_t kSpatial, const char* kMode>
void lower_pad(Lowering& op) {
    const Tensor self = op.tensor("self");
    op.result(op.launch("MirrorPad",
                        {self},
                        {{"paddings", paddings_of(op, self.shape(), kSpatial)},
                         {"mode", std::string(kMode)}}),
              op.declared("self"));
}

template <size_t kSpatial, const char* kMode>
void lower_pad_gradient(Lowering& op) {
    const Shape& shape = op.raw("self").shape();
    op.result(op.launch("PadV3Grad",
                        {op.tensor("grad_output")},
                        {{"paddings", paddings_of(op, shape, kSpatial)},
                         {"mode", std::string(kMode)},
                         {"input_size", IntList(shape)}}),
              op.declared("grad_output"));
}

constexpr char kReflect[] = "reflect";
constexpr char kEdge[] = "edge";

constexpr auto kRows = std::to_array<OpRow>({
    {"reflection_pad1d(Tensor self, int[2] padding) -> Tensor",
     "MirrorPad",
     "ours",
     lower_pad<1, kReflect>},
    {"reflection_pad2d(Tensor self, int[4] padding) -> Tensor",
     "MirrorPad",
     "table",
     lower_pad<2, kReflect>},
    {"reflection_pad3d(Tensor self, int[6] padding) -> Tensor",
     "MirrorPad",
     "ours",
     lower_pad<3, kReflect>},
    {"replication_pad1d(Tensor self, int[2] padding) -> Tensor",
     "MirrorPad in mode edge",
     "ours",
     lower_pad<1, kEdge>},
    {"replication_pad2d(Tensor self, int[4] padding) -> Tensor",
     "MirrorPad in mode edge (CANN: PadV3)",
     "table",
     lower_pad<2, kEdge>},
    {"replication_pad3d(Tensor self, int[6] padding) -> Tensor",
     "MirrorPad in mode edge",
     "ours",
     lower_pad<3, kEdge>},
    {"reflection_pad1d_backward(Tensor grad_output, Tensor self, int[2] padding) -> Tensor",
     "PadV3Grad",
     "ours",
     lower_pad_gradient<1, kReflect>},
    {"reflection_pad2d_backward(Tensor grad_output, Tensor self, int[4] padding) -> Tensor",
     "PadV3Grad",
     "table",
     lower_pad_gradient<2, kReflect>},
    {"reflection_pad3d_backward(Tensor grad_output, Tensor self, int[6] padding) -> Tensor",
     "PadV3Grad",
     "ours",
     lower_pad_gradient<3, kReflect>},
    {"replication_pad1d_backward(Tensor grad_output, Tensor self, int[2] padding) -> Tensor",
     "PadV3Grad",
     "ours",
     lower_pad_gradient<1, kEdge>},
    {"replication_pad2d_backward(Tensor grad_output, Tensor self, int[4] padding) -> Tensor",
     "PadV3Grad",
     "table",
     lower_pad_gradient<2, kEdge>},
    {"replication_pad3d_backward(Tensor grad_output, Tensor self, int[6] padding) -> Tensor",
     "PadV3Grad",
     "ours",
     lower_pad_gradient<3, kEdge>},
});

}  // namespace

extern const std::span<const OpRow> k_mirror_pads_ops;
const std::span<const OpRow> k_mirror_pads_ops = kRows;

}  // namespace npuscope::backend
