// Numbers as NumPy prints its scalars: str(numpy.float16(65504)) is "65500.0".
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype/float16.h"

namespace npuscope::msaccucmp {

/// The fewest digits that give the value back in its own dtype, with an exponent below 1e-4 and
/// from 1e16 on. Source: NumPy's documentation of numpy.format_float_positional (unique=True).
[[nodiscard]] std::string numpy_text(Float16 value);
[[nodiscard]] std::string numpy_text(float value);
[[nodiscard]] std::string numpy_text(double value);
[[nodiscard]] std::string numpy_text(std::complex<float> value);
[[nodiscard]] std::string numpy_text(std::complex<double> value);
[[nodiscard]] inline std::string numpy_text(bool value) {
    return value ? "True" : "False";
}
template <class T>
requires std::is_integral_v<T>
[[nodiscard]] std::string numpy_text(T value) {
    return std::to_string(value);
}

/// A shape as Python prints a tuple: "(2, 3)", "(4,)", "()".
[[nodiscard]] std::string tuple_text(const std::vector<int64_t>& shape);

}  // namespace npuscope::msaccucmp
