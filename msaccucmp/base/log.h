// The reference tool's log lines: "2026-01-31 12:00:00 (PID) - [LEVEL] message".
#pragma once

#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope::msaccucmp {

enum class Level { kInfo, kWarning, kError };

/// Lines kept back until their turn, so that the order does not depend on threads.
using LogLines = std::vector<std::pair<Level, std::string>>;

/// Threads: any.
class Log {
  public:
    /// `between_steps`: what step() calls.
    explicit Log(std::ostream& out, std::function<void()> between_steps = {});
    /// Said between two pieces of a long work; what the hook throws ends it.
    void step() const {
        if (between_steps_) between_steps_();
    }
    void info(std::string_view message) { write(Level::kInfo, message); }
    void warning(std::string_view message) { write(Level::kWarning, message); }
    void error(std::string_view message) { write(Level::kError, message); }
    void write(Level level, std::string_view message);
    void write(const LogLines& lines);
    /// Lines that another Log made.
    void append(std::string_view text);

  private:
    [[nodiscard]] std::string line(Level level, std::string_view message) const;

    std::ostream& out_;
    std::function<void()> between_steps_;
    std::mutex mutex_;
    int pid_;
};

/// Control characters that could forge a log line, and their percent spellings, become "_".
[[nodiscard]] std::string log_safe(std::string_view message);

/// Local time as "%Y%m%d%H%M%S"; `later` seconds are added.
[[nodiscard]] std::string time_stamp(int later = 0);

}  // namespace npuscope::msaccucmp
