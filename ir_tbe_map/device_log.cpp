#include "ir_tbe_map/device_log.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::ir_tbe_map {

namespace {

constexpr std::array<std::string_view, 4> kNames = {"DEBUG", "INFO", "WARNING", "ERROR"};

std::string_view environment(const char* name) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here ever changes the environment
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

int choice(const char* name, int otherwise, int largest) {
    const std::string_view text = environment(name);
    if (text.empty()) return otherwise;
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > largest)
        throw Error(
            ErrorKind::kUsage,
            fmt::format(
                "the environment variable {} is '{}', but must be 0 to {}", name, text, largest));
    return value;
}

}  // namespace

DeviceLog DeviceLog::from_environment() {
    const auto level = static_cast<LogLevel>(choice("ASCEND_GLOBAL_LOG_LEVEL", 3, 4));
    if (choice("ASCEND_SLOG_PRINT_TO_STDOUT", 0, 1) == 0) return {};
    return {level, [](const std::string& line) {
                std::fwrite(line.data(), 1, line.size(), stdout);
                std::fflush(stdout);
            }};
}

void DeviceLog::say(LogLevel level, const std::string& text) const {
    if (!takes(level)) return;
    write_(fmt::format("[{}] NPUSCOPE({}): {}\n",
                       kNames.at(static_cast<size_t>(level)),
                       ::getpid(),
                       printable(text)));
}

bool acl_dump_data() {
    const std::string_view text = environment("ACL_DUMP_DATA");
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value != 0;
}

void require_acl_dump_data_off() {
    if (acl_dump_data())
        throw Error(ErrorKind::kUsage,
                    fmt::format("load_with_acl_dump needs ACL_DUMP_DATA=0, but it is '{}': it "
                                "already dumps the whole process; export ACL_DUMP_DATA=0",
                                environment("ACL_DUMP_DATA")));
}

}  // namespace npuscope::ir_tbe_map
