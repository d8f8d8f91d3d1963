#include "core/cann_dump/op.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/cann_dump/writer.h"
#include "tests/support/support.h"
#include "tests/support/values.h"

namespace npuscope::cann_dump {
namespace {

/// What is said of a dump whose attribute is `text`; "" where it is read.
std::string problem_of_attribute(const std::string& text) {
    const test::TempDir folder;
    const std::string payload = "out";  // a dump borrows it
    DumpFile dump;
    dump.outputs.emplace_back().bytes = test::bytes_of(payload);
    dump.attributes.push_back({"ffts", text});
    write_dump(folder / "Add.add.1.2.3", dump);
    try {
        static_cast<void>(read_op({folder / "Add.add.1.2.3", "Add.add.1.2.3"}));
    } catch (const Error& failure) {
        return failure.what();
    }
    return {};
}

TEST(DumpedOp, tells_of_damaged_attributes_in_words_of_its_own) {
    EXPECT_EQ(problem_of_attribute(R"({"threadMode": 1})"), "");
    for (const char* text : {"", "{", R"({"threadMode": "on"})", R"({"threadMode": 1e999})"}) {
        const std::string problem = problem_of_attribute(text);
        EXPECT_NE(problem.find("The attributes in the dump"), std::string::npos) << text;
        EXPECT_EQ(problem.find("json.exception"), std::string::npos) << problem;
    }
}

}  // namespace
}  // namespace npuscope::cann_dump
