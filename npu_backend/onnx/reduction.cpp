// ReduceMean and ReduceSum.
#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

namespace {

/// Axes are an attribute first, an input from operator set 13 (sum) or 18 (mean) on; none means
/// all, or nothing to do with noop_with_empty_axes.
void lower_reduction(NodeRun& node, std::string_view ir_name) {
    const Tensor& input = node.input(0);
    const IntList given = node.has_input(1) ? node.ints(1) : node.attribute("axes", IntList{});
    IntList axes = node.axes_from_front(given, input.ndim());
    if (axes.empty() && node.attribute("noop_with_empty_axes", int64_t{0}) != 0) {
        node.set_output(0, input);
        return;
    }
    for (int64_t axis = 0; given.empty() && axis < input.ndim(); ++axis)
        axes.push_back(axis);
    const bool keepdim = node.attribute("keepdims", int64_t{1}) != 0;
    node.set_output(0, node.call(ir_name, {{"self", input}, {"dim", axes}, {"keepdim", keepdim}}));
}

}  // namespace

void lower_reduce_mean(NodeRun& node) {
    lower_reduction(node, "mean_dim");
}

void lower_reduce_sum(NodeRun& node) {
    lower_reduction(node, "sum_dim_IntList");
}

}  // namespace npuscope::onnx_model
