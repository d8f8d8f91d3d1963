#include "diagnose/kernels/kernel_mapping.h"

#include <string>
#include <unordered_map>

#include "core/base/error.h"
#include "ir_tbe_map/stored_tensor.h"
#include "overflow/record.h"

namespace npuscope::diagnose {

namespace {

using Names = std::unordered_map<uint64_t, std::string>;

Names names_of(const NamedValues& values) {
    Names names;
    for_each_tensor(values, [&](const std::string& name, const Tensor& tensor) {
        if (tensor.numel() > 0) names.emplace(tensor.storage_id(), name);
    });
    return names;
}

std::string found_in(const Names& names, const Tensor& tensor) {
    const auto found = names.find(tensor.storage_id());
    return found == names.end() ? std::string() : found->second;
}

MappedTensor described(const Tensor& tensor, const TracedFormat& format) {
    MappedTensor row;
    row.dtype = name_of(tensor.dtype());
    row.format = format.name;
    row.shape = tensor.shape();
    row.stored_shape = ir_tbe_map::described_in_format(tensor, format.name, format.groups).shape;
    return row;
}

std::string change_of(const TracedKernel& kernel) {
    if (kernel.inputs.empty() || kernel.outputs.empty()) return {};
    if (kernel.type == "Cast")
        return std::string(name_of(kernel.inputs[0].dtype())) + " to " +
               std::string(name_of(kernel.outputs[0].dtype()));
    if (kernel.type == "TransData")
        return kernel.input_formats[0].name + " to " + kernel.output_formats[0].name;
    return {};
}

MappedKernel map_kernel(const TracedKernel& kernel,
                        const KernelJudgement& judgement,
                        const Names& inputs,
                        const Names& results) {
    MappedKernel row;
    row.type = kernel.type;
    row.task_id = kernel.task_id;
    row.stream_id = kernel.stream_id;
    row.change = change_of(kernel);
    row.overflow = kernel.status.overflow();
    if (kernel.status.bits != 0) row.status = overflow::describe(kernel.status);
    for (size_t i = 0; i < kernel.inputs.size(); ++i) {
        row.inputs.push_back(described(kernel.inputs[i], kernel.input_formats.at(i)));
        if (const std::string name = found_in(inputs, kernel.inputs[i]); !name.empty())
            row.inputs.back().from = "input " + name;
    }
    for (size_t i = 0; i < kernel.outputs.size(); ++i) {
        row.outputs.push_back(described(kernel.outputs[i], kernel.output_formats.at(i)));
        row.outputs.back().result = found_in(results, kernel.outputs[i]);
    }
    take(judgement, row);
    return row;
}

}  // namespace

void take(const KernelJudgement& judgement, MappedKernel& row) {
    row.unjudged = judgement.skipped;
    if (const OutputJudgement* worst = judgement.worst(); worst != nullptr && row.unjudged.empty())
        row.judged = *worst;
    for (size_t i = 0; i < row.inputs.size() && i < judgement.inputs.size(); ++i)
        if (const InputOrigin& origin = judgement.inputs[i]; origin.kernel)
            row.inputs[i].from = "kernel " + std::to_string(*origin.kernel) + " output " +
                                 std::to_string(origin.output);
    for (size_t i = 0; i < row.outputs.size() && i < judgement.outputs.size(); ++i)
        row.outputs[i].judged = judgement.outputs[i];
}

void map_kernels(std::span<const TracedKernel> kernels,
                 const std::vector<KernelJudgement>& judgements,
                 const NamedValues& inputs,
                 const NamedValues& results,
                 MappedOp& op) {
    const Names input_names = names_of(inputs);
    const Names result_names = names_of(results);
    for (size_t i = 0; i < kernels.size(); ++i) {
        op.kernels.push_back(map_kernel(kernels[i], judgements.at(i), input_names, result_names));
        if (!op.first_culprit && judgements[i].finding()) op.first_culprit = i;
    }
}

}  // namespace npuscope::diagnose
