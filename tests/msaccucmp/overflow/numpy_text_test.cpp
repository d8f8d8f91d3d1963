// What NumPy prints, asked of NumPy itself.
#include "msaccucmp/overflow/numpy_text.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

/// str() of each element of an array of these bits.
std::string numpy_prints(const std::string& dtype, const std::string& bits) {
    const test::TempDir folder;
    test::write_file(folder / "bits", bits);
    const auto result = test::run_python(
        "import sys, numpy as np\n"
        "for value in np.fromfile(sys.argv[2], sys.argv[1]): print(value)\n",
        {dtype, (folder / "bits").string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
}

template <class T>
std::string bits_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::string our_text(const std::vector<T>& values) {
    std::string text;
    for (const T value : values)
        text += numpy_text(value) + "\n";
    return text;
}

TEST(NumpyText, prints_every_float16) {
    std::vector<Float16> values;
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
        values.push_back({static_cast<uint16_t>(bits)});
    EXPECT_TRUE(our_text(values) == numpy_prints("<f2", bits_of(values)));
    EXPECT_EQ(numpy_text(to_float16(65504.0f)), "65500.0");
}

template <class T, class Bits>
std::vector<T> many_values() {
    std::vector<T> values{0,
                          static_cast<T>(-0.0),
                          1,
                          static_cast<T>(0.1),
                          static_cast<T>(1e-4),
                          static_cast<T>(9.9999e-5),
                          static_cast<T>(1e16),
                          static_cast<T>(9.999999e15),
                          static_cast<T>(1e22),
                          static_cast<T>(123456789),
                          std::numeric_limits<T>::max(),
                          std::numeric_limits<T>::denorm_min(),
                          std::numeric_limits<T>::infinity(),
                          -std::numeric_limits<T>::infinity(),
                          std::numeric_limits<T>::quiet_NaN()};
    std::mt19937_64 random(7);
    for (int i = 0; i < 5000; ++i)
        values.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
    for (int i = 0; i < 2000; ++i)
        values.push_back(static_cast<T>(static_cast<double>(random() % 2000000) / 1000 - 1000));
    return values;
}

TEST(NumpyText, prints_float32_and_float64) {
    const auto singles = many_values<float, uint32_t>();
    EXPECT_EQ(our_text(singles), numpy_prints("<f4", bits_of(singles)));
    const auto doubles = many_values<double, uint64_t>();
    EXPECT_EQ(our_text(doubles), numpy_prints("<f8", bits_of(doubles)));
}

TEST(NumpyText, prints_complex_numbers) {
    using Complex = std::complex<float>;
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<Complex> values{{1, 2},
                                      {1.5f, -2.25f},
                                      {0, 2},
                                      {-0.0f, 2},
                                      {0, 0},
                                      {0, -1},
                                      {1e20f, 1e-7f},
                                      {inf, 1},
                                      {1, -inf},
                                      {nan, 1},
                                      {1, nan}};
    EXPECT_EQ(our_text(values), numpy_prints("<c8", bits_of(values)));
}

TEST(NumpyText, prints_the_rest) {
    EXPECT_EQ(numpy_text(true), "True");
    EXPECT_EQ(numpy_text(false), "False");
    EXPECT_EQ(numpy_text(int8_t{-7}), "-7");
    EXPECT_EQ(numpy_text(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(tuple_text({}), "()");
    EXPECT_EQ(tuple_text({4}), "(4,)");
    EXPECT_EQ(tuple_text({2, 3}), "(2, 3)");
}

}  // namespace
}  // namespace npuscope::msaccucmp
