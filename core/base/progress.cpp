#include "core/base/progress.h"

#include <cstdio>
#include <unistd.h>
#include <utility>

#include "core/base/printable.h"

namespace npuscope {

Progress::Progress(std::string label, int64_t total, bool enabled)
    : label_(std::move(label)), total_(total), active_(enabled && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(int64_t done, const std::string& detail) {
    if (!active_) return;
    const auto now = std::chrono::steady_clock::now();
    if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    std::string line = label_ + "  " + std::to_string(done);
    if (total_ > 0) line += "/" + std::to_string(total_);
    if (!detail.empty()) line += "  " + printable(detail);
    if (line.size() > 78) line.resize(78);
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    std::fflush(stderr);
}

}  // namespace npuscope
