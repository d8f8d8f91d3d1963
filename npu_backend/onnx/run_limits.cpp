#include "npu_backend/onnx/run_limits.h"

#include <string>

#include "core/base/error.h"

namespace npuscope::onnx_model {

void RunBudget::take_trip() {
    if (trips_ == limits_.trips)
        throw Error(ErrorKind::kUnsupported,
                    "the loops of the model have run " + std::to_string(trips_) +
                        " times, the limit of a run, and do not seem to end");
    ++trips_;
}

void RunBudget::require_room(uint64_t bytes) const {
    if (bytes > limits_.loop_bytes)
        throw Error(ErrorKind::kUnsupported,
                    "what its iterations hand on and gather is larger than " +
                        std::to_string(limits_.loop_bytes >> 20) + " MiB");
}

}  // namespace npuscope::onnx_model
