// What an executor publishes while it runs, and the two interfaces that listen.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/ir/value.h"
#include "core/tensor/tensor.h"

namespace npuscope {

/// The AI Core status bits that a kernel raised. Source: asc_get_status of the Ascend C API.
struct FloatStatus {
    uint64_t bits = 0;
    bool inputs_count = false;  ///< inf and nan that came in count as overflow (an option)

    static constexpr uint64_t kOverflow =
        1u << 5;  ///< float (or int16/32) overflow of a vector result
    static constexpr uint64_t kUnderflow = 1u << 6;  ///< nonzero became zero
    static constexpr uint64_t kNegativeToUnsigned = 1u << 7;
    static constexpr uint64_t kCopyOverflow = 1u << 8;   ///< L0C to UB copy, float32 to float16
    static constexpr uint64_t kCopyUnderflow = 1u << 9;  ///< in that copy nonzero became zero
    static constexpr uint64_t kCubeOverflow = 1u << 10;  ///< Cube accumulator
    static constexpr uint64_t kVectorInputNonFinite = 1u << 14;  ///< nan or inf came in
    static constexpr uint64_t kCubeInputNonFinite = 1u << 15;

    void raise(uint64_t bit) { bits |= bit; }
    void merge(FloatStatus other) {
        bits |= other.bits;
        inputs_count = inputs_count || other.inputs_count;
    }
    /// An exact result exceeded the largest finite value of its dtype.
    [[nodiscard]] bool overflow() const {
        return (bits & (kOverflow | kCopyOverflow | kCubeOverflow)) != 0 ||
               (inputs_count && input_non_finite());
    }
    [[nodiscard]] bool input_non_finite() const {
        return (bits & (kVectorInputNonFinite | kCubeInputNonFinite)) != 0;
    }
};

/// The precision that an op computed in; decides its tolerance and is kept in the dump.
enum class ComputeType : uint8_t { kNone, kFloat64, kFloat32, kHFloat32, kFloat16, kBFloat16 };
[[nodiscard]] std::string_view name_of(ComputeType type);  ///< "float16", "hf32", …; "" for kNone
[[nodiscard]] std::optional<ComputeType> compute_type_from_name(std::string_view name);

/// Where an op comes from; each text may be empty.
struct OpSource {
    std::string node = {};      ///< ONNX node name
    std::string module = {};    ///< module path
    std::string line = {};      ///< source line
    std::string autograd = {};  ///< autograd node that ran it; "" in the forward pass
    std::string fallback = {};  ///< why a chip did not compute it; "" when it did
    int64_t thread = 0;         ///< number of the thread within the program; 0: not told
    int64_t step = -1;          ///< training step, from 0; -1: not told
};

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
    /// Changes `inputs` in place (values only, not names or order). `computed_here` is asked of
    /// tensors among `inputs` as they come in.
    virtual void provide(std::string_view op_name,
                         NamedValues& inputs,
                         const ComputedHere& computed_here) = 0;
};

}  // namespace npuscope
