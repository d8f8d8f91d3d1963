// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include <utility>

#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

/// -w[label] * x[n, label, …] over all places; ignored labels weigh nothing.
Tensor likelihood_loss(NodeRun& node, const Tensor& x, const Tensor& labels) {
    node.require(x.ndim() >= 2 && labels.ndim() == x.ndim() - 1, "labels do not fit the input");
    const Tensor target = ir::cast(node, labels, DType::kInt64);
    const bool ignores = node.has_attribute("ignore_index");
    const Tensor ignored = Tensor::scalar<int64_t>(node.attribute("ignore_index", int64_t{-100}));
    Tensor index = target;
    Tensor counted;
    if (ignores) {
        counted = ir::binary(node, "ne_Tensor", target, ignored);
        index = ir::where(node, counted, target, Tensor::scalar<int64_t>(0));
    }
    const Tensor picked = node.call(
        "squeeze_dims",
        {{"self",
          node.call("gather",
                    {{"self", x}, {"dim", int64_t{1}}, {"index", ir::unsqueeze(node, index, 1)}})},
         {"dim", IntList{1}}});
    Tensor loss = ir::unary(node, "neg", picked);
    Tensor weights;
    const bool weighted = node.has_input(2) || ignores;
    if (node.has_input(2)) {
        const Tensor flat = ir::view(node, index, {index.numel()});
        weights =
            ir::view(node,
                     node.call("index_select",
                               {{"self", node.input(2)}, {"dim", int64_t{0}}, {"index", flat}}),
                     index.shape());
    }
    if (ignores) {
        const Tensor ones = node.has_input(2) ? weights : ir::number_like(x, 1);
        weights = ir::where(node, counted, ones, ir::number_like(x, 0));
    }
    if (weighted) loss = ir::mul(node, loss, weights);
    const std::string reduction = node.attribute("reduction", "mean");
    if (reduction == "none") return loss;
    const IntList all = ir::iota(loss.ndim());
    if (reduction == "mean" && !weighted) return ir::reduce(node, "mean_dim", loss, all, false);
    node.require(reduction == "sum" || reduction == "mean", "reduction is not none, sum or mean");
    Tensor sum = ir::reduce(node, "sum_dim_IntList", loss, all, false);
    if (reduction == "sum") return sum;
    return ir::div(node, sum, ir::reduce(node, "sum_dim_IntList", weights, all, false));
}

}  // namespace

void lower_negative_log_likelihood_loss(NodeRun& node) {
    node.set_output(0, likelihood_loss(node, node.input(0), node.input(1)));
}

void lower_softmax_cross_entropy_loss(NodeRun& node) {
    const Tensor logarithms = node.call(
        "_log_softmax", {{"self", node.input(0)}, {"dim", int64_t{1}}, {"half_to_float", false}});
    node.set_output(0, likelihood_loss(node, logarithms, node.input(1)));
    node.set_output(1, logarithms);
}

}  // namespace npuscope::onnx_model
