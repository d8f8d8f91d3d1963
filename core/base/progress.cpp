#include "core/base/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include "core/base/columns.h"
#include "core/base/printable.h"

namespace npuscope {

Progress::Progress(std::string label, int64_t total, bool enabled)
    : label_(std::move(label)),
      total_(total),
      active_(enabled && ::isatty(STDERR_FILENO) == 1),
      begin_(std::chrono::steady_clock::now()) {}

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
    const std::string left =
        time_left(done, total_, std::chrono::duration<double>(now - begin_).count());
    if (!left.empty()) line += "  " + left;
    if (!detail.empty()) line += "  " + printable(detail);
    std::fprintf(stderr, "\r\x1b[K%s", first_columns(line, 78).c_str());
    std::fflush(stderr);
}

std::string time_left(int64_t done, int64_t total, double seconds) {
    if (done <= 0 || total <= done || seconds < 3) return {};
    const double left = seconds / static_cast<double>(done) * static_cast<double>(total - done);
    if (left < 100) return "about " + std::to_string(std::lround(std::max(1.0, left))) + " s left";
    if (left < 100 * 60) return "about " + std::to_string(std::lround(left / 60)) + " min left";
    return "about " + std::to_string(std::lround(left / 3600)) + " h left";
}

}  // namespace npuscope
