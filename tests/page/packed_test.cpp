#include "page/packed.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::page {
namespace {

// Python's gzip and base64 are the judges.
TEST(Packed, is_read_by_others) {
    const test::TempDir folder;
    std::string text;
    for (int i = 0; i < 100000; ++i)
        text += std::to_string(i * 7919) + "\n";
    for (const std::string& bytes :
         {std::string(), std::string("a"), std::string("ab"), std::string("abc"), text}) {
        test::write_file(folder / "bytes", bytes);
        test::write_file(folder / "packed", packed(bytes));
        const auto read = test::run_python(R"(
import base64, gzip, sys
print(gzip.decompress(base64.b64decode(open(sys.argv[1]).read(), validate=True)) == open(sys.argv[2], 'rb').read())
)",
                                           {folder / "packed", folder / "bytes"});
        EXPECT_EQ(read.out, "True\n") << read.err;
    }
}

}  // namespace
}  // namespace npuscope::page
