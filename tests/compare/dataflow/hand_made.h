// Sources whose ops and tensors a test writes down.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "tests/support/support.h"

namespace npuscope::compare {

struct HandMadeOp {
    std::string name;
    std::vector<std::pair<std::string, Tensor>> inputs;
    std::vector<std::pair<std::string, Tensor>> outputs;
    std::string module{};
    std::string line{};
};

/// Numbered 1, 2, 3 in their order.
inline Source hand_made(const std::vector<HandMadeOp>& ops) {
    Source source{.numbered = true, .has_inputs = true};
    int64_t seqid = 0;
    for (const HandMadeOp& op : ops) {
        SourceOp made{.id = {op.name, ++seqid}, .path = {}, .load = {}};
        made.path = made.id.path();
        made.load = [op, path = made.path] {
            std::vector<SourceTensor> tensors;
            for (const auto direction : {dumpfile::Direction::kInput, dumpfile::Direction::kOutput})
                for (const auto& [argument, tensor] :
                     direction == dumpfile::Direction::kInput ? op.inputs : op.outputs) {
                    SourceTensor row;
                    row.direction = direction;
                    row.argument = argument;
                    row.path = path + "/" + std::string(name_of(direction)) + "/" + argument;
                    row.hold(tensor);
                    tensors.push_back(std::move(row));
                }
            return tensors;
        };
        made.facts = [op] {
            SideFacts facts;
            facts.recorded.source.module = op.module;
            facts.recorded.source.line = op.line;
            return facts;
        };
        source.ops.push_back(std::move(made));
    }
    return source;
}

/// Normal float32 elements.
inline Tensor random_tensor(const Shape& shape, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    Tensor tensor(DType::kFloat32, shape);
    for (float& value : tensor.mutable_as<float>())
        value = normal(engine);
    return tensor;
}

/// The tensor's elements, the index (i, j) of the result being (j, i).
inline Tensor transposed(const Tensor& tensor) {
    Tensor result(DType::kFloat32, {tensor.dim(1), tensor.dim(0)});
    for (int64_t i = 0; i < tensor.dim(0); ++i)
        for (int64_t j = 0; j < tensor.dim(1); ++j)
            result.mutable_as<float>()[static_cast<size_t>(j * tensor.dim(0) + i)] =
                tensor.as<float>()[static_cast<size_t>(i * tensor.dim(1) + j)];
    return result;
}

/// f(element) for each.
template <class F>
Tensor changed(const Tensor& tensor, F&& f) {
    Tensor result = tensor;
    for (float& value : result.mutable_as<float>())
        value = f(value);
    return result;
}

inline Tensor with_element(const Tensor& tensor, size_t index, float value) {
    Tensor result = tensor;
    result.mutable_as<float>()[index] = value;
    return result;
}

/// The traced tensor of that path.
inline const TracedTensor& at_path(const Dataflow& flow, const std::string& path) {
    for (const TracedTensor& tensor : flow.tensors)
        if (tensor.path == path) return tensor;
    throw std::out_of_range(path);
}

/// "" where no op made it.
inline std::string producer_of(const Dataflow& flow, const std::string& path) {
    const TracedTensor& tensor = at_path(flow, path);
    return tensor.producer ? flow.tensors[*tensor.producer].path : "";
}

/// Two sources traced and paired.
struct TracedPair {
    Source target;
    Source golden;
    Dataflow target_flow = trace(target);
    Dataflow golden_flow = trace(golden);
    Plan plan = make_plan(target, golden);
    PairedFlows flows{plan, {target, target_flow}, {golden, golden_flow}};

    TracedPair(Source one, Source other) : target(std::move(one)), golden(std::move(other)) {}
    TracedPair(const TracedPair&) = delete;
    TracedPair& operator=(const TracedPair&) = delete;
};

/// A step that data/record_steps.py recorded: "mlp_cpu", say.
inline Source recorded_step(const std::string& name) {
    return open_source(test::source_dir() / "data/recordings/steps" / (name + ".h5"));
}

}  // namespace npuscope::compare
