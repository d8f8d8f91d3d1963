// The one thread that writes a scope's ops, and the bounded queue before it. Included by
// dumper/*.cpp only.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "core/dumpfile/writer.h"

namespace npuscope::dumper {

/// Bytes of a record's tensors, and a little for the record itself.
[[nodiscard]] uint64_t bytes_of(const dumpfile::OpRecord& record);

/// Takes records in order and hands each to `write` on a thread of its own. push() waits while more
/// than `limit_bytes` are queued; a single larger record is taken when the queue is empty. What
/// `write` throws is kept, everything behind it is dropped.
class WriteQueue {
  public:
    using Write = std::function<void(const dumpfile::OpRecord&)>;
    using Idle = std::function<void()>;

    /// `idle` is called on the same thread when nothing has come for `idle_after` since the last
    /// record; what it throws is kept as well.
    WriteQueue(uint64_t limit_bytes,
               Write write,
               Idle idle = {},
               std::chrono::milliseconds idle_after = {});
    ~WriteQueue();  ///< finish(), its error dropped
    WriteQueue(const WriteQueue&) = delete;
    WriteQueue& operator=(const WriteQueue&) = delete;

    /// Threads: one caller.
    void push(dumpfile::OpRecord record);
    /// Waits for the last record. Returns what `write` threw, or nullptr.
    std::exception_ptr finish() noexcept;
    /// The most bytes that waited at once.
    [[nodiscard]] uint64_t peak_bytes() const;

  private:
    struct Item {
        dumpfile::OpRecord record;
        uint64_t bytes = 0;
    };
    void run();
    /// Waits for a record or the end; calls idle_ in a pause.
    void wait(std::unique_lock<std::mutex>& lock);
    /// Runs a step without the lock; false when it failed.
    template <class Step>
    bool runs(std::unique_lock<std::mutex>& lock, Step&& step);

    const uint64_t limit_bytes_;
    const Write write_;
    const Idle idle_;
    const std::chrono::milliseconds idle_after_;
    bool idled_ = true;  ///< since the last record
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> items_;
    uint64_t queued_bytes_ = 0;  ///< with the record being written
    uint64_t peak_bytes_ = 0;
    bool ended_ = false;
    std::exception_ptr failure_;
    std::thread thread_;  // last: it uses everything above
};

}  // namespace npuscope::dumper
