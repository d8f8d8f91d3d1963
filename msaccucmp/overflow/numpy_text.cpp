#include "msaccucmp/overflow/numpy_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace npuscope::msaccucmp {

namespace {

constexpr double kLeastPositional = 1e-4;
constexpr double kLeastScientific = 1e16;

/// Decimal digits without a point, the first at 10^exponent.
struct Digits {
    std::string text;
    int exponent = 0;
};

/// "1.25e+02" taken apart.
Digits parsed(std::string_view scientific) {
    Digits digits;
    const size_t e = scientific.find('e');
    for (const char c : scientific.substr(0, e))
        if (c != '.') digits.text += c;
    digits.exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());
    return digits;
}

template <class T>
Digits shortest(T magnitude) {
    std::array<char, 64> text{};
    const auto [end, failure] = std::to_chars(
        text.data(), text.data() + text.size(), magnitude, std::chars_format::scientific);
    static_cast<void>(failure);
    return parsed({text.data(), static_cast<size_t>(end - text.data())});
}

Digits shortest(Float16 magnitude) {
    constexpr int kMostDigits = 5;  // tell any two float16 apart
    const double value = to_float(magnitude);
    std::array<char, 32> text{};
    for (int digits = 0; digits < kMostDigits; ++digits) {
        // Above a power of two there is more room than below: a tie rounded up may come back.
        for (const double near : {value, std::nextafter(value, 1e6)}) {
            const int length = std::snprintf(text.data(), text.size(), "%.*e", digits, near);
            if (to_float16(std::strtof(text.data(), nullptr)) == magnitude)
                return parsed({text.data(), static_cast<size_t>(length)});
        }
    }
    return shortest(static_cast<float>(value));
}

/// `point_zero`: "1.0" where there are no decimals, else "1".
std::string positional(const Digits& digits, bool point_zero) {
    const int whole = digits.exponent + 1;
    std::string text;
    if (whole <= 0) {
        text = "0." + std::string(static_cast<size_t>(-whole), '0') + digits.text;
    } else {
        const auto count = static_cast<size_t>(whole);
        text = digits.text.substr(0, count);
        text.resize(count, '0');
        text += ".";
        if (digits.text.size() > count) text += digits.text.substr(count);
    }
    while (text.back() == '0')
        text.pop_back();
    if (text.back() == '.') text += point_zero ? "0" : "";
    if (text.back() == '.') text.pop_back();
    return text;
}

std::string scientific(const Digits& digits) {
    std::string text = digits.text;
    while (text.size() > 1 && text.back() == '0')
        text.pop_back();
    if (text.size() > 1) text.insert(1, ".");
    const int size = std::abs(digits.exponent);
    return text + "e" + (digits.exponent < 0 ? "-" : "+") + (size < 10 ? "0" : "") +
           std::to_string(size);
}

template <class T>
std::string real_text(T value, bool point_zero) {
    double wide = 0;
    if constexpr (std::is_same_v<T, Float16>) {
        wide = to_float(value);
    } else {
        wide = value;
    }
    if (std::isnan(wide)) return "nan";
    const std::string sign = std::signbit(wide) ? "-" : "";
    const double magnitude = std::fabs(wide);
    if (std::isinf(wide)) return sign + "inf";
    if (magnitude == 0) return sign + (point_zero ? "0.0" : "0");
    Digits digits;
    if constexpr (std::is_same_v<T, Float16>) {
        digits = shortest(Float16{static_cast<uint16_t>(value.bits & 0x7fffu)});
    } else {
        digits = shortest(std::fabs(value));
    }
    if (magnitude >= kLeastPositional && magnitude < kLeastScientific)
        return sign + positional(digits, point_zero);
    return sign + scientific(digits);
}

template <class T>
std::string complex_text(std::complex<T> value) {
    std::string imaginary = real_text(value.imag(), false) + "j";
    if (value.real() == 0 && !std::signbit(value.real())) return imaginary;
    const bool signed_text = imaginary.front() == '-';
    return "(" + real_text(value.real(), false) + (signed_text ? "" : "+") + imaginary + ")";
}

}  // namespace

std::string numpy_text(Float16 value) {
    return real_text(value, true);
}

std::string numpy_text(float value) {
    return real_text(value, true);
}

std::string numpy_text(double value) {
    return real_text(value, true);
}

std::string numpy_text(std::complex<float> value) {
    return complex_text(value);
}

std::string numpy_text(std::complex<double> value) {
    return complex_text(value);
}

std::string tuple_text(const std::vector<int64_t>& shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace npuscope::msaccucmp
