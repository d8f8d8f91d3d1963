// The ops of another framework (PyTorch) as an event source, computed by that framework or, where a
// chip knows them, by its executor.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/event/event_source.h"
#include "core/ir/value.h"
#include "npu_backend/executor.h"

namespace npuscope::python {

/// Numbers recorded ops; shared by all streams of a process, so that numbers go on over scopes.
struct SeqidCounter {
    std::atomic<int64_t> last{0};
};

/// One op between begin() and end().
struct StreamOp {
    std::string name;
    int64_t seqid = 0;  ///< 0 when not recorded
    bool recorded = true;
    NamedValues inputs;  ///< after replacement
    /// Names of inputs that no op of the program computed; nothing: not known.
    std::optional<std::vector<std::string>> given;
    std::vector<bool> replaced;  ///< by input: the provider gave another value
    OpSource source;
    NamedValues outputs;
    FloatStatus status;
    ComputeType compute_type = ComputeType::kNone;
    std::vector<std::string> kernels;
    bool on_chip = false;  ///< compute() did it
    /// Of batch normalisation in training: the new running statistics; else none.
    std::vector<Tensor> running_statistics;
};

/// Threads: any number may begin and end ops; observers are called by one at a time. compute() and
/// scopes of load mode need the caller to keep other threads out from begin() to end().
class OpStream : public EventSource, private Observer {
  public:
    /// `executor` is null when the framework computes everything. `device_code` as DeviceType.
    OpStream(std::shared_ptr<SeqidCounter> counter,
             int device_code,
             std::vector<std::pair<std::string, std::string>> facts,
             std::unique_ptr<Executor> executor);
    ~OpStream() override;
    OpStream(const OpStream&) = delete;
    OpStream& operator=(const OpStream&) = delete;

    void begin(StreamOp& op);
    /// Whether the chip's op takes these arguments, as far as names tell.
    [[nodiscard]] bool accepts(const StreamOp& op, const std::string& chip_op) const;
    /// Fills outputs, status, compute type, kernels by the chip's op of that name, which is the
    /// op's own or, for an op that writes in place, that of its plain form. Errors: as
    /// Executor::call_named.
    void compute(StreamOp& op, const std::string& chip_op);
    void end(StreamOp& op);

    [[nodiscard]] bool observed() const { return has_observers(); }
    [[nodiscard]] Executor* executor() { return executor_.get(); }
    [[nodiscard]] int device_code() const override { return device_code_; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> run_facts() const override {
        return facts_;
    }

  private:
    // Of the executor: its events go on under the stream's numbers.
    void kernel_begin(const KernelEvent& event) override;
    void kernel_end(const KernelEvent& event) override;
    void op_end(const OpEnd& event) override;

    std::shared_ptr<SeqidCounter> counter_;  // shared with other streams
    const int device_code_;
    const std::vector<std::pair<std::string, std::string>> facts_;
    std::unique_ptr<Executor> executor_;
    StreamOp* computing_ = nullptr;
    std::recursive_mutex mutex_;
};

}  // namespace npuscope::python
