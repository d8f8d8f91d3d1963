#include "dumper/write_queue.h"

#include <algorithm>
#include <utility>

namespace npuscope::dumper {

namespace {
constexpr uint64_t kRecordBytes = 512;  // names, facts and the queue's own bookkeeping
}

uint64_t bytes_of(const dumpfile::OpRecord& record) {
    uint64_t bytes =
        kRecordBytes + record.facts.source.node.size() + record.facts.source.module.size();
    const auto add = [&](const std::string&, const Tensor& tensor) { bytes += tensor.nbytes(); };
    for_each_tensor(record.inputs, add);
    for_each_tensor(record.outputs, add);
    return bytes;
}

WriteQueue::WriteQueue(uint64_t limit_bytes,
                       Write write,
                       Idle idle,
                       std::chrono::milliseconds idle_after)
    : limit_bytes_(limit_bytes),
      write_(std::move(write)),
      idle_(std::move(idle)),
      idle_after_(idle_after),
      thread_([this] { run(); }) {}

WriteQueue::~WriteQueue() {
    finish();
}

void WriteQueue::push(dumpfile::OpRecord record) {
    const uint64_t bytes = bytes_of(record);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        return failure_ || queued_bytes_ == 0 || queued_bytes_ + bytes <= limit_bytes_;
    });
    if (failure_ || ended_) return;
    items_.push_back({std::move(record), bytes});
    queued_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, queued_bytes_);
    changed_.notify_all();
}

std::exception_ptr WriteQueue::finish() noexcept {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    return failure_;
}

uint64_t WriteQueue::peak_bytes() const {
    const std::lock_guard lock(mutex_);
    return peak_bytes_;
}

template <class Step>
bool WriteQueue::runs(std::unique_lock<std::mutex>& lock, Step&& step) {
    lock.unlock();
    std::exception_ptr failure;
    try {
        step();
    } catch (...) {
        failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
        failure_ = failure;
        items_.clear();
        queued_bytes_ = 0;
        changed_.notify_all();
    }
    return !failure;
}

void WriteQueue::wait(std::unique_lock<std::mutex>& lock) {
    const auto has_work = [&] { return ended_ || failure_ || !items_.empty(); };
    if (idle_ && !idled_ && !changed_.wait_for(lock, idle_after_, has_work)) {
        idled_ = true;
        if (!runs(lock, idle_)) return;
    }
    changed_.wait(lock, has_work);
}

void WriteQueue::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wait(lock);
        if (items_.empty()) return;
        Item item = std::move(items_.front());
        items_.pop_front();
        idled_ = false;
        const uint64_t bytes = item.bytes;
        const bool done = runs(lock, [&] {
            write_(item.record);
            item = {};  // lets go of the tensors before their bytes are counted as free
        });
        if (!done) return;
        queued_bytes_ -= bytes;
        changed_.notify_all();
    }
}

}  // namespace npuscope::dumper
