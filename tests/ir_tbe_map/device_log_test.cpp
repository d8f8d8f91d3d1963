#include "ir_tbe_map/device_log.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::ir_tbe_map {
namespace {

/// Sets a variable for one test.
class Environment {
  public:
    Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Environment() { ::unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    const char* name_;
};

TEST(DeviceLog, takes_its_level_and_above) {
    std::string text;
    const DeviceLog log(LogLevel::kWarning, [&](const std::string& line) { text += line; });
    log.say(LogLevel::kInfo, "small");
    log.say(LogLevel::kError, "large\n");
    EXPECT_EQ(text.substr(0, 17), "[ERROR] NPUSCOPE(");
    EXPECT_NE(text.find("): large\\x0a\n"), std::string::npos) << text;
    EXPECT_FALSE(DeviceLog(LogLevel::kNothing, [](const std::string&) {}).takes(LogLevel::kError));
    EXPECT_FALSE(DeviceLog().takes(LogLevel::kError));
}

TEST(DeviceLog, follows_the_environment) {
    EXPECT_FALSE(DeviceLog::from_environment().takes(LogLevel::kError));
    const Environment level("ASCEND_GLOBAL_LOG_LEVEL", "1");
    EXPECT_FALSE(DeviceLog::from_environment().takes(LogLevel::kError));
    const Environment shown("ASCEND_SLOG_PRINT_TO_STDOUT", "1");
    EXPECT_TRUE(DeviceLog::from_environment().takes(LogLevel::kInfo));
    EXPECT_FALSE(DeviceLog::from_environment().takes(LogLevel::kDebug));
}

TEST(DeviceLog, shows_errors_alone_by_default) {
    const Environment shown("ASCEND_SLOG_PRINT_TO_STDOUT", "1");
    EXPECT_TRUE(DeviceLog::from_environment().takes(LogLevel::kError));
    EXPECT_FALSE(DeviceLog::from_environment().takes(LogLevel::kWarning));
}

TEST(DeviceLog, rejects_other_values) {
    const Environment level("ASCEND_GLOBAL_LOG_LEVEL", "info");
    EXPECT_THROW((void)DeviceLog::from_environment(), Error);
}

TEST(AclDumpData, must_be_off_for_load_with_acl_dump) {
    EXPECT_NO_THROW(require_acl_dump_data_off());
    {
        const Environment off("ACL_DUMP_DATA", "0");
        EXPECT_NO_THROW(require_acl_dump_data_off());
    }
    const Environment on("ACL_DUMP_DATA", "1");
    EXPECT_TRUE(acl_dump_data());
    try {
        require_acl_dump_data_off();
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("export ACL_DUMP_DATA=0"), std::string::npos);
    }
}

}  // namespace
}  // namespace npuscope::ir_tbe_map
