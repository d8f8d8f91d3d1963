#include "compare/msaccucmp/log.h"

#include <regex>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace npuscope::compare::msaccucmp {
namespace {

TEST(Log, writes_time_process_and_level) {
    std::ostringstream out;
    Log log(out);
    log.warning("it's late");
    const std::regex form(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \()" + std::to_string(::getpid()) +
                          R"(\) - \[WARNING\] it's late\n)");
    EXPECT_TRUE(std::regex_match(out.str(), form)) << out.str();
}

TEST(Log, keeps_a_message_on_one_line) {
    EXPECT_EQ(log_safe("a\nb\rc\td\x1b[31m\x7f"), "a_b_c_d_[31m_");
    EXPECT_EQ(log_safe("a%0ab%0dc%20"), "a_b_c%20");
}

TEST(TimeStamp, has_fourteen_digits) {
    EXPECT_TRUE(std::regex_match(time_stamp(), std::regex(R"(\d{14})")));
    EXPECT_LT(time_stamp(), time_stamp(2));
}

}  // namespace
}  // namespace npuscope::compare::msaccucmp
