// Concat, Gather, Slice and Split: parts of tensors taken and joined.
#include <algorithm>
#include <limits>
#include <utility>

#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

namespace {

/// Slice along one axis, as NumPy clamps it.
struct Range {
    int64_t start;
    int64_t end;
    int64_t step;
};

Range clamped(Range range, int64_t size) {
    const bool forward = range.step > 0;
    // Backward the first element is at most size - 1, and -1 is the end before element 0.
    const auto clamp = [&](int64_t at) {
        if (at < 0) at = at < -size ? -1 - size : at;
        if (at < 0) at += size;
        return forward ? std::clamp<int64_t>(at, 0, size) : std::clamp<int64_t>(at, -1, size - 1);
    };
    range.start = clamp(range.start);
    range.end = clamp(range.end);
    if (forward) range.end = std::max(range.start, range.end);
    return range;
}

Tensor sliced(NodeRun& node, const Tensor& tensor, int64_t axis, Range range) {
    node.require(range.step != 0 && range.step != std::numeric_limits<int64_t>::min(),
                 "a step is 0");
    const int64_t size = tensor.dim(axis);
    range = clamped(range, size);
    range.step = std::clamp<int64_t>(range.step, -size - 1, size + 1);
    if (range.step > 0) {
        if (range.start == 0 && range.end == size && range.step == 1) return tensor;
        return node.call("slice_Tensor",
                         {{"self", tensor},
                          {"dim", axis},
                          {"start", range.start},
                          {"end", range.end},
                          {"step", range.step}});
    }
    // ATen's slice knows no negative step.
    IntList index;
    for (int64_t at = range.start; at > range.end; at += range.step)
        index.push_back(at);
    return node.call(
        "index_select",
        {{"self", tensor},
         {"dim", axis},
         {"index", Tensor::from<int64_t>({static_cast<int64_t>(index.size())}, index)}});
}

/// Indices counted from the front, of the same dtype. Errors: Error(kFormat) outside the axis.
Tensor indices_from_front(const NodeRun& node, int64_t size) {
    IntList index = node.ints(1);
    for (int64_t& at : index) {
        node.require(
            at >= -size && at < size,
            "index " + std::to_string(at) + " is outside an axis of " + std::to_string(size));
        if (at < 0) at += size;
    }
    return Tensor::from<int64_t>(node.input(1).shape(), index).cast(node.input(1).dtype());
}

IntList split_sizes(const NodeRun& node, int64_t size) {
    if (node.has_input(1)) return node.ints(1);
    if (node.has_attribute("split")) return node.attribute("split", IntList{});
    const auto count = static_cast<int64_t>(node.output_count());
    node.require(node.attribute("num_outputs", count) == count,
                 "num_outputs differs from the number of outputs");
    const int64_t each = (size + count - 1) / count;
    IntList sizes(static_cast<size_t>(count), each);
    sizes.back() = size - each * (count - 1);
    return sizes;
}

}  // namespace

void lower_concat(NodeRun& node) {
    const Tensor& first = node.input(0);
    node.require(node.has_attribute("axis"), "attribute 'axis' is missing");
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{0}), first.ndim());
    TensorList tensors;
    for (size_t i = 0; i < node.input_count(); ++i) {
        const Tensor& tensor = node.input(i);
        Shape shape = tensor.shape();
        bool fits = shape.size() == first.shape().size() && tensor.dtype() == first.dtype();
        if (fits) {
            shape[static_cast<size_t>(axis)] = first.dim(axis);
            fits = shape == first.shape();
        }
        node.require(fits,
                     "input " + std::to_string(i) + " of shape " + to_string(tensor.shape()) +
                         " cannot be joined to " + to_string(first.shape()));
        tensors.push_back(tensor);
    }
    node.set_output(0, node.call("cat", {{"tensors", std::move(tensors)}, {"dim", axis}}));
}

void lower_gather(NodeRun& node) {
    const Tensor& data = node.input(0);
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{0}), data.ndim());
    const Tensor index = indices_from_front(node, data.dim(axis));
    if (index.ndim() == 0 && node.is_known(1)) {
        node.set_output(
            0,
            node.call(
                "select_int",
                {{"self", data}, {"dim", axis}, {"index", static_cast<int64_t>(index.at(0))}}));
        return;
    }
    Tensor picked =
        node.call("index_select",
                  {{"self", data}, {"dim", axis}, {"index", index.reshaped({index.numel()})}});
    Shape shape = data.shape();
    shape.erase(shape.begin() + axis);
    shape.insert(shape.begin() + axis, index.shape().begin(), index.shape().end());
    if (picked.shape() != shape)
        picked = node.call("view", {{"self", std::move(picked)}, {"size", std::move(shape)}});
    node.set_output(0, std::move(picked));
}

void lower_slice(NodeRun& node) {
    const bool as_inputs = node.opset() >= 10;
    const auto numbers = [&](size_t index, const char* name) {
        if (!as_inputs) return node.attribute(name, IntList{});
        return node.has_input(index) ? node.ints(index) : IntList{};
    };
    const IntList starts = numbers(1, "starts");
    const IntList ends = numbers(2, "ends");
    IntList axes = numbers(3, "axes");
    IntList steps = as_inputs && node.has_input(4) ? node.ints(4) : IntList(starts.size(), 1);
    if (axes.empty())
        for (size_t i = 0; i < starts.size(); ++i)
            axes.push_back(static_cast<int64_t>(i));
    node.require(!starts.empty() && starts.size() == ends.size() && starts.size() == axes.size() &&
                     starts.size() == steps.size(),
                 "starts, ends, axes and steps must be equally many");
    Tensor tensor = node.input(0);
    static_cast<void>(node.axes_from_front(axes, tensor.ndim()));
    for (size_t i = 0; i < starts.size(); ++i)
        tensor = sliced(node,
                        tensor,
                        node.axis_from_front(axes[i], tensor.ndim()),
                        {starts[i], ends[i], steps[i]});
    node.set_output(0, std::move(tensor));
}

void lower_split(NodeRun& node) {
    const Tensor& input = node.input(0);
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{0}), input.ndim());
    const IntList sizes = split_sizes(node, input.dim(axis));
    int64_t rest = input.dim(axis);
    bool fits = sizes.size() >= node.output_count();
    for (const int64_t size : sizes) {
        fits = fits && size >= 0 && size <= rest;
        rest -= fits ? size : 0;
    }
    node.require(fits && rest == 0,
                 "sizes " + to_string(sizes) + " do not split an axis of " +
                     std::to_string(input.dim(axis)) + " into " +
                     std::to_string(node.output_count()) + " outputs");
    std::vector<Tensor> parts =
        node.call_all("split_with_sizes", {{"self", input}, {"split_sizes", sizes}, {"dim", axis}});
    for (size_t i = 0; i < parts.size(); ++i)
        node.set_output(i, std::move(parts[i]));
}

}  // namespace npuscope::onnx_model
