#include "core/base/pattern.h"

#include <chrono>
#include <regex>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope {
namespace {

TEST(Pattern, finds_what_another_engine_finds) {
    const std::vector<std::string> expressions = {"addmm",     "^/add",
                                                  "mm$",       "a.c",
                                                  "ab*c",      "ab+c",
                                                  "ab?c",      "a{2}",
                                                  "a{2,}",     "a{1,2}b",
                                                  "(ab|cd)+e", "[a-c]x",
                                                  "[^a-c]x",   "\\d+",
                                                  "\\w\\s\\w", "\\.",
                                                  "^$",        "(?:a|b)c",
                                                  "a|",        "()",
                                                  "[]a]b",     "[a-]x",
                                                  "x(y|z|)w",  "/\\w+/1[0-9]$",
                                                  "(a*)*b",    "^(a|ab)(c|bcd)$",
                                                  "[\\d.]+e",  "\\S",
                                                  "\\D",       "a\\|b"};
    const std::vector<std::string> texts = {
        "",    "/addmm/17", "mm",  "abc",  "ac",     "abbbc",   "aab",  "ababe", "cde",
        "bx",  "dx",        "a b", "1.5e", "a.c",    "abcd",    "a|b",  "]b",    "-x",
        "xyw", "xw",        "aaa", "12",   "/mm/19", "/mm/190", "a\nb", "aaaab"};
    for (const std::string& expression : expressions) {
        const Pattern ours(expression);
        // "[]a]" and "a|", "()" are POSIX's there.
        const std::regex theirs(expression == "[]a]b" ? "[\\]a]b" : expression);
        for (const std::string& text : texts) {
            // A dot of ours takes a line's end, too.
            if (expression == "a.c" && text == "a\nb") continue;
            EXPECT_EQ(ours.is_found_in(text), std::regex_search(text, theirs))
                << expression << " in " << text;
        }
    }
}

TEST(Pattern, takes_linear_time_for_what_makes_others_go_back) {
    const auto start = std::chrono::steady_clock::now();
    const Pattern hostile("^(a+)+(a|aa)*(a*)*$");
    EXPECT_FALSE(hostile.is_found_in(std::string(20000, 'a') + "b"));
    EXPECT_TRUE(hostile.is_found_in(std::string(20000, 'a')));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Pattern, rejects_what_is_no_expression_and_says_where) {
    for (const char* wrong : {"(",
                              ")",
                              "a)",
                              "[a",
                              "*a",
                              "a{",
                              "a{2",
                              "a{3,2}",
                              "a{1001}",
                              "\\",
                              "\\q",
                              "(?=a)",
                              "[z-a]",
                              "+",
                              "a{,2}"})
        EXPECT_THROW(Pattern{wrong}, Error) << wrong;
    try {
        const Pattern wrong("add(mm");
        FAIL();
    } catch (const Error& failure) {
        EXPECT_STREQ(
            failure.what(),
            "the regular expression 'add(mm' is wrong at character 7: a '(' is not closed");
    }
}

TEST(Pattern, rejects_what_becomes_too_large) {
    EXPECT_THROW(Pattern{"((a{1000}){1000}){1000}"}, Error);
    EXPECT_THROW(Pattern{std::string(200, '(') + "a" + std::string(200, ')')}, Error);
    EXPECT_THROW(Pattern{"a" + std::string(200, '*')}, Error);
}

}  // namespace
}  // namespace npuscope
