#include "msaccucmp/folders/element_errors.h"

#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

const std::vector<std::string> kNames = {"float16",
                                         "float32",
                                         "float64",
                                         "int8",
                                         "int16",
                                         "int32",
                                         "int64",
                                         "uint8",
                                         "uint16",
                                         "uint32",
                                         "uint64",
                                         "bool"};

TEST(ElementErrors, are_in_the_dtype_that_numpy_chooses) {
    const auto run = test::run_python(
        "import sys, numpy as np\n"
        "names = sys.argv[1:]\n"
        "print('\\n'.join(str(np.promote_types(a, b)) for a in names for b in names))",
        kNames);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    std::istringstream lines(run.out);
    std::string wanted;
    for (const std::string& a : kNames)
        for (const std::string& b : kNames) {
            ASSERT_TRUE(std::getline(lines, wanted));
            EXPECT_EQ(name_of(promoted(*dtype_from_name(a), *dtype_from_name(b))), wanted)
                << a << " " << b;
        }
}

TEST(ElementErrors, of_float16_are_rounded_after_each_step) {
    const auto errors =
        element_errors(Tensor::from<float>({2}, {2049.0f, 1.0f}).cast(DType::kFloat16),
                       Tensor::from<float>({2}, {1.0f, 3.0f}).cast(DType::kFloat16));
    // 2049 is stored as 2048; 2047 needs 11 bits and stays.
    EXPECT_EQ(errors.absolute, (std::vector<double>{2047, 2}));
    EXPECT_EQ(errors.relative[0], 2047);
    EXPECT_EQ(errors.relative[1], 0.66650390625);  // 2/3 in float16
}

TEST(ElementErrors, of_integers_wrap_and_are_divided_in_double) {
    const auto bytes =
        element_errors(Tensor::from<uint8_t>({2}, {1, 9}), Tensor::from<uint8_t>({2}, {3, 6}));
    EXPECT_EQ(bytes.absolute, (std::vector<double>{254, 3}));
    EXPECT_EQ(bytes.relative, (std::vector<double>{254.0 / 3, 0.5}));
    const auto small =
        element_errors(Tensor::from<int8_t>({1}, {100}), Tensor::from<int8_t>({1}, {-100}));
    EXPECT_EQ(small.absolute, (std::vector<double>{56}));  // 200 is -56 in eight bits
}

TEST(ElementErrors, by_zero_are_infinite_or_undefined) {
    const auto errors =
        element_errors(Tensor::from<float>({2}, {1, 0}), Tensor::from<float>({2}, {0, 0}));
    EXPECT_TRUE(std::isinf(errors.relative[0]));
    EXPECT_TRUE(std::isnan(errors.relative[1]));
}

}  // namespace
}  // namespace npuscope::msaccucmp
