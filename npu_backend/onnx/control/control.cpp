// If, Loop and Scan: bodies that run inside the graph, with its values in sight.
#include <algorithm>
#include <utility>

#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

/// What the iterations of a loop gave for one output, stacked along a new axis or joined.
Tensor stacked(NodeRun& node, const TensorList& parts, int64_t axis) {
    node.require(!parts.empty(), "a loop that never runs has no scan outputs");
    TensorList rows;
    for (const Tensor& part : parts) {
        node.require(part.shape() == parts[0].shape() && part.dtype() == parts[0].dtype(),
                     "a scan output changes its shape or dtype between iterations");
        rows.push_back(ir::unsqueeze(node, part, node.axis_from_front(axis, part.ndim() + 1)));
    }
    return rows.size() == 1 ? rows[0]
                            : ir::cat(node, rows, node.axis_from_front(axis, parts[0].ndim() + 1));
}

/// What a body gave where only a tensor will do.
const Tensor& tensor_of(const NodeRun& node, const GraphValue& value) {
    const auto* tensor = std::get_if<Tensor>(&value);
    node.require(tensor != nullptr,
                 "its body gives a sequence or nothing where a tensor is needed");
    return *tensor;
}

bool is_true(const NodeRun& node, const Tensor& condition) {
    node.require(condition.numel() == 1, "its condition is not one truth value");
    return condition.at(0) != 0;
}

uint64_t bytes_of(const GraphValue& value) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) return tensor->nbytes();
    uint64_t sum = 0;
    if (const auto* list = std::get_if<TensorList>(&value))
        for (const Tensor& each : *list)
            sum += each.nbytes();
    return sum;
}

/// What an iteration hands to the next.
uint64_t bytes_of(const std::vector<GraphValue>& values) {
    uint64_t sum = 0;
    for (const GraphValue& value : values)
        sum += bytes_of(value);
    return sum;
}

/// A result of every iteration is kept; an empty one takes room as well.
constexpr uint64_t kOfEach = 128;

}  // namespace

void lower_if(NodeRun& node) {
    const bool chosen = is_true(node, node.input(0));
    std::vector<GraphValue> results =
        node.run_body(node.body_attribute(chosen ? "then_branch" : "else_branch"), {});
    node.require(results.size() >= node.output_count(), "its branch has too few outputs");
    for (size_t i = 0; i < node.output_count(); ++i)
        node.set_value(i, std::move(results[i]));
}

void lower_loop(NodeRun& node) {
    const Body& body = node.body_attribute("body");
    const int64_t trips = node.has_input(0) ? node.ints(0).at(0) : INT64_MAX;
    bool go_on = !node.has_input(1) || is_true(node, node.input(1));
    std::vector<GraphValue> carried;
    for (size_t i = 2; i < node.input_count(); ++i)
        carried.push_back(node.value(i));
    node.require(body.output_values.size() > carried.size(), "its body has too few outputs");
    std::vector<TensorList> scanned(body.output_values.size() - 1 - carried.size());
    uint64_t gathered = 0;
    for (int64_t i = 0; i < trips && go_on; ++i) {
        node.budget().take_trip();
        std::vector<GraphValue> inputs = {Tensor::scalar<int64_t>(i), Tensor::scalar(true)};
        inputs.insert(inputs.end(), carried.begin(), carried.end());
        const std::vector<GraphValue> results = node.run_body(body, std::move(inputs));
        go_on = is_true(node, tensor_of(node, results[0]));
        std::copy_n(results.begin() + 1, carried.size(), carried.begin());
        for (size_t s = 0; s < scanned.size(); ++s) {
            scanned[s].push_back(tensor_of(node, results[1 + carried.size() + s]));
            gathered += kOfEach + scanned[s].back().nbytes();
        }
        node.budget().require_room(gathered + bytes_of(carried));
    }
    for (size_t i = 0; i < carried.size(); ++i)
        node.set_value(i, carried[i]);
    for (size_t s = 0; s < scanned.size(); ++s)
        if (node.wants_output(carried.size() + s))
            node.set_output(carried.size() + s, stacked(node, scanned[s], 0));
}

