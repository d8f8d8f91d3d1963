#include "npu_backend/onnx/model.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/tensor/op_budget.h"
#include "npu_backend/onnx/graph.h"
#include "npu_backend/onnx/model_inputs.h"
#include "npu_backend/onnx/node_run.h"
#include "npu_backend/onnx/operators.h"

namespace npuscope::onnx_model {

struct Model::State {
    std::filesystem::path path;
    Graph graph;
    RunLimits limits;
};

namespace {

/// Of each node.
OpLimits op_limits(const RunLimits& limits, const Graph& graph, const NamedTensors& inputs) {
    int64_t given = 0;
    for (const auto& [value, tensor] : graph.initializers)
        given += tensor.numel();
    for (const auto& [name, tensor] : inputs)
        given += tensor.numel();
    OpLimits each =
        limits.elements > 0 ? OpLimits::of_elements(limits.elements) : OpLimits::for_given(given);
    each.settable = true;
    return each;
}

}  // namespace

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Model Model::load(const std::filesystem::path& path, const RunLimits& limits) {
    return Model(std::make_unique<State>(State{path, read_graph(path), limits}));
}

Model Model::from_bytes(std::span<const std::byte> bytes, const RunLimits& limits) {
    return Model(std::make_unique<State>(State{{}, read_graph(bytes), limits}));
}

const std::filesystem::path& Model::path() const {
    return state_->path;
}

const std::vector<TensorInfo>& Model::inputs() const {
    return state_->graph.inputs;
}

const std::vector<TensorInfo>& Model::outputs() const {
    return state_->graph.outputs;
}

int64_t Model::node_count() const {
    return static_cast<int64_t>(state_->graph.nodes.size());
}

bool Model::takes(const std::string& array) const {
    return std::ranges::any_of(inputs(),
                               [&](const auto& input) { return is_array_of(input, array); });
}

void Model::check_inputs(const NamedTensors& inputs) const {
    const std::string problem = first_problem(this->inputs(), inputs);
    if (!problem.empty())
        throw Error(ErrorKind::kUsage,
                    "model " + in_quotes(state_->path) + ": " + problem +
                        "; the model's inputs are " + in_words(this->inputs()));
}

NamedTensors Model::run(
    Executor& executor,
    const NamedTensors& inputs,
    const std::function<void(int64_t, int64_t, const std::string&)>& on_node) const {
    check_inputs(inputs);
    const Graph& graph = state_->graph;
    std::vector<Slot> slots(graph.value_names.size());
    for (const auto& [value, tensor] : graph.initializers)
        slots[static_cast<size_t>(value)] = {tensor, may_be_known(tensor)};
    for (size_t i = 0; i < graph.inputs.size(); ++i)
        slots[static_cast<size_t>(graph.input_values[i])] = {input_value(graph.inputs[i], inputs),
                                                             false};
    RunBudget budget(state_->limits, op_limits(state_->limits, graph, inputs));
    int64_t done = 0;
    for (const Node& node : graph.nodes) {
        if (on_node) on_node(done++, node_count(), node.name);
        try {
            NodeRun run(node, slots, executor, budget);
            run.lower();
        } catch (const Error& error) {
            throw error.with_context("model " + in_quotes(path()) + ": node " +
                                     in_quotes(node.name) + " (" + std::string(node.op->type) +
                                     ")");
        }
        for (const int value : node.last_uses)
            slots[static_cast<size_t>(value)] = {};
    }
    NamedTensors outputs;
    try {
        for (size_t i = 0; i < graph.outputs.size(); ++i)
            append_arrays(graph.outputs[i],
                          slots[static_cast<size_t>(graph.output_values[i])].value,
                          outputs);
    } catch (const Error& error) {
        throw error.with_context("model " + in_quotes(path()));
    }
    return outputs;
}

}  // namespace npuscope::onnx_model
