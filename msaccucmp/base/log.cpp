#include "msaccucmp/base/log.h"

#include <array>
#include <ctime>
#include <unistd.h>
#include <utility>

namespace npuscope::msaccucmp {

namespace {

std::string local_time(const char* format, std::time_t when) {
    std::tm fields{};
    ::localtime_r(&when, &fields);
    std::array<char, 64> text{};
    const size_t length = std::strftime(text.data(), text.size(), format, &fields);
    return {text.data(), length};
}

std::string_view name_of(Level level) {
    switch (level) {
        case Level::kInfo:
            return "INFO";
        case Level::kWarning:
            return "WARNING";
        case Level::kError:
            break;
    }
    return "ERROR";
}

}  // namespace

std::string log_safe(std::string_view message) {
    static constexpr std::array<std::string_view, 6> kSpelled = {
        "%08", "%0a", "%0b", "%0c", "%0d", "%7f"};
    std::string safe;
    safe.reserve(message.size());
    for (size_t i = 0; i < message.size(); ++i) {
        const auto c = static_cast<unsigned char>(message[i]);
        if (c < 0x20 || c == 0x7f) {
            safe += '_';
            continue;
        }
        bool spelled = false;
        if (c == '%')
            for (const std::string_view text : kSpelled)
                spelled = spelled || message.substr(i, text.size()) == text;
        safe += spelled ? '_' : message[i];
        if (spelled) i += 2;
    }
    return safe;
}

std::string time_stamp(int later) {
    return local_time("%Y%m%d%H%M%S", std::time(nullptr) + later);
}

Log::Log(std::ostream& out, std::function<void()> between_steps)
    : out_(out), between_steps_(std::move(between_steps)), pid_(::getpid()) {}

std::string Log::line(Level level, std::string_view message) const {
    return local_time("%Y-%m-%d %H:%M:%S", std::time(nullptr)) + " (" + std::to_string(pid_) +
           ") - [" + std::string(name_of(level)) + "] " + log_safe(message) + "\n";
}

void Log::write(Level level, std::string_view message) {
    const std::string text = line(level, message);
    const std::lock_guard guard(mutex_);
    out_ << text << std::flush;
}

void Log::append(std::string_view text) {
    const std::lock_guard guard(mutex_);
    out_ << text << std::flush;
}

void Log::write(const LogLines& lines) {
    std::string text;
    for (const auto& [level, message] : lines)
        text += line(level, message);
    const std::lock_guard guard(mutex_);
    out_ << text << std::flush;
}

}  // namespace npuscope::msaccucmp
