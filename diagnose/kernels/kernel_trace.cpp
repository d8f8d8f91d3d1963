#include "diagnose/kernels/kernel_trace.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "compare/bounds.h"
#include "compare/compare.h"
#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope::diagnose {

namespace {

using backend::Kernel;
using backend::KernelCall;
using backend::Numerics;

std::vector<TracedFormat> kept(std::span<const TensorFormat> formats) {
    std::vector<TracedFormat> rows;
    for (const TensorFormat& format : formats)
        rows.push_back({std::string(format.name), format.groups});
    return rows;
}

compare::Bound bound_of(const Kernel& kernel, DType dtype, ComputeType compute_type) {
    const bool hf32 = compute_type == ComputeType::kHFloat32 && kernel.unit == backend::Unit::kCube;
    const std::string type(kernel.type);
    compare::Bound bound = compare::PrecisionBounds().bound(
        {.target = type,
         .golden = type,
         .dtype = dtype,
         .compute_type = hf32 ? compute_type : ComputeType::kNone});
    if (is_float(dtype) && kernel.is_exact()) {
        bound = {};
        bound.exact = true;
        bound.source = type + " only moves or rounds";
    }
    return bound;
}

Tensor held(const Tensor& tensor, const Numerics& numerics) {
    return tensor.cast(numerics.held(tensor.dtype()));
}

/// The kernel's outputs in the reference.
std::vector<Tensor> computed(const Kernel& row,
                             const TracedKernel& kernel,
                             std::vector<Tensor> inputs,
                             const Numerics& numerics) {
    NamedValues attributes = kernel.attributes;
    for (NamedValue& attribute : attributes)
        if (auto* dtype = std::get_if<DType>(&attribute.value)) *dtype = numerics.held(*dtype);
    KernelCall call{row.type, std::move(inputs), std::move(attributes), numerics};
    row.run(call);
    return std::move(call.outputs);
}

/// What the reference gives where a chip's kernel gave a tensor.
class GoldenChain {
  public:
    struct Place {
        Tensor golden;
        InputOrigin origin;
    };

    [[nodiscard]] const Place* find(const Tensor& tensor) const {
        const auto found = places_.find(tensor.storage_id());
        return found == places_.end() || found->second.golden.numel() != tensor.numel()
                   ? nullptr
                   : &found->second;
    }
    void put(const Tensor& tensor, Tensor golden, InputOrigin origin) {
        places_[tensor.storage_id()] = {std::move(golden), origin};
    }

