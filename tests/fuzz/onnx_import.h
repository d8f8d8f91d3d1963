// Any bytes as an ONNX model: they are refused with an Error, or a model is made and, when it is
// small, run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "core/base/error.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/graph.h"
#include "npu_backend/onnx/model.h"
#include "npu_backend/onnx/operators.h"
#include "tests/fuzz/clear_error.h"

namespace npuscope::test {

enum class ImportOutcome { kRefused, kImported, kFailed, kRan };

inline constexpr int64_t kMostInputElements = 4096;
inline constexpr int kMostOps = 100;
inline constexpr int64_t kMostElements = int64_t{1} << 22;  ///< computed by all ops together

/// A loop may go on for ever without running one op.
inline bool has_loop(const onnx_model::Body& body) {
    return std::ranges::any_of(body.nodes, [](const onnx_model::Node& node) {
        return node.op->type == "Loop" ||
               std::ranges::any_of(node.attributes, [](const onnx_model::Attribute& attribute) {
                   const auto* inner =
                       std::get_if<std::shared_ptr<const onnx_model::Body>>(&attribute.value);
                   return inner != nullptr && has_loop(**inner);
               });
    });
}

/// Zeros for each declared input; nothing for a model whose inputs are too large.
inline bool small_inputs(const onnx_model::Model& model, NamedTensors& inputs) {
    for (const onnx_model::TensorInfo& input : model.inputs()) {
        if (input.optional) continue;
        Shape shape = input.shape;
        std::ranges::replace_if(
            shape, [](int64_t dim) { return dim < 0; }, 1);
        if (numel_of(shape) > kMostInputElements) return false;
        const bool sequence = input.kind == onnx_model::ValueKind::kSequence;
        inputs.emplace_back(sequence ? input.name + "/0" : input.name,
                            Tensor::zeros(input.dtype, shape));
    }
    return true;
}

/// Throws what is no Error, or an Error of more than one line.
inline ImportOutcome import_and_run(std::span<const std::byte> bytes) {
    ImportOutcome outcome = ImportOutcome::kRefused;
    try {
        const onnx_model::Model model = onnx_model::Model::from_bytes(bytes);
        outcome = ImportOutcome::kImported;
        NamedTensors inputs;
        if (has_loop(onnx_model::read_graph(bytes)) || !small_inputs(model, inputs)) return outcome;
        outcome = ImportOutcome::kFailed;
        Executor executor(Device::reference32(), {.threads = 1});
        int ops = 0;
        executor.add_hook(HookPoint::kBeforeOp, "*", [&](HookCall&) {
            if (++ops > kMostOps) throw Error(ErrorKind::kUsage, "enough ops");
        });
        int64_t elements = 0;
        executor.add_hook(HookPoint::kAfterKernel, "*", [&](HookCall& call) {
            for (const Tensor& output : *call.kernel_outputs)
                elements += output.numel();
            if (elements > kMostElements) throw Error(ErrorKind::kUsage, "enough elements");
        });
        static_cast<void>(model.run(executor, inputs));
        outcome = ImportOutcome::kRan;
    } catch (const Error& error) {
        require_clear(error);
    }
    return outcome;
}

}  // namespace npuscope::test
