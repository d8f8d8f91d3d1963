#include "npu_backend/onnx/node_run.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/tensor/op_budget.h"
#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/operators.h"

namespace npuscope::onnx_model {

NodeRun::NodeRun(const Node& node, std::vector<Slot>& slots, Executor& executor, RunBudget& budget)
    : node_(node), slots_(slots), executor_(executor), budget_(budget) {
    for (size_t i = 0; i < node.inputs.size(); ++i)
        on_host_ = on_host_ && (!has_input(i) || is_known(i));
}

void NodeRun::lower() {
    const OpBudget op_budget(budget_.of_op());
    try {
        node_.op->lower(*this);
    } catch (const std::out_of_range&) {
        throw Error(ErrorKind::kFormat, "an input or attribute of it has too few elements");
    } catch (const std::bad_alloc&) {
        throw Error(ErrorKind::kUnsupported,
                    "its result does not fit into the memory of this machine");
    }
}

bool NodeRun::has_input(size_t index) const {
    return index < node_.inputs.size() && node_.inputs[index] != kNoValue;
}

const Tensor& NodeRun::input(size_t index) const {
    const GraphValue& given = value(index);
    require(!std::holds_alternative<TensorList>(given),
            "input " + std::to_string(index) + " is a sequence, where a tensor is needed");
    require(!std::holds_alternative<Absent>(given),
            "input " + std::to_string(index) + " is an optional without content");
    return std::get<Tensor>(given);
}

const TensorList& NodeRun::sequence(size_t index) const {
    const auto* list = std::get_if<TensorList>(&value(index));
    require(list != nullptr, "input " + std::to_string(index) + " is no sequence");
    return *list;
}

const GraphValue& NodeRun::value(size_t index) const {
    require(has_input(index), "input " + std::to_string(index) + " is missing");
    const Slot& slot = slots_[static_cast<size_t>(node_.inputs[index])];
    require(!std::holds_alternative<std::monostate>(slot.value),
            "input " + std::to_string(index) + " was not computed");
    return slot.value;
}

Tensor NodeRun::aligned_input(size_t index) const {
    const Tensor& tensor = input(index);
    if (opset() >= 7 || !has_attribute("axis")) return tensor;
    const int64_t ndim = input(0).ndim();
    const int64_t axis = axis_from_front(attribute("axis", int64_t{0}), ndim);
    require(axis + tensor.ndim() <= ndim, "its second input has too many dimensions");
    Shape shape = tensor.shape();
    shape.resize(static_cast<size_t>(ndim - axis), 1);
    return tensor.reshaped(std::move(shape));
}

bool NodeRun::is_known(size_t index) const {
    return has_input(index) && slots_[static_cast<size_t>(node_.inputs[index])].known;
}

IntList NodeRun::ints(size_t index) const {
    const Tensor& tensor = input(index);
    require(!is_float(tensor.dtype()),
            "input " + std::to_string(index) + " must hold integers, not " +
                std::string(name_of(tensor.dtype())));
    const Tensor wide = tensor.cast(DType::kInt64);
    const auto elements = wide.as<int64_t>();
    return {elements.begin(), elements.end()};
}

double NodeRun::number(size_t index) const {
    require(input(index).numel() >= 1, "input " + std::to_string(index) + " has no elements");
    return input(index).at(0);
}

template <class T>
const T* NodeRun::find_attribute(std::string_view name) const {
    for (const Attribute& attribute : node_.attributes) {
        if (attribute.name != name) continue;
        const T* value = std::get_if<T>(&attribute.value);
        require(value != nullptr, "attribute '" + std::string(name) + "' has the wrong type");
        return value;
    }
    return nullptr;
}

bool NodeRun::has_attribute(std::string_view name) const {
    return std::ranges::count(node_.attributes, name, &Attribute::name) != 0;
}

int64_t NodeRun::attribute(std::string_view name, int64_t fallback) const {
    const auto* value = find_attribute<int64_t>(name);
    return value != nullptr ? *value : fallback;
}

double NodeRun::attribute(std::string_view name, double fallback) const {
    const auto* value = find_attribute<double>(name);
    return value != nullptr ? *value : fallback;
}

std::string NodeRun::attribute(std::string_view name, const char* fallback) const {
    const auto* value = find_attribute<std::string>(name);
    return value != nullptr ? *value : fallback;
}

IntList NodeRun::attribute(std::string_view name, const IntList& fallback) const {
    const auto* value = find_attribute<IntList>(name);
    return value != nullptr ? *value : fallback;
}

Tensor NodeRun::tensor_attribute(std::string_view name) const {
    const auto* value = find_attribute<Tensor>(name);
    require(value != nullptr, "attribute '" + std::string(name) + "' is missing");
    return *value;
}

std::vector<double> NodeRun::floats_attribute(std::string_view name) const {
    const auto* value = find_attribute<std::vector<double>>(name);
    return value != nullptr ? *value : std::vector<double>{};
}

std::vector<std::string> NodeRun::texts_attribute(std::string_view name) const {
    const auto* value = find_attribute<std::vector<std::string>>(name);
    return value != nullptr ? *value : std::vector<std::string>{};
}

const Body& NodeRun::body_attribute(std::string_view name) const {
    const auto* value = find_attribute<std::shared_ptr<const Body>>(name);
    require(value != nullptr, "attribute '" + std::string(name) + "' is missing");
    return **value;
}

std::vector<GraphValue> NodeRun::run_body(const Body& body, std::vector<GraphValue> inputs) {
    on_host_ = false;
    require(inputs.size() == body.input_values.size(),
            "its body takes " + std::to_string(body.input_values.size()) + " inputs, not " +
                std::to_string(inputs.size()));
    for (const auto& [value, tensor] : body.initializers)
        slots_[static_cast<size_t>(value)] = {tensor, may_be_known(tensor)};
    for (size_t i = 0; i < inputs.size(); ++i)
        slots_[static_cast<size_t>(body.input_values[i])] = {std::move(inputs[i]), false};
    for (const Node& node : body.nodes) {
        try {
            NodeRun run(node, slots_, executor_, budget_);
            run.lower();
        } catch (const Error& error) {
            throw error.with_context("in its body: node '" + printable(node.name) + "' (" +
                                     std::string(node.op->type) + ")");
        }
        for (const int value : node.last_uses)
            slots_[static_cast<size_t>(value)] = {};
    }
    std::vector<GraphValue> outputs;
    for (const int value : body.output_values) {
        const Slot& slot = slots_[static_cast<size_t>(value)];
        require(!std::holds_alternative<std::monostate>(slot.value),
                "an output of its body was not computed");
        outputs.push_back(slot.value);
    }
    return outputs;
}

int64_t NodeRun::axis_from_front(int64_t axis, int64_t ndim) const {
    require(axis >= -ndim && axis < ndim,
            "axis " + std::to_string(axis) + " is outside a tensor of " + std::to_string(ndim) +
                " dimensions");
    return axis < 0 ? axis + ndim : axis;
}

IntList NodeRun::axes_from_front(const IntList& axes, int64_t ndim) const {
    IntList sorted;
    for (const int64_t axis : axes)
        sorted.push_back(axis_from_front(axis, ndim));
    std::ranges::sort(sorted);
    require(std::ranges::adjacent_find(sorted) == sorted.end(), "an axis is given twice");
    return sorted;
}

Tensor NodeRun::call(std::string_view ir_name, NamedValues arguments) {
    std::vector<Tensor> results = call_all(ir_name, std::move(arguments));
    if (results.empty())
        throw Error(ErrorKind::kInternal, std::string(ir_name) + " gave no tensor");
    return std::move(results.front());
}

std::vector<Tensor> NodeRun::call_all(std::string_view ir_name, NamedValues arguments) {
    if (on_host_) {
        if (auto results = evaluate_on_host(ir_name, arguments)) return std::move(*results);
        on_host_ = false;
    }
    const Results results =
        executor_.call_named(ir_name, std::move(arguments), OpSource{node_.name, {}, {}});
    std::vector<Tensor> tensors;
    for (const NamedValue& result : results.values()) {
        if (const auto* tensor = std::get_if<Tensor>(&result.value)) tensors.push_back(*tensor);
        if (const auto* list = std::get_if<TensorList>(&result.value))
            tensors.insert(tensors.end(), list->begin(), list->end());
    }
    return tensors;
}

void NodeRun::set_output(size_t index, Tensor tensor) {
    const bool known = on_host_ && may_be_known(tensor);
    if (index < node_.outputs.size() && node_.outputs[index] != kNoValue)
        slots_[static_cast<size_t>(node_.outputs[index])] = {std::move(tensor), known};
}

void NodeRun::set_value(size_t index, GraphValue value) {
    if (auto* tensor = std::get_if<Tensor>(&value)) {
        set_output(index, std::move(*tensor));
    } else if (wants_output(index)) {
        slots_[static_cast<size_t>(node_.outputs[index])] = {std::move(value), false};
    }
}

void NodeRun::set_known_output(size_t index, Tensor tensor) {
    on_host_ = true;
    set_output(index, std::move(tensor));
}

void NodeRun::require(bool condition, const std::string& otherwise) const {
    if (!condition) throw Error(ErrorKind::kFormat, otherwise);
}

void NodeRun::unsupported(const std::string& why) const {
    throw Error(ErrorKind::kUnsupported, why);
}

}  // namespace npuscope::onnx_model
