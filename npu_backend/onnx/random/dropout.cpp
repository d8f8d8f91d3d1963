// Dropout: nothing in inference, a seeded mask in training.
#include <algorithm>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/random/random_state.h"

namespace npuscope::onnx_model {

namespace {

/// Where NumPy's RandomState draws at least `ratio`: the generator of the operator's reference.
Tensor kept_places(const NodeRun& node, const Shape& shape, double ratio) {
    if (!node.has_attribute("seed"))
        node.unsupported(
            "dropout in training mode without a seed draws other numbers in each run; give it the "
            "attribute seed, or export the model for inference");
    require_host_size(shape);
    RandomState random(static_cast<uint32_t>(node.attribute("seed", int64_t{0})));
    Tensor mask(DType::kBool, shape);
    for (bool& kept : mask.mutable_as<bool>())
        kept = random.uniform() >= ratio;
    return mask;
}

}  // namespace

/// In training what is kept grows by 1 / (1 - ratio).
void lower_dropout(NodeRun& node) {
    const Tensor& x = node.input(0);
    const bool by_input = node.opset() >= 12;
    const bool training = by_input ? node.has_input(2) && node.number(2) != 0
                                   : node.opset() < 7 && node.attribute("is_test", int64_t{0}) == 0;
    const double ratio = node.has_input(1) ? node.number(1) : node.attribute("ratio", 0.5);
    node.require(ratio >= 0 && ratio < 1, "its ratio is not in [0, 1)");
    const bool drops = training && ratio != 0;
    Tensor mask(DType::kBool, {0});
    if (drops) {
        mask = kept_places(node, x.shape(), ratio);
        node.set_output(
            0, ir::where(node, mask, ir::mul(node, x, 1.0 / (1.0 - ratio)), ir::number_like(x, 0)));
    } else {
        node.set_output(0, x);
    }
    if (!node.wants_output(1)) return;
    if (!drops) {
        require_host_size(x.shape());
        mask = Tensor(DType::kBool, x.shape());
        std::ranges::fill(mask.mutable_as<bool>(), true);
    }
    node.set_output(1, node.opset() >= 10 ? mask : mask.cast(x.dtype()));
}

}  // namespace npuscope::onnx_model
