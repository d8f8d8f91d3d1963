// An executor that computes nothing: a test hands it each op's inputs and outputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/event/event_source.h"

namespace npuscope::test {

/// What run() publishes beside inputs and outputs.
struct FakeOp {
    FloatStatus status = {};
    OpSource source = {};
    ComputeType compute_type = ComputeType::kNone;
    std::vector<std::string> kernels = {};
    bool recorded = true;
};

class FakeSource : public EventSource {
  public:
    explicit FakeSource(int device = 10) : device_(device) {}

    [[nodiscard]] int device_code() const override { return device_; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> run_facts() const override {
        return {{"chip", "910A"}, {"options", "{}"}};
    }

    /// Publishes one op and returns the inputs that it saw.
    NamedValues run(const std::string& name,
                    NamedValues inputs,
                    const NamedValues& outputs,
                    const FakeOp& op = {}) {
        const int64_t seqid = op.recorded ? ++seqid_ : 0;
        if (op.recorded) provide_inputs(name, inputs);
        const OpBegin begin{name, seqid, op.recorded, inputs, op.source};
        publish([&](Observer& observer) { observer.op_begin(begin); });
        const OpEnd end{name,
                        seqid,
                        op.recorded,
                        inputs,
                        outputs,
                        op.source,
                        op.status,
                        op.compute_type,
                        op.kernels};
        publish([&](Observer& observer) { observer.op_end(end); });
        return inputs;
    }

    /// Stands for an op that throws after its inputs were replaced.
    void fail(const std::string& name, NamedValues inputs) {
        ++seqid_;
        provide_inputs(name, inputs);
    }

    using EventSource::has_observers;

  private:
    int device_;
    int64_t seqid_ = 0;
};

inline FloatStatus overflowed() {
    FloatStatus status;
    status.raise(FloatStatus::kCubeOverflow);
    return status;
}

}  // namespace npuscope::test
