// Judges ops while they run: each against the arithmetic that its device states, on the very inputs
// that it was given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/event/event_source.h"
#include "diagnose/judge/side_judge.h"
#include "npu_backend/chips/device.h"

namespace npuscope::diagnose {

/// No sample is needed, since the device tells the classes: every op is judged at once, and nothing
/// of it is kept. Ops that cannot be computed here (random, unknown) are counted. An op that
/// overflows on finite inputs is at fault. Threads: the event source's.
class LiveJudge final : public Observer {
  public:
    /// Watches from now on, until it goes. Borrows the source.
    LiveJudge(EventSource& source, const Device& device);
    ~LiveJudge() override;
    LiveJudge(const LiveJudge&) = delete;
    LiveJudge& operator=(const LiveJudge&) = delete;

    void op_end(const OpEnd& event) override;
    /// Stops watching; what was found stays. Idempotent.
    void close() noexcept;

    [[nodiscard]] int64_t judged() const { return judged_; }
    [[nodiscard]] int64_t not_judged() const { return not_judged_; }
    /// "/mm/12 (blocks.1): result: 3 of 80 elements beyond what fp16 inputs, fp32 sums makes of
    /// these inputs; …", the first hundred, in the order that they ran.
    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

  private:
    void add_fault(const OpEnd& event, const std::string& text);

    EventSource* source_;  ///< nullptr after close()
    const Device device_;
    const SideJudge judge_;
    int64_t judged_ = 0;
    int64_t not_judged_ = 0;
    std::vector<std::string> faults_;
};

}  // namespace npuscope::diagnose
