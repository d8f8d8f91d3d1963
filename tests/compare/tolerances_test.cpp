#include "compare/tolerances.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::compare {
namespace {

TEST(WrittenBounds, go_by_the_first_row_that_fits) {
    const PrecisionBounds plain;
    const WrittenBounds bounds(plain,
                               tolerances_of(R"({"tolerances": [
        {"tensor": "^/softmax/", "tolerance": 0.25},
        {"dtype": "float16", "tolerance": 0.5},
        {"tensor": "/golden$", "tolerance": 0}]})",
                                             "t.json")
                                   .rows);
    const auto bound = [&](const std::string& target, DType dtype) {
        return bounds.bound({.target = target, .golden = "/x/1/golden", .dtype = dtype});
    };
    EXPECT_EQ(bound("/softmax/3/output/out", DType::kFloat16).tolerance, 0.25);
    EXPECT_TRUE(bound("/softmax/3/output/out", DType::kFloat16).given);
    EXPECT_EQ(bound("/mm/3/output/out", DType::kFloat16).tolerance, 0.5);
    EXPECT_EQ(bound("/mm/3/output/out", DType::kFloat32).tolerance, 0);
    EXPECT_TRUE(bounds.bound({.target = "/softmax/1", .golden = "", .dtype = DType::kInt32}).exact);
    const Bound other = bounds.bound({.target = "/mm/1", .golden = "/mm/1"});
    EXPECT_EQ(other.source, "float32 1e-05");
    EXPECT_FALSE(other.given);
}

TEST(Tolerances, have_regions_to_ignore) {
    const Tolerances file = tolerances_of(
        R"({"ignore": [{"tensor": "/output/", "slice": "[..., -3:]", "dtype": "float16"},
                       {"tensor": "x", "slice": "0"}]})",
        "t.json");
    EXPECT_TRUE(file.rows.empty());
    ASSERT_EQ(file.ignored.rows().size(), 2U);
    EXPECT_EQ(file.ignored.rows()[0].text(), "/output/[..., -3:]");
    EXPECT_EQ(file.ignored.rows()[0].dtype, "float16");
    EXPECT_EQ(file.ignored.rows()[1].text(), "x[0]");
}

/// That `list` with the one entry `row` is refused, and the message names it.
void expect_refused(const std::string& list, const std::string& entry, const std::string& row) {
    try {
        static_cast<void>(tolerances_of("{\"" + list + "\": [" + row + "]}", "t.json"));
        FAIL() << row;
    } catch (const Error& failure) {
        EXPECT_EQ(std::string(failure.what()).rfind(entry + " 1 of 't.json' ", 0), 0U)
            << failure.what();
    }
}

TEST(Tolerances, rejects_what_is_no_such_file) {
    for (const char* text :
         {"", "[]", "{}", R"({"tolerances": 1})", R"({"tolerances": [], "x": []})"})
        EXPECT_THROW(static_cast<void>(tolerances_of(text, "t.json")), Error) << text;
    for (const char* row : {"1",
                            "{}",
                            R"({"tolerance": -1})",
                            R"({"tolerance": "1"})",
                            R"({"tolerance": 1, "dtype": "half"})",
                            R"({"tolerance": 1, "tensor": "("})",
                            R"({"tolerance": 1, "op": "mm"})"})
        expect_refused("tolerances", "tolerance", row);
    for (const char* row : {"[]",
                            "{}",
                            R"({"tensor": "x"})",
                            R"({"slice": "0"})",
                            R"({"tensor": "(", "slice": "0"})",
                            R"({"tensor": "x", "slice": "0-9"})",
                            R"({"tensor": "x", "slice": 0})",
                            R"({"tensor": "x", "slice": "0", "tolerance": 1})"})
        expect_refused("ignore", "region", row);
}

}  // namespace
}  // namespace npuscope::compare
