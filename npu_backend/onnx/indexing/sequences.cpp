// Sequences: lists of tensors that operators make, change, take apart and join.
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::onnx_model {

namespace {

/// A place counted from the front of a sequence of `count`, of which the last that is allowed is
/// `last`; it may be left out.
int64_t place(const NodeRun& node, size_t index, int64_t count, int64_t last, int64_t otherwise) {
    if (!node.has_input(index)) return otherwise;
    node.require(node.input(index).numel() == 1, "its position must be one number");
    const int64_t at = node.ints(index)[0];
    node.require(
        at >= -count && at <= last,
        "position " + std::to_string(at) + " is outside a sequence of " + std::to_string(count));
    return at < 0 ? at + count : at;
}

void require_one_dtype(const NodeRun& node, const TensorList& list) {
    for (const Tensor& tensor : list)
        node.require(tensor.dtype() == list.front().dtype(),
                     "the elements of a sequence have different dtypes, " +
                         std::string(name_of(list.front().dtype())) + " and " +
                         std::string(name_of(tensor.dtype())));
}

/// Sizes of the parts of an axis: all 1, all equal but the last, or given one by one.
IntList part_sizes(const NodeRun& node, int64_t size) {
    if (!node.has_input(1)) return IntList(static_cast<size_t>(size), 1);
    IntList given = node.ints(1);
    if (node.input(1).ndim() == 0) {
        const int64_t each = given.at(0);
        node.require(each >= 1, "split must be positive");
        IntList sizes(static_cast<size_t>(size / each), each);
        if (size % each != 0) sizes.push_back(size % each);
        return sizes;
    }
    int64_t rest = size;
    for (const int64_t part : given) {
        node.require(
            part >= 0 && part <= rest,
            "sizes " + to_string(given) + " do not split an axis of " + std::to_string(size));
        rest -= part;
    }
    node.require(rest == 0,
                 "sizes " + to_string(given) + " do not split an axis of " + std::to_string(size));
    return given;
}

}  // namespace

void lower_sequence_construct(NodeRun& node) {
    TensorList list;
    for (size_t i = 0; i < node.input_count(); ++i)
        list.push_back(node.input(i));
    require_one_dtype(node, list);
    node.set_value(0, std::move(list));
}

void lower_sequence_empty(NodeRun& node) {
    static_cast<void>(
        element_type(static_cast<int>(node.attribute("dtype", int64_t{1})), "its sequence"));
    node.set_value(0, TensorList{});
}

void lower_sequence_insert(NodeRun& node) {
    TensorList list = node.sequence(0);
    const auto count = static_cast<int64_t>(list.size());
    list.insert(list.begin() + place(node, 2, count, count, count), node.input(1));
    require_one_dtype(node, list);
    node.set_value(0, std::move(list));
}

void lower_sequence_erase(NodeRun& node) {
    TensorList list = node.sequence(0);
    node.require(!list.empty(), "the sequence is empty");
    const auto count = static_cast<int64_t>(list.size());
    list.erase(list.begin() + place(node, 1, count, count - 1, count - 1));
    node.set_value(0, std::move(list));
}

void lower_sequence_at(NodeRun& node) {
    const TensorList& list = node.sequence(0);
    const auto count = static_cast<int64_t>(list.size());
    const int64_t at = place(node, 1, count, count - 1, 0);
    node.set_output(0, list[static_cast<size_t>(at)]);
}

void lower_sequence_length(NodeRun& node) {
    node.set_known_output(0, Tensor::scalar(static_cast<int64_t>(node.sequence(0).size())));
}

void lower_split_to_sequence(NodeRun& node) {
    const Tensor& x = node.input(0);
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{0}), x.ndim());
    require_host_size({x.dim(axis)});
    const IntList sizes = part_sizes(node, x.dim(axis));
    TensorList parts =
        node.call_all("split_with_sizes", {{"self", x}, {"split_sizes", sizes}, {"dim", axis}});
    const bool squeezes = !node.has_input(1) && node.attribute("keepdims", int64_t{1}) == 0;
    for (Tensor& part : parts)
        if (squeezes) part = node.call("squeeze_dims", {{"self", part}, {"dim", IntList{axis}}});
    node.set_value(0, std::move(parts));
}

void lower_concat_from_sequence(NodeRun& node) {
    TensorList list = node.sequence(0);
    node.require(!list.empty(), "an empty sequence cannot be joined");
    node.require(node.has_attribute("axis"), "attribute 'axis' is missing");
    const bool stacks = node.attribute("new_axis", int64_t{0}) != 0;
    const int64_t ndim = list[0].ndim() + (stacks ? 1 : 0);
    const int64_t axis = node.axis_from_front(node.attribute("axis", int64_t{0}), ndim);
    for (const Tensor& tensor : list) {
        Shape shape = tensor.shape();
        const bool alike = tensor.dtype() == list[0].dtype() && tensor.ndim() == list[0].ndim();
        if (alike && !stacks) shape[static_cast<size_t>(axis)] = list[0].dim(axis);
        node.require(alike && shape == list[0].shape(),
                     "an element of shape " + to_string(tensor.shape()) + " cannot be joined to " +
                         to_string(list[0].shape()));
    }
    if (stacks)
        for (Tensor& tensor : list)
            tensor = ir::unsqueeze(node, tensor, axis);
    node.set_output(0, ir::cat(node, std::move(list), axis));
}

/// Runs the body for each element of the first input; other sequences go along, tensors stay.
void lower_sequence_map(NodeRun& node) {
    const Body& body = node.body_attribute("body");
    const size_t count = node.sequence(0).size();
    std::vector<TensorList> results(body.output_values.size());
    for (size_t i = 0; i < count; ++i) {
        std::vector<GraphValue> inputs;
        for (size_t k = 0; k < node.input_count(); ++k) {
            const auto* list = std::get_if<TensorList>(&node.value(k));
            node.require(list == nullptr || list->size() == count,
                         "its sequences differ in length");
            inputs.push_back(list != nullptr ? GraphValue((*list)[i]) : node.value(k));
        }
        std::vector<GraphValue> outputs = node.run_body(body, std::move(inputs));
        for (size_t k = 0; k < outputs.size(); ++k) {
            auto* tensor = std::get_if<Tensor>(&outputs[k]);
            node.require(tensor != nullptr, "its body must give tensors");
            results[k].push_back(std::move(*tensor));
        }
    }
    for (size_t k = 0; k < results.size(); ++k)
        node.set_value(k, std::move(results[k]));
}

void lower_optional(NodeRun& node) {
    if (node.has_input(0)) {
        node.set_value(0, node.value(0));
        return;
    }
    node.require(node.has_attribute("type"), "it has neither an input nor a type");
    node.set_value(0, Absent{});
}

void lower_optional_has_element(NodeRun& node) {
    const bool has = node.has_input(0) && !std::holds_alternative<Absent>(node.value(0));
    node.set_known_output(0, Tensor::scalar(has));
}

void lower_optional_get_element(NodeRun& node) {
    node.require(!std::holds_alternative<Absent>(node.value(0)), "its optional has no content");
    node.set_value(0, node.value(0));
}

}  // namespace npuscope::onnx_model
