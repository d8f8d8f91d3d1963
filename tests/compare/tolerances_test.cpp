#include "compare/tolerances.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::compare {
namespace {

TEST(WrittenBounds, go_by_the_first_row_that_fits) {
    const PrecisionBounds plain;
    const WrittenBounds bounds(plain,
                               R"({"tolerances": [
        {"tensor": "^/softmax/", "tolerance": 0.25},
        {"dtype": "float16", "tolerance": 0.5},
        {"tensor": "/golden$", "tolerance": 0}]})",
                               "t.json");
    const auto tolerance = [&](const std::string& target, DType dtype) {
        return bounds.bound({.target = target, .golden = "/x/1/golden", .dtype = dtype}).tolerance;
    };
    EXPECT_EQ(tolerance("/softmax/3/output/out", DType::kFloat16), 0.25);
    EXPECT_EQ(tolerance("/mm/3/output/out", DType::kFloat16), 0.5);
    EXPECT_EQ(tolerance("/mm/3/output/out", DType::kFloat32), 0);
    EXPECT_TRUE(bounds.bound({.target = "/softmax/1", .golden = "", .dtype = DType::kInt32}).exact);
    EXPECT_EQ(bounds.bound({.target = "/mm/1", .golden = "/mm/1"}).source, "float32 1e-05");
}

TEST(WrittenBounds, rejects_what_is_no_such_file) {
    const PrecisionBounds plain;
    for (const char* text : {"", "[]", "{}", R"({"tolerances": 1})"})
        EXPECT_THROW(WrittenBounds(plain, text, "t.json"), Error) << text;
    for (const char* row : {"1",
                            "{}",
                            R"({"tolerance": -1})",
                            R"({"tolerance": "1"})",
                            R"({"tolerance": 1, "dtype": "half"})",
                            R"({"tolerance": 1, "tensor": "("})",
                            R"({"tolerance": 1, "op": "mm"})"}) {
        try {
            const WrittenBounds bounds(
                plain, std::string("{\"tolerances\": [") + row + "]}", "t.json");
            FAIL() << row;
        } catch (const Error& failure) {
            EXPECT_EQ(std::string(failure.what()).rfind("tolerance 1 of 't.json' ", 0), 0U);
        }
    }
}

}  // namespace
}  // namespace npuscope::compare
