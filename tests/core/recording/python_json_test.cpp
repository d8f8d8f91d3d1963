#include "core/recording/python_json.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

TEST(PythonJson, quotes_numbers_that_json_does_not_know) {
    EXPECT_EQ(with_quoted_numbers(R"({"a": NaN, "b": [Infinity, -Infinity, -1]})"),
              R"({"a": "NaN", "b": ["Infinity", "-Infinity", -1]})");
}

TEST(PythonJson, leaves_texts_alone) {
    const std::string text = R"({"NaN": "an \" Infinity", "\\": 1, "x": "-Infinity"})";
    EXPECT_EQ(with_quoted_numbers(text), text);
}

TEST(PythonJson, reads_what_python_writes) {
    const auto python = test::run_python(
        "import json\n"
        "print(json.dumps({'Max': float('inf'), 'Min': float('-inf'), 'Mean': float('nan'), "
        "'say \"NaN\\\\': 0.5}), end='')\n",
        {});
    ASSERT_EQ(python.exit_code, 0) << python.err;
    EXPECT_EQ(with_quoted_numbers(python.out),
              R"({"Max": "Infinity", "Min": "-Infinity", "Mean": "NaN", "say \"NaN\\": 0.5})");
}

TEST(PythonJson, ends_with_a_damaged_text) {
    EXPECT_EQ(with_quoted_numbers("NaN \"open\\"), "\"NaN\" \"open\\");
    EXPECT_EQ(with_quoted_numbers(""), "");
}

}  // namespace
}  // namespace npuscope
