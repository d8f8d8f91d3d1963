// Operators that pick or write single elements: gathers, scatters, Compress, TopK, Unique, CumSum.
#include <algorithm>
#include <numeric>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

/// The row numbers that `indices` [rows, depth] name in the leading `depth` axes of `shape`.
IntList row_numbers(const NodeRun& node,
                    const IntList& indices,
                    std::span<const int64_t> shape,
                    int64_t depth) {
    IntList rows;
    for (size_t i = 0; depth > 0 && i < indices.size(); i += static_cast<size_t>(depth)) {
        int64_t row = 0;
        for (int64_t d = 0; d < depth; ++d) {
            const int64_t size = shape[static_cast<size_t>(d)];
            int64_t at = indices[i + static_cast<size_t>(d)];
            node.require(
                at >= -size && at < size,
                "index " + std::to_string(at) + " is outside an axis of " + std::to_string(size));
            row = row * size + (at < 0 ? at + size : at);
        }
        rows.push_back(row);
    }
    return rows;
}

Tensor scattered(
    NodeRun& node, const Tensor& data, int64_t dim, const Tensor& index, const Tensor& updates) {
    const std::string how = node.attribute("reduction", "none");
    if (how == "none")
        return node.call("scatter_src",
                         {{"self", data}, {"dim", dim}, {"index", index}, {"src", updates}});
    const char* reduce = how == "add"   ? "sum"
                         : how == "mul" ? "prod"
                         : how == "max" ? "amax"
                                        : "amin";
    node.require(how == "add" || how == "mul" || how == "max" || how == "min",
                 "reduction is not none, add, mul, max or min");
    return node.call("scatter_reduce_two",
                     {{"self", data},
                      {"dim", dim},
                      {"index", index},
                      {"src", updates},
                      {"reduce", std::string(reduce)}});
}

}  // namespace

void lower_gather_elements(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{0}), x.ndim());
    node.set_output(0, node.call("gather", {{"self", x}, {"dim", axis}, {"index", node.input(1)}}));
}

void lower_gather_nd(NodeRun& node) {
    const Tensor& x = node.input(0);
    const Tensor& index = node.input(1);
    const int64_t batch_dims = node.attribute("batch_dims", int64_t{0});
    node.require(index.ndim() >= 1 && x.ndim() >= 1 && batch_dims >= 0 &&
                     batch_dims < std::min(index.ndim(), x.ndim()),
                 "its indices do not fit");
    const int64_t depth = index.dim(-1);
    node.require(depth >= 1 && batch_dims + depth <= x.ndim(), "its indices are too deep");
    const std::span<const int64_t> shape = x.shape();
    const auto lead = static_cast<size_t>(batch_dims);
    const int64_t batches = numel_of(shape.first(lead));
    const int64_t rows = numel_of(shape.subspan(lead, static_cast<size_t>(depth)));
    const int64_t inner = numel_of(shape.subspan(lead + static_cast<size_t>(depth)));
    node.require(std::equal(shape.begin(), shape.begin() + batch_dims, index.shape().begin()),
                 "its batch dimensions differ");
    IntList places = row_numbers(node, node.ints(1), shape.subspan(lead), depth);
    const size_t each =
        std::max<size_t>(1, places.size() / static_cast<size_t>(std::max<int64_t>(1, batches)));
    for (size_t i = 0; i < places.size(); ++i)
        places[i] += static_cast<int64_t>(i / each) * rows;
    Shape result(index.shape().begin(), index.shape().end() - 1);
    result.insert(result.end(), shape.begin() + batch_dims + depth, shape.end());
    const Tensor flat = ir::view(node, x, {batches * rows, inner});
    node.set_output(0, ir::view(node, ir::take(node, flat, 0, places), std::move(result)));
}

void lower_scatter_elements(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{0}), x.ndim());
    node.set_output(0, scattered(node, x, axis, node.input(1), node.input(2)));
}

void lower_scatter_nd(NodeRun& node) {
    const Tensor& x = node.input(0);
    const Tensor& index = node.input(1);
    node.require(index.ndim() >= 1 && index.dim(-1) >= 1 && index.dim(-1) <= x.ndim(),
                 "its indices do not fit");
    const int64_t depth = index.dim(-1);
    const std::span<const int64_t> shape = x.shape();
    const int64_t rows = numel_of(shape.first(static_cast<size_t>(depth)));
    const int64_t inner = numel_of(shape.subspan(static_cast<size_t>(depth)));
    const IntList places = row_numbers(node, node.ints(1), shape, depth);
    const auto count = static_cast<int64_t>(places.size());
    node.require(node.input(2).numel() == count * inner, "its updates do not fit");
    const Tensor spread =
        ir::expand(node, ir::int_tensor(places).reshaped({count, 1}), {count, inner});
    const Tensor result = scattered(node,
                                    ir::view(node, x, {rows, inner}),
                                    0,
                                    spread,
                                    ir::view(node, node.input(2), {count, inner}));
    node.set_output(0, ir::view(node, result, x.shape()));
}

