// How long ops and their kernels take, as a table and as a Chrome trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/event/event_source.h"

namespace npuscope::diagnose {

/// One op or kernel name over a run. Times are the emulator's on this machine, not a chip's.
struct ProfileRow {
    std::string name;
    bool kernel = false;
    int64_t calls = 0;
    double seconds = 0;
};

/// Attaches in the constructor, detaches in the destructor. An op's time holds that of its kernels
/// and of other observers. Memory: about 100 bytes for each op and kernel that runs. Threads: the
/// event source's.
class OpProfile : public Observer {
  public:
    /// Seconds since any fixed moment, ascending.
    using Clock = std::function<double()>;

    explicit OpProfile(EventSource& source, Clock clock = {});
    ~OpProfile() override;
    OpProfile(const OpProfile&) = delete;
    OpProfile& operator=(const OpProfile&) = delete;

    /// Ops, then kernels, each by descending time, then by name.
    [[nodiscard]] std::vector<ProfileRow> rows() const;
    /// "seconds  share  calls  name", ops first; ends with a newline.
    [[nodiscard]] std::string table() const;
    /// One object with "traceEvents": complete events ("ph": "X"), times in microseconds; ops on
    /// thread 1, kernels on thread 2. Source: Trace Event Format, Google, section Complete Events.
    [[nodiscard]] std::string chrome_trace() const;
    /// Errors: Error(kIo).
    void write_chrome_trace(const std::filesystem::path& path) const;

    void op_begin(const OpBegin& event) override;
    void op_end(const OpEnd& event) override;
    void kernel_begin(const KernelEvent& event) override;
    void kernel_end(const KernelEvent& event) override;

  private:
    struct Span {
        std::string name;
        std::string op;  ///< of a kernel
        int64_t seqid = 0;
        bool kernel = false;
        double begin = 0;
        double end = 0;
    };
    void begin(bool kernel);
    void end(bool kernel, Span span);

    EventSource& source_;
    Clock clock_;
    double start_ = 0;
    std::vector<double> op_begins_;  ///< of ops that run now, the outermost first
    std::vector<double> kernel_begins_;
    std::vector<Span> spans_;
};

}  // namespace npuscope::diagnose
