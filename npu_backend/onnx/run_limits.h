// How much a model may do: the conditions of its loops may never become false, the sizes that its
// ops ask for may be any.
#pragma once

#include <cstdint>

#include "core/tensor/op_budget.h"

namespace npuscope::onnx_model {

struct RunLimits {
    int64_t trips = 1'000'000;                ///< of all loops of a run together
    uint64_t loop_bytes = uint64_t{4} << 30;  ///< that one loop hands on and gathers
    int64_t elements = 0;  ///< of one op's result; 0: OpLimits::for_given() of weights and inputs
};

/// What is left of them during a run. Threads: one.
class RunBudget {
  public:
    RunBudget(const RunLimits& limits, const OpLimits& op) : limits_(limits), op_(op) {}

    /// Of each node, those in bodies too.
    [[nodiscard]] const OpLimits& of_op() const { return op_; }

    /// Of one more trip. Errors: Error(kUnsupported) says that the loops do not seem to end.
    void take_trip();
    /// Errors: Error(kUnsupported) where that is too much.
    void require_room(uint64_t bytes) const;

  private:
    RunLimits limits_;
    OpLimits op_;
    int64_t trips_ = 0;
};

}  // namespace npuscope::onnx_model
