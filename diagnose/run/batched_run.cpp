#include "diagnose/run/batched_run.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "diagnose/run/model_inputs.h"

namespace npuscope::diagnose {

namespace {

int64_t declared_batch(const onnx_model::Model& model) {
    int64_t batch = -1;
    for (const onnx_model::TensorInfo& input : model.inputs()) {
        if (input.kind != onnx_model::ValueKind::kTensor || input.shape.empty() ||
            input.shape[0] <= 0 || (batch > 0 && input.shape[0] != batch))
            throw Error(
                ErrorKind::kUsage,
                "running in batches needs a model whose inputs declare one fixed batch; it has: " +
                    describe_inputs(model));
        batch = input.shape[0];
    }
    return batch;
}

int64_t sample_count(const NamedTensors& inputs) {
    int64_t count = -1;
    for (const auto& [name, tensor] : inputs) {
        if (tensor.ndim() == 0 || tensor.dim(0) == 0 || (count >= 0 && tensor.dim(0) != count))
            throw Error(
                ErrorKind::kUsage,
                "running in batches needs inputs with one common, nonzero first dimension; '" +
                    name + "' has shape " + to_string(tensor.shape()));
        count = tensor.dim(0);
    }
    return count;
}

void copy_rows(const Tensor& from, Tensor& to, int64_t begin, int64_t count) {
    const size_t row = to.nbytes() / static_cast<size_t>(to.dim(0));
    std::memcpy(to.mutable_data() + static_cast<size_t>(begin) * row,
                from.data(),
                static_cast<size_t>(count) * row);
}

}  // namespace

Tensor slice_rows(const Tensor& tensor, int64_t begin, int64_t count) {
    Shape shape = tensor.shape();
    const int64_t rows = shape[0];
    shape[0] = count;
    Tensor slice(tensor.dtype(), std::move(shape));
    const size_t row = tensor.nbytes() / static_cast<size_t>(rows);
    std::byte* out = slice.mutable_data();
    for (int64_t i = 0; i < count; ++i)
        std::memcpy(out + static_cast<size_t>(i) * row,
                    tensor.data() + static_cast<size_t>(std::min(begin + i, rows - 1)) * row,
                    row);
    return slice;
}

NamedTensors run_in_batches(const onnx_model::Model& model,
                            Executor& executor,
                            const NamedTensors& inputs,
                            const NodeProgress& progress) {
    const int64_t batch = declared_batch(model);
    const int64_t samples = sample_count(inputs);
    NamedTensors joined;
    for (int64_t begin = 0; begin < samples; begin += batch) {
        NamedTensors slice;
        for (const auto& [name, tensor] : inputs)
            slice.emplace_back(name, slice_rows(tensor, begin, batch));
        const NamedTensors outputs = model.run(executor, slice, progress);
        const int64_t kept = std::min(batch, samples - begin);
        for (size_t i = 0; i < outputs.size(); ++i) {
            const auto& [name, tensor] = outputs[i];
            if (tensor.ndim() == 0 || tensor.dim(0) != batch)
                throw Error(ErrorKind::kUsage,
                            "cannot join the batches of the output '" + name + "' of shape " +
                                to_string(tensor.shape()) +
                                ": its first dimension is not the batch");
            if (begin == 0) {
                Shape shape = tensor.shape();
                shape[0] = samples;
                joined.emplace_back(name, Tensor(tensor.dtype(), std::move(shape)));
            }
            copy_rows(tensor, joined[i].second, begin, kept);
        }
    }
    return joined;
}

NamedTensors run_model(const onnx_model::Model& model,
                       Executor& executor,
                       const NamedTensors& inputs,
                       const NodeProgress& on_node) {
    try {
        return model.run(executor, inputs, on_node);
    } catch (const Error& error) {
        throw Error(error.kind(),
                    std::string(error.what()) + "; the inputs were " + describe_tensors(inputs) +
                        ", declared as " + describe_inputs(model));
    }
}

}  // namespace npuscope::diagnose
