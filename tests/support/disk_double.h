// A disk in place of the system's below the append-only writer: writes down what it is told, is
// full, or fails at a call by its number. What whole programs make of failing calls: tests/faults.
#pragma once

#include <cerrno>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/h5/output_file.h"

namespace npuscope::test {

/// How a call fails; nothing works any more after it.
enum class DiskFailure {
    kNothingWritten,  ///< ENOSPC
    kHalfWritten,     ///< some bytes fitted
    kAllWritten,      ///< EIO is told late
};

/// One call that reached the disk: a write, or a sync.
struct DiskEvent {
    bool is_sync = false;
    uint64_t offset = 0;
    std::string bytes;
};

/// What a disk does, and what was done with it.
struct DiskScript {
    int calls_left = std::numeric_limits<int>::max();  ///< until one fails
    DiskFailure failure = DiskFailure::kNothingWritten;
    uint64_t capacity = std::numeric_limits<uint64_t>::max();  ///< in bytes; what fits is written
    bool has_failed = false;
    bool keeps_events = false;
    std::vector<DiskEvent> events = {};
};

class DiskDouble : public h5::OutputFile {
  public:
    /// The script is borrowed. Without a file nothing is kept but the script's events.
    explicit DiskDouble(DiskScript& script, std::unique_ptr<h5::OutputFile> file = nullptr)
        : script_(script), file_(std::move(file)) {}

    void write(uint64_t offset, std::span<const std::byte> bytes) override {
        const bool fails = now();
        const uint64_t room = script_.capacity - std::min(script_.capacity, offset);
        const bool fits = bytes.size() <= room;
        size_t fitting = fits ? bytes.size() : room;
        // The superblock lies in one sector: all of it or nothing.
        if (fails && script_.failure == DiskFailure::kHalfWritten)
            fitting = offset == 0 ? 0 : bytes.size() / 2;
        if (fails && script_.failure == DiskFailure::kNothingWritten) fitting = 0;
        if (script_.keeps_events)
            script_.events.push_back(
                {false, offset, {reinterpret_cast<const char*>(bytes.data()), fitting}});
        if (file_) file_->write(offset, bytes.first(fitting));
        if (fails || !fits) fail();
    }
    void read(uint64_t offset, std::span<std::byte> bytes) override {
        if (!file_) throw Error(ErrorKind::kInternal, "nothing is read back");
        file_->read(offset, bytes);
    }
    void sync() override {
        const bool fails = now();
        if (script_.keeps_events) script_.events.push_back({true, 0, {}});
        if (file_) file_->sync();
        if (fails) fail();
    }
    void publish() override {
        if (now()) fail();
        if (file_) file_->publish();
    }
    void cut(uint64_t end) noexcept override {
        if (file_) file_->cut(end);
    }
    void close() override {
        if (file_) file_->close();
        if (now()) fail();
    }

  private:
    bool now() {
        script_.has_failed = script_.has_failed || script_.calls_left-- == 0;
        return script_.has_failed;
    }
    [[noreturn]] static void fail() {
        throw Error(ErrorKind::kIo, "cannot write: " + std::generic_category().message(ENOSPC));
    }
    DiskScript& script_;
    std::unique_ptr<h5::OutputFile> file_;
};

}  // namespace npuscope::test
