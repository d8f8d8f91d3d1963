// The kernels of an op as they ran, and which of them left the reference.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/event/observer.h"
#include "diagnose/kernels/kernel_judgement.h"
#include "npu_backend/chips/device.h"

namespace npuscope::diagnose {

struct TracedFormat {
    std::string name;  ///< NCHW, NC1HWC0, …
    int64_t groups = 1;
};

/// One launch, kept.
struct TracedKernel {
    std::string type;
    std::string op_name = {};
    int64_t seqid = 0;
    int64_t task_id = 0;
    int64_t stream_id = 0;
    NamedValues attributes = {};
    std::vector<Tensor> inputs = {};
    std::vector<Tensor> outputs = {};
    std::vector<TracedFormat> input_formats = {};
    std::vector<TracedFormat> output_formats = {};
    FloatStatus status = {};
};

/// Keeps every kernel between two calls of take(). Tensors are shared, not copied.
class KernelTrace : public Observer {
  public:
    void kernel_end(const KernelEvent& event) override;
    void op_end(const OpEnd& event) override;
    /// What ran since the last call.
    [[nodiscard]] std::vector<TracedKernel> take();
    [[nodiscard]] ComputeType compute_type() const { return compute_type_; }  ///< of the last op

  private:
    std::vector<TracedKernel> kernels_;
    ComputeType compute_type_ = ComputeType::kNone;
};

/// Where an input comes from: an earlier kernel of the op, or nothing of it.
struct InputOrigin {
    std::optional<size_t> kernel;  ///< position in the op
    size_t output = 0;
};

struct KernelJudgement {
    std::vector<OutputJudgement> outputs;
    std::vector<InputOrigin> inputs;
    std::string skipped;  ///< why it could not be computed again, "" otherwise

    [[nodiscard]] bool finding() const;
    /// The worst of its outputs; nullptr when there are none.
    [[nodiscard]] const OutputJudgement* worst() const;
};

/// Computes each kernel twice in the reference: from its own inputs (the error it introduces), and
/// from what the reference gives for the kernels before it (the error so far). Kernels that only
/// move or round values must be exact, others keep the tolerance of their results' dtype, Cube
/// kernels that of `compute_type` where it is HF32.
[[nodiscard]] std::vector<KernelJudgement> judge_kernels(std::span<const TracedKernel> kernels,
                                                         const Device& reference,
                                                         ComputeType compute_type);

}  // namespace npuscope::diagnose
