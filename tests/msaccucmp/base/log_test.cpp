#include "msaccucmp/base/log.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace npuscope::msaccucmp {
namespace {

/// Every digit as "9".
std::string shape_of(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }, '9');
    return text;
}

TEST(Log, writes_time_process_and_level) {
    std::ostringstream out;
    Log log(out);
    log.warning("it's late");
    EXPECT_EQ(shape_of(out.str()),
              "9999-99-99 99:99:99 (" + shape_of(std::to_string(::getpid())) +
                  ") - [WARNING] it's late\n");
    EXPECT_NE(out.str().find("(" + std::to_string(::getpid()) + ")"), std::string::npos);
}

TEST(Log, keeps_a_message_on_one_line) {
    EXPECT_EQ(log_safe("a\nb\rc\td\x1b[31m\x7f"), "a_b_c_d_[31m_");
    EXPECT_EQ(log_safe("a%0ab%0dc%20"), "a_b_c%20");
}

TEST(TimeStamp, has_fourteen_digits_and_grows) {
    EXPECT_EQ(shape_of(time_stamp()), std::string(14, '9'));
    EXPECT_LT(time_stamp(), time_stamp(2));
}

}  // namespace
}  // namespace npuscope::msaccucmp
