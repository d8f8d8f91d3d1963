#include "diagnose/kernels/device_kernels.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/error.h"
#include "diagnose/kernels/kernel_mapping.h"

namespace npuscope::diagnose {

namespace {

using ir_tbe_map::ContentKey;
using ir_tbe_map::DeviceKernel;
using ir_tbe_map::DeviceTensor;

/// Tensors of equal content share their elements, as they do where one kernel hands them to the
/// next.
class Pool {
  public:
    Tensor take(const DeviceTensor& tensor) {
        const auto key = std::tuple(tensor.key->wide, tensor.key->numel, tensor.dtype);
        const auto found = tensors_.find(key);
        if (found != tensors_.end()) return found->second.reshaped(tensor.shape);
        return tensors_.emplace(key, ir_tbe_map::load(tensor)).first->second;
    }

  private:
    std::map<std::tuple<uint64_t, int64_t, std::string>, Tensor> tensors_;
};

bool readable(const std::vector<DeviceTensor>& tensors) {
    return std::ranges::all_of(tensors,
                               [](const DeviceTensor& tensor) { return tensor.key.has_value(); });
}

std::string obstacle(const DeviceKernel& kernel) {
    if (kernel.inputs.empty())
        return "it was dumped without inputs; \"dump_mode\": \"all\" keeps them";
    if (kernel.outputs.empty()) return "it was dumped without outputs";
    if (!readable(kernel.inputs) || !readable(kernel.outputs))
        return "elements of its type or format cannot be read";
    return {};
}

/// The emulated kernel in the place of a device's: the same type, the same occurrence.
const TracedKernel* counterpart(std::span<const TracedKernel> emulated,
                                const std::string& type,
                                size_t occurrence) {
    for (const TracedKernel& kernel : emulated)
        if (kernel.type == type && occurrence-- == 0) return &kernel;
    return nullptr;
}

TracedKernel traced(const DeviceKernel& kernel, const TracedKernel* model, Pool& pool) {
    TracedKernel row{.type = kernel.type,
                     .op_name = kernel.op_name,
                     .task_id = kernel.task_id,
                     .stream_id = kernel.stream_id,
                     .attributes = {},
                     .inputs = {},
                     .outputs = {},
                     .input_formats = {},
                     .output_formats = {},
                     .status = {}};
    for (const DeviceTensor& tensor : kernel.inputs)
        row.inputs.push_back(pool.take(tensor));
    for (const DeviceTensor& tensor : kernel.outputs)
        row.outputs.push_back(pool.take(tensor));
    if (kernel.type == "Cast") row.attributes = {{"dst_type", row.outputs.at(0).dtype()}};
    if (model == nullptr || kernel.type == "Cast") return row;
    row.attributes = model->attributes;
    for (size_t i = 0; i < row.inputs.size() && i < model->inputs.size(); ++i)
        if (row.inputs[i].numel() == model->inputs[i].numel())
            row.inputs[i] = row.inputs[i].reshaped(model->inputs[i].shape());
    return row;
}

std::string named(const std::vector<std::pair<std::string, ContentKey>>& keys,
                  const DeviceTensor& tensor) {
    if (!tensor.key) return {};
    for (const auto& [name, key] : keys)
        if (!key.weak && key.matches(*tensor.key)) return name;
    return {};
}

MappedTensor described(const DeviceTensor& tensor) {
    MappedTensor row;
    row.dtype = tensor.dtype;
    row.format = tensor.format;
    row.shape = tensor.shape;
    row.stored_shape = tensor.stored_shape;
    return row;
}

std::string change_of(const DeviceKernel& kernel) {
    if (kernel.inputs.empty() || kernel.outputs.empty()) return {};
    if (kernel.type == "Cast") return kernel.inputs[0].dtype + " to " + kernel.outputs[0].dtype;
    if (kernel.type == "TransData")
        return kernel.inputs[0].format + " to " + kernel.outputs[0].format;
    return {};
}

MappedKernel mapped(const DeviceKernel& kernel,
                    const KernelJudgement& judgement,
                    const OpOfDevice& what) {
    MappedKernel row;
    row.type = kernel.type;
    row.op_name = kernel.op_name;
    row.task_id = kernel.task_id;
    row.stream_id = kernel.stream_id;
    row.timestamp = kernel.timestamp;
    row.files = {kernel.file.lexically_relative(what.folder).string()};
    row.change = change_of(kernel);
    for (const DeviceTensor& tensor : kernel.inputs) {
        row.inputs.push_back(described(tensor));
        if (const std::string name = named(what.inputs, tensor); !name.empty())
            row.inputs.back().from = "input " + name;
    }
    for (const DeviceTensor& tensor : kernel.outputs) {
        row.outputs.push_back(described(tensor));
        row.outputs.back().result = named(what.outputs, tensor);
    }
    take(judgement, row);
    return row;
}

}  // namespace

void map_device_kernels(std::span<const DeviceKernel> kernels,
                        const OpOfDevice& what,
                        MappedOp& op) {
    Pool pool;
    std::map<std::string, size_t> seen;
    std::vector<TracedKernel> rows;
    std::vector<std::string> obstacles;
    for (const DeviceKernel& kernel : kernels) {
        obstacles.push_back(obstacle(kernel));
        const TracedKernel* model = counterpart(what.emulated, kernel.type, seen[kernel.type]++);
        rows.push_back(obstacles.back().empty() ? traced(kernel, model, pool)
                                                : TracedKernel{.type = kernel.type});
    }
    std::vector<KernelJudgement> judgements =
        judge_kernels(rows, what.reference, what.compute_type);
    for (size_t i = 0; i < kernels.size(); ++i) {
        if (!obstacles[i].empty())
            judgements[i] = {.outputs = {}, .inputs = {}, .skipped = obstacles[i]};
        op.kernels.push_back(mapped(kernels[i], judgements[i], what));
        if (!op.first_culprit && judgements[i].finding()) op.first_culprit = i;
    }
}

}  // namespace npuscope::diagnose