void lower_compress(NodeRun& node) {
    Tensor x = node.input(0);
    const IntList condition = node.ints(1);
    const bool flat = !node.has_attribute("axis");
    if (flat) x = ir::view(node, x, {x.numel()});
    const int64_t axis =
        flat ? 0 : node.axis_from_front(node.attribute("axis", int64_t{0}), x.ndim());
    node.require(static_cast<int64_t>(condition.size()) <= x.dim(axis),
                 "its condition is longer than the axis");
    IntList kept;
    for (size_t i = 0; i < condition.size(); ++i)
        if (condition[i] != 0) kept.push_back(static_cast<int64_t>(i));
    node.set_output(0, ir::take(node, x, axis, kept));
}

void lower_non_zero(NodeRun& node) {
    const Tensor places = ir::unary(node, "nonzero", node.input(0));
    node.set_output(0, ir::permute(node, places, {1, 0}));
}

void lower_top_k(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{-1}), x.ndim());
    const int64_t k = node.has_input(1) ? node.ints(1).at(0) : node.attribute("k", int64_t{0});
    node.require(k >= 0 && k <= x.dim(axis), "the axis has fewer than k elements");
    std::vector<Tensor> pair =
        node.call_all("topk",
                      {{"self", x},
                       {"k", k},
                       {"dim", axis},
                       {"largest", node.attribute("largest", int64_t{1}) != 0},
                       {"sorted", node.attribute("sorted", int64_t{1}) != 0}});
    node.set_output(0, std::move(pair.at(0)));
    node.set_output(1, std::move(pair.at(1)));
}

/// Which rows are alike is found on the host; the rows are then picked.
void lower_unique(NodeRun& node) {
    Tensor x = node.input(0);
    const bool flat = !node.has_attribute("axis");
    if (flat) x = ir::view(node, x, {x.numel()});
    const int64_t axis =
        flat ? 0 : node.axis_from_front(node.attribute("axis", int64_t{0}), x.ndim());
    IntList front = ir::iota(x.ndim());
    std::rotate(front.begin(), front.begin() + axis, front.begin() + axis + 1);
    const Tensor rows = ir::permute(node, x, front);
    const int64_t count = rows.dim(0);
    const int64_t length = count == 0 ? 0 : rows.numel() / count;
    const auto compare = [&](int64_t a, int64_t b) {
        for (int64_t i = 0; i < length; ++i) {
            const double u = rows.at(a * length + i);
            const double v = rows.at(b * length + i);
            if (u != v) return u < v ? -1 : 1;
        }
        return 0;
    };
    IntList order = ir::iota(count);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
    // The groups in sorted order, each by its first element.
    std::vector<IntList> groups;
    for (const int64_t at : order) {
        if (groups.empty() || compare(groups.back().front(), at) != 0) groups.emplace_back();
        groups.back().push_back(at);
    }
    if (node.attribute("sorted", int64_t{1}) == 0)
        std::ranges::sort(groups, {}, [](const IntList& group) { return group.front(); });
    IntList first;
    IntList counts;
    IntList inverse(static_cast<size_t>(count));
    for (size_t g = 0; g < groups.size(); ++g) {
        first.push_back(groups[g].front());
        counts.push_back(static_cast<int64_t>(groups[g].size()));
        for (const int64_t at : groups[g])
            inverse[static_cast<size_t>(at)] = static_cast<int64_t>(g);
    }
    node.set_output(0, ir::take(node, x, axis, first));
    node.set_output(1, ir::int_tensor(first));
    node.set_output(2, ir::int_tensor(inverse));
    node.set_output(3, ir::int_tensor(counts));
}

void lower_cum_sum(NodeRun& node) {
    Tensor x = node.input(0);
    const int64_t axis = node.axis_from_front(node.ints(1).at(0), x.ndim());
    const bool reverse = node.attribute("reverse", int64_t{0}) != 0;
    const int64_t size = x.dim(axis);
    IntList backward = ir::iota(size);
    std::ranges::reverse(backward);
    if (reverse) x = ir::take(node, x, axis, backward);
    Tensor sums = node.call("cumsum", {{"self", x}, {"dim", axis}, {"dtype", x.dtype()}});
    if (node.attribute("exclusive", int64_t{0}) != 0) {
        // Moved by one: a 0 comes in, the last sum goes.
        IntList pad(static_cast<size_t>(2 * (x.ndim() - axis)), 0);
        pad[pad.size() - 2] = 1;
        pad[pad.size() - 1] = -1;
        sums = node.call("constant_pad_nd",
                         {{"self", sums}, {"pad", pad}, {"value", Scalar{int64_t{0}}}});
    }
    if (reverse) sums = ir::take(node, sums, axis, backward);
    node.set_output(0, std::move(sums));
}

}  // namespace npuscope::onnx_model
