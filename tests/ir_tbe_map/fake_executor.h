// An event source that tests drive kernel by kernel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/event/event_source.h"

namespace npuscope::test {

/// Publishes kernels as an executor does.
class FakeExecutor : public EventSource {
  public:
    [[nodiscard]] int device_code() const override { return 10; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> run_facts() const override {
        return {};
    }
    void begin_op(const std::string& op_name, const std::string& node = {}, int64_t step = -1) {
        name_ = op_name;
        const OpSource source{.node = node, .step = step};
        const OpBegin event{name_, ++seqid_, true, {}, source};
        publish([&](Observer& observer) { observer.op_begin(event); });
    }
    void kernel(const std::string& type,
                const std::vector<Tensor>& inputs,
                const std::vector<Tensor>& outputs,
                uint64_t bits = 0,
                const char* output_format = "ND") {
        const std::vector<TensorFormat> in(inputs.size());
        const std::vector<TensorFormat> out(outputs.size(), TensorFormat{output_format});
        KernelEvent event{.type = type,
                          .conversion = type == "Cast",
                          .op_name = name_,
                          .seqid = seqid_,
                          .task_id = ++task_,
                          .stream_id = 3,
                          .inputs = inputs,
                          .outputs = outputs,
                          .status = {.bits = bits}};
        event.input_formats = in;
        event.output_formats = out;
        publish([&](Observer& observer) { observer.kernel_end(event); });
    }

  private:
    std::string name_;
    int64_t seqid_ = 0;
    int64_t task_ = 0;
};

}  // namespace npuscope::test
