#include "diagnose/kernels/kernel_alignment.h"

#include <algorithm>

#include <fmt/format.h>

#include "compare/bounds.h"
#include "compare/compare.h"

namespace npuscope::diagnose {

namespace {

using ir_tbe_map::ContentKey;
using ir_tbe_map::DeviceKernel;
using ir_tbe_map::DeviceTensor;

bool holds(const std::vector<ContentKey>& keys, const DeviceTensor& tensor) {
    return tensor.key && !tensor.key->weak && std::ranges::any_of(keys, [&](const ContentKey& key) {
               return key.matches(*tensor.key);
           });
}

/// Within what float16 allows.
bool is_close(const DeviceTensor& tensor, const Tensor& recorded) {
    if (!tensor.key || tensor.key->weak || tensor.key->numel != recorded.numel() ||
        !is_float(recorded.dtype()))
        return false;
    const Tensor values = ir_tbe_map::load(tensor);
    if (!is_float(values.dtype())) return false;
    compare::Options options;
    options.divergence = false;
    return compare::compare_tensors(values.reshaped(recorded.shape()),
                                    recorded,
                                    {.tolerance = 4e-3, .source = "float16 4e-3"},
                                    options)
               .judgement.verdict == compare::Verdict::kPass;
}

/// The op's outputs that are still to come.
class Outputs {
  public:
    explicit Outputs(const OpContents& op) : op_(op) {
        for (size_t i = 0; i < op.outputs.size(); ++i)
            if (!op.outputs[i].weak) open_.push_back(i);
        wanted_ = open_.size();
    }
    /// Whether the kernel gives one of them.
    bool take(const DeviceKernel& kernel) {
        const size_t before = open_.size();
        for (const DeviceTensor& tensor : kernel.outputs)
            std::erase_if(open_, [&](size_t i) {
                return (tensor.key && tensor.key->matches(op_.outputs[i])) ||
                       is_close(tensor, op_.output_values[i]);
            });
        return open_.size() < before;
    }
    [[nodiscard]] bool complete() const { return wanted_ > 0 && open_.empty(); }
    [[nodiscard]] size_t wanted() const { return wanted_; }
    [[nodiscard]] size_t found() const { return wanted_ - open_.size(); }

  private:
    const OpContents& op_;
    std::vector<size_t> open_;
    size_t wanted_ = 0;
};

bool is_base(const std::string& format) {
    return format == "ND" || format == "NCHW" || format == "NCDHW" || format == "NHWC";
}

/// After the last output was found: brings it into the format or dtype that the op hands on.
bool hands_on(const DeviceKernel& kernel,
              const std::vector<ContentKey>& made,
              const OpContents& op) {
    if (kernel.inputs.size() != 1 || kernel.outputs.size() != 1) return false;
    const DeviceTensor& in = kernel.inputs[0];
    const DeviceTensor& out = kernel.outputs[0];
    if (!holds(made, in) || !out.key || !out.key->matches(*in.key)) return false;
    if (kernel.type == "TransData" || kernel.type == "Identity")
        return !is_base(in.format) && is_base(out.format);
    const auto recorded = [&](const std::string& dtype) {
        return std::ranges::any_of(op.output_values, [&](const Tensor& value) {
            return value.numel() == out.key->numel && name_of(value.dtype()) == dtype;
        });
    };
    return kernel.type == "Cast" && recorded(out.dtype) && !recorded(in.dtype);
}

/// Dumps that this program wrote name the op.
KernelAlignment by_name(std::span<const DeviceKernel> kernels, size_t from, const OpContents& op) {
    Outputs outputs(op);
    KernelAlignment alignment{.kernels = {}, .next = from, .how = {}};
    for (size_t i = 0; i < kernels.size(); ++i) {
        if (!kernels[i].op_name.starts_with(op.name + "_")) continue;
        alignment.kernels.push_back(i);
        alignment.next = std::max(alignment.next, i + 1);
        outputs.take(kernels[i]);
    }
    alignment.outputs_found = outputs.found();
    alignment.how =
        fmt::format("by name; {} of its {} outputs found", outputs.found(), outputs.wanted());
    return alignment;
}

KernelAlignment by_output(std::span<const DeviceKernel> kernels,
                          size_t from,
                          const OpContents& op) {
    Outputs outputs(op);
    KernelAlignment alignment{.kernels = {}, .next = from, .how = {}};
    for (size_t i = from; i < kernels.size() && !outputs.complete(); ++i) {
        if (!outputs.take(kernels[i])) continue;
        for (size_t k = alignment.next; k <= i; ++k)
            alignment.kernels.push_back(k);
        alignment.next = i + 1;
    }
    alignment.outputs_found = outputs.found();
    alignment.how = alignment.kernels.empty()
                        ? "no kernel from here on gives its outputs"
                        : "by time and outputs (the kernels were dumped without inputs)";
    return alignment;
}

}  // namespace

KernelAlignment align_kernels(std::span<const DeviceKernel> kernels,
                              size_t from,
                              const OpContents& op) {
    if (KernelAlignment named = by_name(kernels, from, op); !named.kernels.empty()) return named;
    const bool with_inputs = std::ranges::any_of(
        kernels, [](const DeviceKernel& kernel) { return !kernel.inputs.empty(); });
    if (!with_inputs) return by_output(kernels, from, op);
    Outputs outputs(op);
    std::vector<ContentKey> reached = op.inputs;
    std::vector<ContentKey> made;
    KernelAlignment alignment{.kernels = {}, .next = from, .how = {}};
    for (size_t i = from; i < kernels.size(); ++i) {
        const DeviceKernel& kernel = kernels[i];
        if (outputs.complete() && !hands_on(kernel, made, op)) break;
        const bool reads = std::ranges::any_of(
            kernel.inputs, [&](const DeviceTensor& input) { return holds(reached, input); });
        // After the first gap the op is over; before it, kernels of other ops pass by.
        if (!reads && !alignment.kernels.empty() && outputs.found() > 0) break;
        if (!reads) continue;
        alignment.kernels.push_back(i);
        alignment.next = i + 1;
        outputs.take(kernel);
        for (const DeviceTensor& output : kernel.outputs)
            if (output.key && !output.key->weak) {
                reached.push_back(*output.key);
                made.push_back(*output.key);
            }
    }
    alignment.outputs_found = outputs.found();
    if (outputs.found() == 0 && !alignment.kernels.empty()) {
        // Nothing says where it ends: at the first kernel that reads nothing of it.
        size_t count = 1;
        while (count < alignment.kernels.size() &&
               alignment.kernels[count] == alignment.kernels[count - 1] + 1)
            ++count;
        alignment.kernels.resize(count);
        alignment.next = alignment.kernels.back() + 1;
    }
    if (alignment.kernels.empty())
        alignment.how = "no kernel from here on reads its inputs";
    else
        alignment.how = fmt::format(
            "by time and contents; {} of its {} outputs found", outputs.found(), outputs.wanted());
    return alignment;
}

}  // namespace npuscope::diagnose
