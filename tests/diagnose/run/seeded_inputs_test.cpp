#include "diagnose/run/seeded_inputs.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::diagnose {
namespace {

InputShapes parsed(std::vector<std::string> texts) {
    return parse_input_shapes(texts);
}

TEST(InputShapes, are_read_in_the_ways_that_people_write_them) {
    const Shape wanted = {1, 3, 48, 192};
    for (const char* text : {"x:1,3,48,192", "x:1x3x48x192", "x:[1,3,48,192]"})
        EXPECT_EQ(parsed({text}).at("x"), wanted) << text;
    EXPECT_EQ(parsed({"serving:input:0:7"}).at("serving:input:0"), Shape{7});
    EXPECT_EQ(parsed({"scalar:"}).at("scalar"), Shape{});
    EXPECT_EQ(parsed({"a:1", "b:2,0"}).at("b"), (Shape{2, 0}));
}

TEST(InputShapes, rejects_what_is_none) {
    for (const char* text : {"",
                             "x",
                             ":1,2",
                             "x:1,",
                             "x:,1",
                             "x:-1",
                             "x:1.5",
                             "x:a",
                             "x:1 2",
                             "x:99999999999999999999"})
        EXPECT_THROW((void)parsed({text}), Error) << text;
    EXPECT_THROW((void)parsed({"x:1", "x:1"}), Error);
}

}  // namespace
}  // namespace npuscope::diagnose
