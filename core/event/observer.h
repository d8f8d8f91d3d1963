// What an executor publishes while it runs, and the two interfaces that listen.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/dtype/compute_type.h"
#include "core/ir/float_status.h"
#include "core/ir/op_source.h"
#include "core/ir/value.h"
#include "core/tensor/tensor.h"

namespace npuscope {

/// How a kernel holds a tensor in memory. Its elements are published in plain layout; whoever needs
/// the bytes puts them into this format.
struct TensorFormat {
    std::string_view name = "ND";  ///< as CANN calls it: NCHW, NC1HWC0, FRACTAL_Z, FRACTAL_NZ, …
    int64_t groups = 1;            ///< of a convolution's filter
};

/// One kernel launch. Views live for the call.
struct KernelEvent {
    std::string_view type;     ///< CANN operator: Conv2D, TransData, …
    bool conversion = false;   ///< a compiler puts it around an operator: Cast, TransData, …
    std::string_view op_name;  ///< IR op that launched it
    int64_t seqid = 0;         ///< of that op; 0 when it is not recorded
    int64_t task_id = 0;
    int64_t stream_id = 0;
    std::span<const Tensor> inputs;
    std::span<const Tensor> outputs;  ///< empty at kernel_begin
    FloatStatus status;               ///< empty at kernel_begin
    const NamedValues* attributes = nullptr;
    std::span<const TensorFormat> input_formats = {};   ///< one an input
    std::span<const TensorFormat> output_formats = {};  ///< one an output; empty at kernel_begin
};

/// One op, before it runs. Views live for the call.
struct OpBegin {
    std::string_view name;  ///< IR name
    int64_t seqid = 0;      ///< 0 when not recorded
    bool recorded = true;
    const NamedValues& inputs;  ///< after replacement by the InputProvider
    const OpSource& source;
};

/// One op, after it ran. Views live for the call.
struct OpEnd {
    std::string_view name;
    int64_t seqid = 0;
    bool recorded = true;
    const NamedValues& inputs;
    const NamedValues& outputs;
    const OpSource& source;
    FloatStatus status;  ///< of all its kernels
    ComputeType compute_type = ComputeType::kNone;
    std::span<const std::string> kernels;  ///< types in launch order
};

/// Watches. What it throws is counted by the event source and never reaches the observed program.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual void op_begin(const OpBegin&) {}
    virtual void op_end(const OpEnd&) {}
    virtual void kernel_begin(const KernelEvent&) {}
    virtual void kernel_end(const KernelEvent&) {}
};

/// Whether an op of the observed program computed a tensor, or nobody knows. False: it was given to
/// the program, as a weight, a constant or an input of the model. Empty: nobody knows.
using ComputedHere = std::function<bool(const Tensor&)>;

/// May replace a recorded op's inputs before it runs; at most one per event source.
class InputProvider {
  public:
    virtual ~InputProvider() = default;
    /// Where the op stands for which provide() is asked next.
    virtual void stand_at(const OpSource&) {}
    /// Changes `inputs` in place (values only, not names or order). `computed_here` is asked of
    /// tensors among `inputs` as they come in.
    virtual void provide(std::string_view op_name,
                         NamedValues& inputs,
                         const ComputedHere& computed_here) = 0;
};

}  // namespace npuscope