  private:
    std::unordered_map<uint64_t, Place> places_;
};

compare::TensorResult measured(const Tensor& target,
                               const Tensor& golden,
                               const compare::Bound& bound) {
    compare::Options options;
    options.divergence = false;
    return compare::compare_tensors(target, golden, bound, options);
}

/// Against the golden as it is, not rounded to the output's dtype: what rounding loses counts.
double error_of(const Tensor& target, const Tensor& golden, const compare::Bound& bound) {
    const bool floats = is_float(target.dtype()) && is_float(golden.dtype());
    return compare::relative_error(
        measured(floats ? target.cast(golden.dtype()) : target, golden, bound));
}

/// A Cast that rounds as it should may still lose what its dtype promises: small numbers of a
/// tensor without large ones fall below the smallest that it holds.
compare::Judgement judged(const TracedKernel& kernel,
                          const Tensor& output,
                          const Tensor& golden,
                          const compare::Bound& bound) {
    compare::Judgement rounded = measured(output, golden, bound).judgement;
    const bool narrows = kernel.type == "Cast" && is_float(output.dtype()) &&
                         is_float(kernel.inputs[0].dtype()) &&
                         size_of(output.dtype()) < size_of(kernel.inputs[0].dtype());
    if (!narrows || rounded.verdict != compare::Verdict::kPass) return rounded;
    const std::string type(name_of(output.dtype()));
    const compare::Bound kept =
        compare::PrecisionBounds().bound({.target = type, .golden = type, .dtype = output.dtype()});
    compare::Judgement lost = measured(output.cast(golden.dtype()), golden, kept).judgement;
    if (!compare::is_finding(lost.verdict)) return rounded;
    lost.rule = "rounding underflows: " + lost.rule;
    return lost;
}

void judge_kernel(const TracedKernel& kernel,
                  size_t position,
                  const Numerics& numerics,
                  ComputeType compute_type,
                  GoldenChain& chain,
                  KernelJudgement& judgement) {
    std::vector<Tensor> own;
    std::vector<Tensor> golden;
    bool same = true;
    for (const Tensor& input : kernel.inputs) {
        const GoldenChain::Place* place = chain.find(input);
        judgement.inputs.push_back(place == nullptr ? InputOrigin{} : place->origin);
        own.push_back(held(input, numerics));
        golden.push_back(place == nullptr ? own.back() : place->golden.reshaped(input.shape()));
        same = same && place == nullptr;
    }
    const Kernel* row = backend::find_kernel(kernel.type);
    if (row == nullptr) {
        judgement.skipped = "there is no kernel of this type to compute it again";
        return;
    }
    const std::vector<Tensor> on_own = computed(*row, kernel, std::move(own), numerics);
    const std::vector<Tensor> on_golden =
        same ? on_own : computed(*row, kernel, std::move(golden), numerics);
    for (size_t i = 0; i < kernel.outputs.size(); ++i) {
        Tensor output = kernel.outputs[i];
        if (i < on_own.size() && on_own[i].numel() == output.numel())
            output = output.reshaped(on_own[i].shape());
        if (i >= on_own.size() || on_own[i].shape() != output.shape()) {
            judgement.outputs.push_back(
                {{compare::Verdict::kUndefined,
                  "the reference gives " +
                      (i < on_own.size() ? to_string(on_own[i].shape()) : "no such output")},
                 0,
                 0});
            continue;
        }
        const compare::Bound bound = bound_of(*row, output.dtype(), compute_type);
        judgement.outputs.push_back({judged(kernel, output, on_own[i], bound),
                                     error_of(output, on_own[i], bound),
                                     error_of(output, on_golden[i], bound)});
        chain.put(output, on_golden[i], {position, i});
    }
}

}  // namespace

void KernelTrace::kernel_end(const KernelEvent& event) {
    TracedKernel kernel{.type = std::string(event.type),
                        .op_name = std::string(event.op_name),
                        .seqid = event.seqid,
                        .task_id = event.task_id,
                        .stream_id = event.stream_id,
                        .attributes = {},
                        .inputs = {event.inputs.begin(), event.inputs.end()},
                        .outputs = {event.outputs.begin(), event.outputs.end()},
                        .input_formats = kept(event.input_formats),
                        .output_formats = kept(event.output_formats),
                        .status = event.status};
    if (event.attributes != nullptr) kernel.attributes = *event.attributes;
    kernels_.push_back(std::move(kernel));
}

void KernelTrace::op_end(const OpEnd& event) {
    compute_type_ = event.compute_type;
}

std::vector<TracedKernel> KernelTrace::take() {
    return std::exchange(kernels_, {});
}

bool KernelJudgement::finding() const {
    return std::ranges::any_of(outputs, [](const OutputJudgement& output) {
        return compare::is_finding(output.judgement.verdict);
    });
}

const OutputJudgement* KernelJudgement::worst() const {
    const OutputJudgement* found = nullptr;
    for (const OutputJudgement& output : outputs)
        if (found == nullptr || output.judgement.verdict > found->judgement.verdict ||
            (output.judgement.verdict == found->judgement.verdict &&
             output.introduced > found->introduced))
            found = &output;
    return found;
}

std::vector<KernelJudgement> judge_kernels(std::span<const TracedKernel> kernels,
                                           const Device& reference,
                                           ComputeType compute_type) {
    const Numerics numerics{reference, 0};
    std::vector<KernelJudgement> judgements(kernels.size());
    GoldenChain chain;
    for (size_t i = 0; i < kernels.size(); ++i) {
        try {
            judge_kernel(kernels[i], i, numerics, compute_type, chain, judgements[i]);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::kIo) throw;
            judgements[i].skipped = error.what();
        }
    }
    return judgements;
}

}  // namespace npuscope::diagnose
