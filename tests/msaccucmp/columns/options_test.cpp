#include "msaccucmp/columns/options.h"

#include <sstream>

#include <gtest/gtest.h>

#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {
namespace {

using Words = std::vector<std::string>;

struct Outcome {
    int code = 0;
    std::string log;
};

Outcome outcome_of(Words words) {
    words.insert(words.begin(), {"-m", "a.h5", "-g", "b.h5"});
    std::ostringstream text;
    Log log(text);
    try {
        static_cast<void>(parse_compare_options(words, log));
    } catch (const CommandError& stop) {
        return {stop.code(), text.str()};
    }
    return {0, text.str()};
}

TEST(CompareOptions, refuse_combinations_with_code_6) {
    const std::vector<Words> refused = {{"-r", "1,2,1"},
                                        {"-s", "1"},
                                        {"-f", "f.json", "-r", "1", "-op", "x"},
                                        {"-f", "f.json", "-s", "1", "-op", "x"},
                                        {"-f", "f.json", "-r", "1", "-s", "1"},
                                        {"-max", "-1"},
                                        {"-map"},
                                        {"-map", "-f", "f.json", "-op", "x"},
                                        {"-map", "-f", "f.json", "-o", "1"},
                                        {"-o", "1"},
                                        {"-i", "1"},
                                        {"-n", "5"},
                                        {"--ignore_single_op_result"},
                                        {"-ml", "20000"}};
    for (const Words& words : refused)
        EXPECT_EQ(outcome_of(words).code, kInvalidParameter) << testing::PrintToString(words);
}

TEST(CompareOptions, accept_what_the_reference_accepts) {
    const std::vector<Words> accepted = {{"-f", "f.json", "-r", "1,2,1"},
                                         {"-op", "x", "-o", "1"},
                                         {"-op", "x", "-n", "5"},
                                         {"-map", "-q", "q.json"},
                                         {"-max", "0"},
                                         {"-cf", "x", "-ffts", "-overflow_detection"}};
    for (const Words& words : accepted)
        EXPECT_EQ(outcome_of(words).code, 0) << testing::PrintToString(words);
}

TEST(CompareOptions, warn_that_version_1_is_treated_as_2) {
    EXPECT_NE(outcome_of({"-v", "1"}).log.find("[WARNING]"), std::string::npos);
}

std::vector<int> selected(const std::string& text, std::string* logged = nullptr) {
    std::ostringstream out;
    Log log(out);
    auto numbers = select_algorithms(text, log);
    if (logged != nullptr) *logged = out.str();
    return numbers;
}

int selection_code(const std::string& text) {
    try {
        static_cast<void>(selected(text));
    } catch (const CommandError& stop) {
        return stop.code();
    }
    return 0;
}

TEST(SelectAlgorithms, takes_all_in_any_case) {
    EXPECT_EQ(selected("All"), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(SelectAlgorithms, keeps_the_given_order_and_drops_repetitions_and_blanks) {
    EXPECT_EQ(selected(" 9, CosineSimilarity ,9,,1"), (std::vector<int>{9, 0, 1}));
}

TEST(SelectAlgorithms, warns_of_unknown_names_and_drops_them) {
    std::string logged;
    EXPECT_EQ(selected("foo,3,10", &logged), (std::vector<int>{3}));
    EXPECT_NE(logged.find("foo"), std::string::npos);
    EXPECT_NE(logged.find("'10'"), std::string::npos);
}

TEST(SelectAlgorithms, rejects_nothing_and_only_unknown_names) {
    EXPECT_EQ(selection_code(""), kInvalidParameter);
    EXPECT_EQ(selection_code("foo"), kInvalidAlgorithm);
    EXPECT_EQ(selection_code("10"), kInvalidAlgorithm);
    EXPECT_EQ(selection_code(","), kInvalidAlgorithm);
}

int option_code(const std::string& text) {
    try {
        static_cast<void>(parse_algorithm_options(text));
    } catch (const CommandError& stop) {
        return stop.code();
    }
    return 0;
}

TEST(AlgorithmOptions, are_names_with_parameters) {
    for (const std::string good : {"", ";", "0:x=1", "0:x=1;A:y=2,z=3", "A:x=1,,y=2", "A: x = 1 "})
        EXPECT_EQ(option_code(good), 0) << good;
    for (const std::string bad :
         {"0", ":x=1", "0:x", "0:x=", "0:=1", "0:x=1=2", "0:x=1:y=2", " :x=1"})
        EXPECT_EQ(option_code(bad), kInvalidParameter) << bad;
}

}  // namespace
}  // namespace npuscope::msaccucmp
