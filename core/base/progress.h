// A one-line progress display on stderr, for terminals only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace npuscope {

/// Shows "label  done/total  about 2 min left" at most ten times a second while stderr is a
/// terminal, the time from the third second on; silent in a pipe and when `enabled` is false. The
/// destructor erases the line. Threads: one thread per object.
class Progress {
  public:
    /// `total` of 0 means unknown: only the count is shown.
    Progress(std::string label, int64_t total, bool enabled = true);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `detail` is shown behind the count (an op's name, say).
    void update(int64_t done, const std::string& detail = {});

  private:
    std::string label_;
    int64_t total_;
    bool active_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::time_point last_;
};

/// "about 40 s left", "about 3 min left": what is left when `done` of `total` took `seconds`. ""
/// within the first three seconds, and where nothing is known.
[[nodiscard]] std::string time_left(int64_t done, int64_t total, double seconds);

}  // namespace npuscope
