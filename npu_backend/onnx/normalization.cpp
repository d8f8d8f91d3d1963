// LayerNormalization, and BatchNormalization with running statistics.
#include <utility>
#include <vector>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

void lower_layer_normalization(NodeRun& node) {
    const Tensor& input = node.input(0);
    if (node.attribute("stash_type", int64_t{1}) != 1)
        node.unsupported("stash_type other than float32 is not supported");
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{-1}), input.ndim());
    const Shape normalized(input.shape().begin() + axis, input.shape().end());
    const auto affine = [&](size_t index) -> Value {
        if (!node.has_input(index)) return {};
        const Tensor& tensor = node.input(index);
        if (tensor.shape() == normalized) return tensor;
        node.require(broadcast(tensor.shape(), normalized) == normalized,
                     "scale or bias of shape " + to_string(tensor.shape()) +
                         " does not fit the normalized dimensions " + to_string(normalized));
        return node.call("expand", {{"self", tensor}, {"size", normalized}});
    };
    std::vector<Tensor> results = node.call_all("native_layer_norm",
                                                {{"input", input},
                                                 {"normalized_shape", normalized},
                                                 {"weight", affine(1)},
                                                 {"bias", affine(2)},
                                                 {"eps", node.attribute("epsilon", 1e-5)}});
    for (size_t i = 0; i < node.output_count() && i < results.size(); ++i)
        node.set_output(i, std::move(results[i]));
}

void lower_batch_normalization(NodeRun& node) {
    if (node.attribute("training_mode", int64_t{0}) != 0)
        node.unsupported(
            "batch normalization in training mode is not supported; export the "
            "model for inference");
    if (node.attribute("spatial", int64_t{1}) != 1)
        node.unsupported("batch normalization with spatial=0 is not supported");
    const Tensor& input = node.input(0);
    node.require(input.ndim() >= 2, "the input has no channels");
    for (size_t i = 1; i <= 4; ++i)
        node.require(node.input(i).shape() == Shape{input.dim(1)},
                     "input " + std::to_string(i) + " must have one element per channel");
    // ONNX counts the momentum of the running value, ATen that of the batch.
    node.set_output(0,
                    node.call("native_batch_norm",
                              {{"input", input},
                               {"weight", node.input(1)},
                               {"bias", node.input(2)},
                               {"running_mean", node.input(3)},
                               {"running_var", node.input(4)},
                               {"training", false},
                               {"momentum", 1.0 - node.attribute("momentum", 0.9)},
                               {"eps", node.attribute("epsilon", 1e-5)}}));
}

}  // namespace npuscope::onnx_model
