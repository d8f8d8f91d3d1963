#include "msaccucmp/base/arguments.h"

#include <gtest/gtest.h>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/columns/options.h"

namespace npuscope::msaccucmp {
namespace {

using Words = std::vector<std::string>;

ParsedArguments parsed(Words words) {
    words.insert(words.begin(), {"-m", "a.h5", "-g", "b.h5"});
    return parse_arguments(compare_option_specs(words), words);
}

int code_of(const Words& words) {
    try {
        static_cast<void>(parsed(words));
    } catch (const CommandError& stop) {
        return stop.code();
    }
    return 0;
}

// Each expectation was checked with Python 3.11's argparse.
TEST(Arguments, take_values_apart_joined_and_after_an_equals_sign) {
    EXPECT_EQ(parsed({"-out", "x"}).at("output_path"), "x");
    EXPECT_EQ(parsed({"--output=x"}).at("output_path"), "x");
    EXPECT_EQ(parsed({"-out=x"}).at("output_path"), "x");
    EXPECT_EQ(parsed({"-v2"}).at("version"), "2");
    EXPECT_EQ(parsed({"-outx"}).at("output"), "utx");
}

TEST(Arguments, take_unambiguous_beginnings_of_long_names) {
    EXPECT_EQ(parsed({"--output_t", "1"}).at("output"), "1");
    EXPECT_EQ(parsed({"--post", "1"}).at("post_process"), "1");
    EXPECT_TRUE(parsed({"--mapp"}).contains("mapping"));
}

TEST(Arguments, refuse_ambiguous_beginnings) {
    EXPECT_EQ(code_of({"--algo", "1"}), kUsageError);
    EXPECT_EQ(code_of({"--m", "1"}), kUsageError);
    EXPECT_EQ(code_of({"--outpu", "x"}), kUsageError);
    EXPECT_EQ(code_of({"-ou", "x"}), kUsageError);
    // -a may carry its value in the same word.
    EXPECT_EQ(code_of({"-adv"}), kUsageError);
}

TEST(Arguments, refuse_unknown_options_missing_values_and_wrong_choices) {
    EXPECT_EQ(code_of({"--nothing"}), kUsageError);
    EXPECT_EQ(code_of({"stray"}), kUsageError);
    EXPECT_EQ(code_of({"-out"}), kUsageError);
    EXPECT_EQ(code_of({"-p", "2"}), kUsageError);
    EXPECT_EQ(code_of({"-max", "x"}), kUsageError);
    EXPECT_EQ(code_of({"-o", "1", "-i", "1"}), kUsageError);
    EXPECT_EQ(code_of({"-advisor=1"}), kUsageError);
}

TEST(Arguments, refuse_paths_with_other_characters) {
    EXPECT_EQ(code_of({"-out", "a b"}), kUsageError);
    EXPECT_EQ(code_of({"-out", "a:b"}), kUsageError);
    EXPECT_EQ(code_of({"-out", "a;b"}), kUsageError);
    EXPECT_EQ(code_of({"-out", "/a/B_c-1.d,e"}), 0);
}

TEST(Arguments, refuse_a_missing_required_option) {
    const Words words = {"-m", "a.h5"};
    EXPECT_THROW(static_cast<void>(parse_arguments(compare_option_specs(words), words)),
                 CommandError);
}

TEST(Arguments, take_negative_numbers_as_values) {
    EXPECT_EQ(parsed({"-max", "-3"}).at("max_cmp_size"), "-3");
}

TEST(Arguments, read_algorithm_lists_in_both_forms) {
    EXPECT_EQ(parsed({"-alg", "3", "1", "2"}).at("algorithm"), "3,1,2");
    EXPECT_EQ(parsed({"-alg", "3,1"}).at("algorithm"), "3,1");
    EXPECT_EQ(code_of({"-alg", "3", "1", "12"}), kUsageError);
}

TEST(Arguments, ask_for_help) {
    EXPECT_THROW(static_cast<void>(parsed({"-h"})), HelpAsked);
    EXPECT_THROW(static_cast<void>(parsed({"--he"})), HelpAsked);
}

TEST(Usage, names_required_options_without_brackets) {
    const Words none;
    const std::string usage = usage_of("p", compare_option_specs(none));
    EXPECT_NE(usage.find(" -m MY_DUMP_PATH"), std::string::npos);
    EXPECT_NE(usage.find("[-out OUTPUT_PATH]"), std::string::npos);
}

}  // namespace
}  // namespace npuscope::msaccucmp
