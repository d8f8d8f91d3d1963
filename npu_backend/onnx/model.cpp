#include "npu_backend/onnx/model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "npu_backend/onnx/graph.h"
#include "npu_backend/onnx/node_run.h"
#include "npu_backend/onnx/operators.h"

namespace npuscope::onnx_model {

struct Model::State {
    std::filesystem::path path;
    Graph graph;
};

namespace {

std::string in_quotes(std::string_view name) {
    return "'" + printable(name) + "'";
}

/// "'input' float32 [64,1,8,8]"; symbolic dimensions by their names, "?" without one.
std::string in_words(const TensorInfo& info) {
    std::string text = in_quotes(info.name) + " " + std::string(name_of(info.dtype)) + " [";
    for (size_t axis = 0; axis < info.shape.size(); ++axis) {
        if (axis > 0) text += ',';
        const std::string& symbol = info.symbols[axis];
        if (info.shape[axis] >= 0) {
            text += std::to_string(info.shape[axis]);
        } else {
            text += symbol.empty() ? "?" : printable(symbol);
        }
    }
    return text + "]";
}

std::string in_words(const std::vector<TensorInfo>& infos) {
    std::string text;
    for (const TensorInfo& info : infos)
        text += (text.empty() ? "" : ", ") + in_words(info);
    return text.empty() ? "none" : text;
}

/// What is wrong with one array, or "". Symbols keep the size that they were first met with.
std::string misfit(const TensorInfo& info,
                   const Tensor& tensor,
                   std::map<std::string, int64_t>& sizes) {
    bool fits = tensor.dtype() == info.dtype && tensor.shape().size() == info.shape.size();
    std::string why;
    for (size_t axis = 0; fits && axis < info.shape.size(); ++axis) {
        const int64_t dim = tensor.shape()[axis];
        const std::string& symbol = info.symbols[axis];
        if (info.shape[axis] >= 0) {
            fits = dim == info.shape[axis];
        } else if (!symbol.empty()) {
            const int64_t size = sizes.emplace(symbol, dim).first->second;
            fits = dim == size;
            if (!fits)
                why = "; " + printable(symbol) + " is " + std::to_string(size) +
                      " by an earlier dimension";
        }
    }
    if (fits) return "";
    return "input " + in_quotes(info.name) + " is " + std::string(name_of(tensor.dtype())) + " " +
           to_string(tensor.shape()) + why;
}

const Tensor* find_array(const NamedTensors& arrays, const std::string& name) {
    const auto found = std::ranges::find(arrays, name, &NamedTensors::value_type::first);
    return found == arrays.end() ? nullptr : &found->second;
}

std::string first_problem(const std::vector<TensorInfo>& infos, const NamedTensors& arrays) {
    for (const auto& [name, tensor] : arrays) {
        if (std::ranges::count(infos, name, &TensorInfo::name) == 0)
            return "there is no input " + in_quotes(name);
        if (std::ranges::count(arrays, name, &NamedTensors::value_type::first) > 1)
            return "input " + in_quotes(name) + " is given twice";
    }
    std::map<std::string, int64_t> sizes;
    for (const TensorInfo& info : infos) {
        const Tensor* tensor = find_array(arrays, info.name);
        if (tensor == nullptr) return "input " + in_quotes(info.name) + " is not given";
        std::string problem = misfit(info, *tensor, sizes);
        if (!problem.empty()) return problem;
    }
    return "";
}

}  // namespace

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Model Model::load(const std::filesystem::path& path) {
    return Model(std::make_unique<State>(State{path, read_graph(path)}));
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

void Model::check_inputs(const NamedTensors& inputs) const {
    const std::string problem = first_problem(this->inputs(), inputs);
    if (!problem.empty())
        throw Error(ErrorKind::kUsage,
                    "model " + in_quotes(state_->path.string()) + ": " + problem +
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
        slots[static_cast<size_t>(graph.input_values[i])] = {
            *find_array(inputs, graph.inputs[i].name), false};
    int64_t done = 0;
    for (const Node& node : graph.nodes) {
        if (on_node) on_node(done++, node_count(), node.name);
        try {
            NodeRun run(graph, node, slots, executor);
            run.lower();
        } catch (const Error& error) {
            throw error.with_context("model " + in_quotes(path().string()) + ": node " +
                                     in_quotes(node.name) + " (" + std::string(node.op->type) +
                                     ")");
        }
        for (const int value : node.last_uses)
            slots[static_cast<size_t>(value)] = {};
    }
    NamedTensors outputs;
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
        const Slot& slot = slots[static_cast<size_t>(graph.output_values[i])];
        if (!slot.tensor)
            throw Error(ErrorKind::kFormat,
                        "model " + in_quotes(path().string()) + ": output " +
                            in_quotes(graph.outputs[i].name) + " was not computed");
        outputs.emplace_back(graph.outputs[i].name, *slot.tensor);
    }
    return outputs;
}

}  // namespace npuscope::onnx_model
