// Watches a run for overflow: who introduced it, and who only received it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>

#include "core/event/event_source.h"
#include "core/event/observer.h"
#include "overflow/record.h"

namespace npuscope::overflow {

struct WatcherOptions {
    std::ostream* out = nullptr;  ///< one line per overflowing op; borrowed
    std::function<void(const OverflowRecord&)> on_overflow =
        {};                        ///< called at the end of such an op
    size_t max_records = 10'000;   ///< kept in detail; more are only counted
    size_t max_receivers = 20;     ///< likewise, and for foreign values
    size_t max_tensors = 1 << 18;  ///< remembered at once (about 100 bytes each); the oldest are
                                   ///< forgotten, and count as tensors that no op made
    int threads = 0;               ///< for scanning large inputs; 0: all cores
};

/// Attaches in the constructor, detaches in the destructor; several may watch one source.
///
/// An op overflowed when its float status says so; output values are never looked at, so an exact
/// 65504 is no overflow, and an intermediate kernel's overflow behind a finite output is one.
/// Inputs decide who is to blame: each is known by its storage, through ops that are not recorded,
/// and each storage is scanned once. Integer and bool tensors pass damage on as well.
///
/// Errors  none of its own; what `on_overflow` throws is counted by the event source.
/// Threads the event source's.
class OverflowWatcher : public Observer {
  public:
    explicit OverflowWatcher(EventSource& source, WatcherOptions options = {});
    ~OverflowWatcher() override;
    OverflowWatcher(const OverflowWatcher&) = delete;
    OverflowWatcher& operator=(const OverflowWatcher&) = delete;

    [[nodiscard]] const OverflowReport& report() const;

    void op_begin(const OpBegin& event) override;
    void kernel_end(const KernelEvent& event) override;
    void op_end(const OpEnd& event) override;

  private:
    struct State;
    EventSource& source_;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::overflow
