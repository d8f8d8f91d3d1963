#include "loss/log_bytes.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

// Written by Python, in what encodes it there.
std::string text_of(const std::string& code) {
    const test::TempDir folder;
    const test::RunResult made = test::run_python(
        "import sys, gzip\nt = 'step 1 loss 2.5\\nstep 2 loss 2.25 \\u00e9\\U0001F600\\n'\nout = "
        "sys.argv[1]\n" +
            code,
        {folder / "log"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    const LogBytes bytes(folder / "log");
    return std::string(bytes.text());
}

const std::string kText = "step 1 loss 2.5\nstep 2 loss 2.25 \u00e9\U0001F600\n";

TEST(LogBytes, are_utf_8_whatever_wrote_them) {
    for (const char* name : {"utf-8", "utf-8-sig", "utf-16", "utf-16-be"})
        EXPECT_EQ(text_of(std::string("open(out, 'wb').write(t.encode('") + name + "'))"), kText)
            << name;
    EXPECT_EQ(text_of("open(out, 'wb').write(t[:20].encode('utf-16-le'))"), kText.substr(0, 20));
}

TEST(LogBytes, unpack_gzip_also_in_several_pieces) {
    EXPECT_EQ(text_of("gzip.open(out, 'wb').write(t.encode())"), kText);
    EXPECT_EQ(
        text_of(
            "b = t.encode()\nopen(out, 'wb').write(gzip.compress(b[:9]) + gzip.compress(b[9:]))"),
        kText);
}

TEST(LogBytes, keep_what_comes_before_the_end_of_a_cut_gzip) {
    const std::string cut = text_of(
        "import random\nr = random.Random(1)\n"
        "b = gzip.compress((t + ''.join(chr(r.randint(48, 90)) for _ in range(300000))).encode())\n"
        "open(out, 'wb').write(b[:len(b) // 2])");
    EXPECT_EQ(cut.substr(0, kText.size()), kText);
}

TEST(LogBytes, reject_what_is_no_text_in_one_line) {
    const test::TempDir folder;
    const auto message = [&](const std::string& content) {
        test::write_file(folder / "log\n", content);
        try {
            const LogBytes bytes(folder / "log\n");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("read");
    };
    for (const std::string& content : {std::string(),
                                       std::string("\x1f\x8b\x08garbage"),
                                       std::string("ab\0cd", 5),
                                       std::string("\xef\xbb\xbf")}) {
        const std::string said = message(content);
        EXPECT_NE(said, "read");
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
    EXPECT_THROW(LogBytes{folder.path()}, Error);
    EXPECT_THROW(LogBytes{folder / "none"}, Error);
}

}  // namespace
}  // namespace npuscope::loss
