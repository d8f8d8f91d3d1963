// Against NumberFormat's functions, which round one number.
#include "diagnose/judge/round_elements.h"

#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::diagnose {
namespace {

/// Of all sizes, and many around those of `format`; ties and their neighbours.
std::vector<double> numbers_around(const NumberFormat& format) {
    std::vector<double> numbers = {0.0,
                                   -0.0,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::max(),
                                   std::numeric_limits<double>::denorm_min(),
                                   format.largest(),
                                   format.largest() * (1 + format.unit() / 2),
                                   format.largest() * (1 + format.unit())};
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const auto any = std::bit_cast<double>(random());
        if (!std::isnan(any)) numbers.push_back(any);
        const int exponent =
            format.lowest - format.bits - 3 +
            static_cast<int>(
                random() % static_cast<uint64_t>(format.highest - format.lowest + format.bits + 6));
        const auto fraction = static_cast<double>(random() % (uint64_t{4} << format.bits));
        const double near = std::ldexp(fraction, exponent - format.bits);
        for (const double each :
             {near, -near, std::nextafter(near, 0), std::nextafter(near, 9e300)})
            numbers.push_back(each);
    }
    return numbers;
}

uint64_t bits_of(double value) {
    return std::bit_cast<uint64_t>(value);
}

TEST(RoundElements, round_each_as_its_format_does) {
    for (const NumberFormat& format : {kFloat32, kTensorFloat32, kHf32, kFloat16, kBFloat16}) {
        const std::vector<double> numbers = numbers_around(format);
        std::vector<double> nearest = numbers;
        std::vector<double> away = numbers;
        std::vector<double> truncated = numbers;
        round_elements(nearest, format);
        round_elements_away(away, format);
        truncate_elements(truncated, format);
        for (size_t i = 0; i < numbers.size(); ++i) {
            const double number = numbers[i];
            ASSERT_EQ(bits_of(nearest[i]), bits_of(format.rounded(number))) << number;
            ASSERT_EQ(bits_of(away[i]), bits_of(format.rounded_away(number))) << number;
            ASSERT_EQ(bits_of(truncated[i]), bits_of(format.truncated(number))) << number;
        }
    }
}

TEST(RoundElements, leave_nan_and_float64_as_they_are) {
    std::vector<double> elements = {std::numeric_limits<double>::quiet_NaN(), 0.1};
    round_elements(elements, kFloat64);
    EXPECT_EQ(elements[1], 0.1);
    round_elements(elements, kFloat16);
    truncate_elements(elements, kFloat16);
    round_elements_away(elements, kFloat16);
    EXPECT_TRUE(std::isnan(elements[0]));
}

}  // namespace
}  // namespace npuscope::diagnose
