// The Reduce operators, ArgMax and ArgMin.
#include <limits>
#include <utility>

#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

/// Which axes a node reduces. They are an attribute first, an input from operator set 13 (sum) or
/// 18 on; none means all, or nothing to do with noop_with_empty_axes.
struct Reduction {
    IntList axes;
    bool keepdim = true;
    bool nothing_to_do = false;
};

Reduction read_reduction(const NodeRun& node) {
    const Tensor& input = node.input(0);
    const IntList given = node.has_input(1) ? node.ints(1) : node.attribute("axes", IntList{});
    Reduction reduction{node.axes_from_front(given, input.ndim()),
                        node.attribute("keepdims", int64_t{1}) != 0,
                        false};
    if (!reduction.axes.empty()) return reduction;
    reduction.nothing_to_do = node.attribute("noop_with_empty_axes", int64_t{0}) != 0;
    if (!reduction.nothing_to_do) reduction.axes = ir::iota(input.ndim());
    return reduction;
}

Tensor reduced(NodeRun& node, std::string_view ir_name, const Tensor& x, const Reduction& how) {
    if (how.nothing_to_do) return x;
    return ir::reduce(node, ir_name, x, how.axes, how.keepdim);
}

/// Integers are summed in int64 and stored in their own dtype.
Tensor summed(NodeRun& node, const Tensor& x, const Reduction& how) {
    return ir::cast(node, reduced(node, "sum_dim_IntList", x, how), x.dtype());
}

}  // namespace

void lower_reduce_mean(NodeRun& node) {
    node.set_output(0, reduced(node, "mean_dim", node.input(0), read_reduction(node)));
}

void lower_reduce_sum(NodeRun& node) {
    node.set_output(0, summed(node, node.input(0), read_reduction(node)));
}

/// ATen's product takes one axis.
void lower_reduce_prod(NodeRun& node) {
    Tensor x = node.input(0);
    const Reduction how = read_reduction(node);
    for (size_t i = how.axes.size(); i-- > 0 && !how.nothing_to_do;)
        x = ir::cast(node,
                     node.call("prod_dim_int",
                               {{"self", x}, {"dim", how.axes[i]}, {"keepdim", how.keepdim}}),
                     node.input(0).dtype());
    node.set_output(0, std::move(x));
}

void lower_reduce_l1(NodeRun& node) {
    node.set_output(0, summed(node, ir::unary(node, "abs", node.input(0)), read_reduction(node)));
}

void lower_reduce_sum_square(NodeRun& node) {
    const Tensor& x = node.input(0);
    node.set_output(0, summed(node, ir::mul(node, x, x), read_reduction(node)));
}

void lower_reduce_l2(NodeRun& node) {
    const Tensor& x = node.input(0);
    const Tensor sum = summed(node, ir::mul(node, x, x), read_reduction(node));
    node.set_output(0, ir::cast(node, ir::unary(node, "sqrt", sum), x.dtype()));
}

void lower_reduce_log_sum(NodeRun& node) {
    const Tensor sum = summed(node, node.input(0), read_reduction(node));
    node.set_output(0, ir::unary(node, "log", sum));
}

/// The maximum is taken out first, so that no exponential overflows.
void lower_reduce_log_sum_exp(NodeRun& node) {
    const Tensor& x = node.input(0);
    const Reduction how = read_reduction(node);
    if (how.nothing_to_do) {
        node.set_output(0, x);
        return;
    }
    const Tensor largest = ir::reduce(node, "amax", x, how.axes, true);
    const Tensor exponentials = ir::unary(node, "exp", ir::sub(node, x, largest));
    const Tensor sum = ir::reduce(node, "sum_dim_IntList", exponentials, how.axes, true);
    Tensor result = ir::add(node, ir::unary(node, "log", sum), largest);
    if (!how.keepdim) result = node.call("squeeze_dims", {{"self", result}, {"dim", how.axes}});
    node.set_output(0, std::move(result));
}

/// Truth values, which operator set 20 has added, are compared as 0 and 1.
void lower_reduce_extreme(NodeRun& node) {
    const DType dtype = node.input(0).dtype();
    const Tensor x = ir::cast(node, node.input(0), dtype == DType::kBool ? DType::kInt32 : dtype);
    node.set_output(0, ir::cast(node, reduced(node, node.ir_op(), x, read_reduction(node)), dtype));
}

void lower_arg_extreme(NodeRun& node) {
    Tensor x = node.input(0);
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{0}), x.ndim());
    const bool last = node.attribute("select_last_index", int64_t{0}) != 0;
    const int64_t size = x.dim(axis);
    if (last) {
        IntList backward;
        for (int64_t i = size; i-- > 0;)
            backward.push_back(i);
        x = ir::take(node, x, axis, backward);
    }
    Tensor index = node.call(
        node.ir_op(),
        {{"self", x}, {"dim", axis}, {"keepdim", node.attribute("keepdims", int64_t{1}) != 0}});
    if (last) index = ir::sub(node, Tensor::scalar<int64_t>(size - 1), index);
    node.set_output(0, std::move(index));
}

}  // namespace npuscope::onnx_model
