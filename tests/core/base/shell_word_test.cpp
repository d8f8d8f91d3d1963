#include "core/base/shell_word.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/base/printable.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

const std::vector<std::string> kTexts = {"out/npu.h5",
                                         "/add_Tensor/17",
                                         "",
                                         "my dumps/a.h5",
                                         "$(touch hacked)",
                                         "`id`",
                                         "it's",
                                         "a\nb",
                                         "\x1b[31m7",
                                         "a\\b",
                                         "*?[x]",
                                         "~root",
                                         "#a",
                                         "\xff\xfe",
                                         "\xc3\xa9 1",
                                         "-x;rm"};

TEST(ShellWord, leaves_plain_names_alone) {
    EXPECT_EQ(shell_word("out/npu.h5"), "out/npu.h5");
    EXPECT_EQ(shell_word("/add_Tensor/17"), "/add_Tensor/17");
    EXPECT_EQ(shell_word("my dumps"), "'my dumps'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(ShellWord, is_shown_as_it_is) {
    for (const std::string& text : kTexts)
        EXPECT_EQ(printable(shell_word(text)), shell_word(text));
}

TEST(ShellWord, is_one_word_with_the_same_bytes_to_a_shell) {
    const test::TempDir folder;
    std::string script;
    for (const std::string& text : kTexts)
        script += "printf '%s\\0' " + shell_word(text) + "\n";
    std::string wanted;
    for (const std::string& text : kTexts)
        wanted += text + std::string(1, '\0');
    test::write_file(folder / "script", script);
    EXPECT_EQ(test::run({"bash", (folder / "script").string()}, folder.path()).out, wanted);
}

}  // namespace
}  // namespace npuscope
