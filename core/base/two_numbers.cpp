#include "core/base/two_numbers.h"

#include <array>
#include <charconv>
#include <limits>

namespace npuscope {

namespace {

std::string with_digits(double number, int digits) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(
        text.data(), text.data() + text.size(), number, std::chars_format::general, digits);
    return {text.data(), end.ptr};
}

}  // namespace

TwoNumbers::TwoNumbers(double one, double other) {
    for (const int digits : {6, 9, std::numeric_limits<double>::max_digits10}) {
        first = with_digits(one, digits);
        second = with_digits(other, digits);
        if (first != second) return;
    }
}

}  // namespace npuscope
