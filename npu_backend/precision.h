// Which float32 ops a graph compiler computes in float16, by the precision mode of the chip's
// options.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_set>

#include "core/ir/value.h"
#include "npu_backend/chips/options.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/ops/op.h"

namespace npuscope {

/// The user's lists win over the kernels' own colours. A name is an IR op's or that of a CANN type
/// that it launches, * at its end stands for the rest.
[[nodiscard]] PrecisionColour precision_colour(const backend::Op& op, const ChipOptions& options);

/// Decides op by op and remembers which tensors came out of float16 ops. One object an executor.
class PrecisionPlan {
  public:
    explicit PrecisionPlan(const ChipOptions& options) : options_(options) {}

    using Cast = std::function<Tensor(Tensor tensor, DType target)>;

    /// True when this op is to be computed in float16: its float32 tensors are then replaced by
    /// float16 ones (not the vectors of a batch norm, which stay float32). In allow_mix_precision
    /// ops on single numbers (0 dimensions) keep float32.
    bool narrow(const backend::Op& op, NamedValues& inputs, const Cast& cast) const;
    /// float16 results of such an op become float32 again, and are remembered.
    void widen(NamedValues& outputs, const Cast& cast);
    /// A view of a remembered tensor is one too.
    void follow(const NamedValues& inputs, const NamedValues& outputs);

  private:
    [[nodiscard]] bool comes_from_half(const NamedValues& inputs) const;

    const ChipOptions& options_;
    std::unordered_set<uint64_t> halves_;
};

}  // namespace npuscope