namespace {

struct ScanAxes {
    IntList in_axes, in_backward, out_axes, out_backward;
};

/// The loop of one sequence: `inputs` are the states, then the scanned tensors.
std::vector<Tensor> scan(NodeRun& node,
                         const Body& body,
                         const TensorList& inputs,
                         size_t scan_count,
                         const ScanAxes& how) {
    const size_t states = inputs.size() - scan_count;
    TensorList carried(inputs.begin(), inputs.begin() + static_cast<int64_t>(states));
    node.require(body.output_values.size() >= states, "its body has too few outputs");
    std::vector<TensorList> scanned(body.output_values.size() - states);
    int64_t length = -1;
    for (size_t s = 0; s < scan_count; ++s) {
        const Tensor& x = inputs[states + s];
        const int64_t size = x.dim(node.axis_from_front(how.in_axes[s], x.ndim()));
        node.require(length < 0 || size == length, "its scanned inputs differ in length");
        length = size;
    }
    uint64_t gathered = 0;
    for (int64_t i = 0; i < length; ++i) {
        node.budget().take_trip();
        std::vector<GraphValue> arguments(carried.begin(), carried.end());
        for (size_t s = 0; s < scan_count; ++s) {
            const Tensor& x = inputs[states + s];
            arguments.emplace_back(ir::select(node,
                                              x,
                                              node.axis_from_front(how.in_axes[s], x.ndim()),
                                              how.in_backward[s] != 0 ? length - 1 - i : i));
        }
        const std::vector<GraphValue> results = node.run_body(body, std::move(arguments));
        for (size_t s = 0; s < states; ++s)
            carried[s] = tensor_of(node, results[s]);
        for (size_t s = 0; s < scanned.size(); ++s) {
            scanned[s].push_back(tensor_of(node, results[states + s]));
            gathered += kOfEach + scanned[s].back().nbytes();
        }
        node.budget().require_room(gathered);
    }
    for (size_t s = 0; s < scanned.size(); ++s) {
        const bool backward = s < how.out_backward.size() && how.out_backward[s] != 0;
        if (backward) std::ranges::reverse(scanned[s]);
        carried.push_back(stacked(node, scanned[s], s < how.out_axes.size() ? how.out_axes[s] : 0));
    }
    return carried;
}

}  // namespace

/// Operator set 8 scans a batch of sequences, and has an input of lengths in front.
void lower_scan(NodeRun& node) {
    const Body& body = node.body_attribute("body");
    const auto scan_count = static_cast<size_t>(node.attribute("num_scan_inputs", int64_t{0}));
    const bool batched = node.opset() < 9;
    TensorList inputs;
    for (size_t i = batched ? 1 : 0; i < node.input_count(); ++i)
        inputs.push_back(node.input(i));
    node.require(scan_count >= 1 && scan_count <= inputs.size(), "num_scan_inputs does not fit");
    const IntList zeros(scan_count, 0);
    ScanAxes how{node.attribute("scan_input_axes", zeros),
                 node.attribute("scan_input_directions", node.attribute("directions", zeros)),
                 node.attribute("scan_output_axes", IntList{}),
                 node.attribute("scan_output_directions", IntList{})};
    node.require(how.in_axes.size() == scan_count && how.in_backward.size() == scan_count,
                 "its axes or directions do not fit num_scan_inputs");
    std::vector<Tensor> results;
    if (!batched) {
        results = scan(node, body, inputs, scan_count, how);
    } else {
        if (node.has_input(0)) node.unsupported("sequences of unequal lengths are not supported");
        std::vector<TensorList> each;
        for (int64_t b = 0; b < inputs[0].dim(0); ++b) {
            TensorList row;
            for (const Tensor& x : inputs)
                row.push_back(ir::select(node, x, 0, b));
            each.push_back(scan(node, body, row, scan_count, how));
        }
        node.require(!each.empty(), "there are no sequences");
        for (size_t i = 0; i < each[0].size(); ++i) {
            TensorList column;
            for (const TensorList& row : each)
                column.push_back(row[i]);
            results.push_back(stacked(node, column, 0));
        }
    }
    for (size_t i = 0; i < node.output_count() && i < results.size(); ++i)
        node.set_output(i, results[i]);
}

}  // namespace npuscope::onnx_model
