// How much the loops of a model may do: their conditions may never become false.
#pragma once

#include <cstdint>

namespace npuscope::onnx_model {

struct RunLimits {
    int64_t trips = 1'000'000;                ///< of all loops of a run together
    uint64_t loop_bytes = uint64_t{4} << 30;  ///< that one loop hands on and gathers
};

/// What is left of them during a run. Threads: one.
class LoopBudget {
  public:
    explicit LoopBudget(const RunLimits& limits) : limits_(limits) {}

    /// Of one more trip. Errors: Error(kUnsupported) says that the loops do not seem to end.
    void take_trip();
    /// Errors: Error(kUnsupported) where that is too much.
    void require_room(uint64_t bytes) const;

  private:
    RunLimits limits_;
    int64_t trips_ = 0;
};

}  // namespace npuscope::onnx_model
