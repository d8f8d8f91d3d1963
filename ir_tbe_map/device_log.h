// CANN's log, as far as kernel dumps have something to say, and the environment that steers both.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace npuscope::ir_tbe_map {

/// As in ASCEND_GLOBAL_LOG_LEVEL: 0 debug, 1 info, 2 warning, 3 error, 4 nothing.
enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kNothing };

/// Lines "[INFO] NPUSCOPE(4711): text" for a level and above.
class DeviceLog {
  public:
    /// Silent.
    DeviceLog() = default;
    DeviceLog(LogLevel level, std::function<void(const std::string& line)> write)
        : level_(level), write_(std::move(write)) {}

    /// ASCEND_GLOBAL_LOG_LEVEL (default 3) and ASCEND_SLOG_PRINT_TO_STDOUT: with 1 the lines go to
    /// standard output, else nowhere, since there is no folder of device logs here.
    /// Errors: Error(kUsage) for a value that is none of 0 to 4, or of 0 and 1.
    [[nodiscard]] static DeviceLog from_environment();

    [[nodiscard]] bool takes(LogLevel level) const {
        return write_ && level >= level_ && level_ != LogLevel::kNothing;
    }
    void say(LogLevel level, const std::string& text) const;

  private:
    LogLevel level_ = LogLevel::kNothing;
    std::function<void(const std::string& line)> write_;
};

/// Whether ACL_DUMP_DATA asks for kernel dumps of the whole process: an integer other than 0.
[[nodiscard]] bool acl_dump_data();

/// Errors: Error(kUsage) while ACL_DUMP_DATA is set: it and load_with_acl_dump would both switch
/// the kernel dumps.
void require_acl_dump_data_off();

}  // namespace npuscope::ir_tbe_map
