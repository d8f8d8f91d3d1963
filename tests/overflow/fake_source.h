// An event source that publishes the op events a test writes down by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/event/event_source.h"

namespace npuscope::test {

/// One op as a test describes it.
struct FakeOp {
    std::string name;
    NamedValues inputs;
    NamedValues outputs;
    /// (type, status bits) of its kernels; the op's status is all of them together.
    std::vector<std::pair<std::string, uint64_t>> kernels;
    bool recorded = true;
    std::string node;
};

class FakeSource : public EventSource {
  public:
    /// Publishes op_begin, the kernels and op_end; returns the op's seqid.
    int64_t run(const FakeOp& op) {
        const int64_t seqid = op.recorded ? ++last_seqid_ : 0;
        const OpSource source{op.node, "", ""};
        publish([&](Observer& o) {
            o.op_begin(OpBegin{op.name, seqid, op.recorded, op.inputs, source});
        });
        FloatStatus status;
        std::vector<std::string> types;
        for (const auto& [type, bits] : op.kernels) {
            KernelEvent event;
            event.type = type;
            event.op_name = op.name;
            event.seqid = seqid;
            publish([&](Observer& o) { o.kernel_begin(event); });
            event.status.bits = bits;
            status.merge(event.status);
            publish([&](Observer& o) { o.kernel_end(event); });
            types.push_back(type);
        }
        publish([&](Observer& o) {
            o.op_end(OpEnd{op.name,
                           seqid,
                           op.recorded,
                           op.inputs,
                           op.outputs,
                           source,
                           status,
                           ComputeType::kFloat16,
                           types});
        });
        return seqid;
    }

    /// One input, one output, one kernel; the output is `result`.
    Tensor unary(const std::string& name, const Tensor& input, Tensor result, uint64_t bits = 0) {
        run({name, {{"self", input}}, {{"result", result}}, {{name + "Kernel", bits}}, true, ""});
        return result;
    }

    /// An op that is not recorded.
    Tensor view(const std::string& name, const Tensor& input, Tensor result) {
        run({name, {{"self", input}}, {{"result", result}}, {}, false, ""});
        return result;
    }

    [[nodiscard]] int device_code() const override { return 10; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> run_facts() const override {
        return {};
    }

  private:
    int64_t last_seqid_ = 0;
};

}  // namespace npuscope::test
