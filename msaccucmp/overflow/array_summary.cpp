#include "msaccucmp/overflow/array_summary.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/dtype/dtype.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/overflow/numpy_text.h"

namespace npuscope::msaccucmp {

namespace {

constexpr int64_t kChunk = 8192;
constexpr size_t kBlock = 128;
constexpr size_t kLanes = 8;

template <class T>
struct Traits {
    using Sum = double;  // integers and bool
    using Mean = double;
};
template <>
struct Traits<Float16> {
    using Sum = float;
    using Mean = Float16;
};
template <>
struct Traits<float> {
    using Sum = float;
    using Mean = float;
};
template <class T>
struct Traits<std::complex<T>> {
    using Sum = std::complex<T>;
    using Mean = std::complex<T>;
};

/// Sum of one block; complex numbers have half as many lanes, as NumPy counts their parts.
template <class S>
S block_sum(std::span<const S> values) {
    constexpr size_t kStep = std::is_floating_point_v<S> ? kLanes : kLanes / 2;
    if (values.size() < kStep) {
        S sum{};
        for (const S value : values)
            sum += value;
        return sum;
    }
    S lanes[kStep];
    for (size_t i = 0; i < kStep; ++i)
        lanes[i] = values[i];
    size_t at = kStep;
    for (; at + kStep <= values.size(); at += kStep)
        for (size_t i = 0; i < kStep; ++i)
            lanes[i] += values[at + i];
    S sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    if constexpr (kStep == kLanes) sum += (lanes[4] + lanes[5]) + (lanes[6] + lanes[7]);
    for (; at < values.size(); ++at)
        sum += values[at];
    return sum;
}

template <class S>
S pairwise_sum(std::span<const S> values) {
    constexpr size_t kParts = std::is_floating_point_v<S> ? 1 : 2;
    if (values.size() * kParts <= kBlock) return block_sum(values);
    size_t half = values.size() * kParts / 2;
    half = (half - half % kLanes) / kParts;
    return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
}

template <class S, class T>
S to_sum(T value) {
    if constexpr (std::is_same_v<T, Float16>) {
        return to_float(value);
    } else {
        return static_cast<S>(value);
    }
}

template <class T>
bool is_nan(T value) {
    if constexpr (std::is_same_v<T, Float16>) {
        return std::isnan(to_float(value));
    } else if constexpr (std::is_floating_point_v<T>) {
        return std::isnan(value);
    } else if constexpr (std::is_integral_v<T>) {
        return false;
    } else {
        return std::isnan(value.real()) || std::isnan(value.imag());
    }
}

template <class T>
bool is_less(T a, T b) {
    if constexpr (std::is_same_v<T, Float16>) {
        return to_float(a) < to_float(b);
    } else if constexpr (std::is_arithmetic_v<T>) {
        return a < b;
    } else {
        return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
    }
}

template <class T>
class Summary {
  public:
    using Sum = typename Traits<T>::Sum;

    void add(std::span<const T> values) {
        std::vector<Sum> wide(values.size());
        for (size_t i = 0; i < values.size(); ++i) {
            wide[i] = to_sum<Sum>(values[i]);
            keep(values[i]);
        }
        sum_ += pairwise_sum(std::span<const Sum>(wide));
        count_ += values.size();
    }
    [[nodiscard]] std::string text() const {
        return " [Max: " + numpy_text(*largest_) + "] [Min: " + numpy_text(*smallest_) +
               "] [Mean: " + numpy_text(mean()) + "]";
    }

  private:
    /// The first NaN stays.
    void keep(T value) {
        if (!largest_) {
            largest_ = smallest_ = value;
        } else if (!is_nan(*largest_) && (is_nan(value) || is_less(*largest_, value))) {
            largest_ = value;
        }
        if (!is_nan(*smallest_) && (is_nan(value) || is_less(value, *smallest_))) smallest_ = value;
    }
    [[nodiscard]] typename Traits<T>::Mean mean() const {
        if constexpr (std::is_same_v<T, Float16>) {
            return to_float16(
                static_cast<float>(static_cast<double>(sum_) / static_cast<double>(count_)));
        } else if constexpr (std::is_floating_point_v<Sum>) {
            return static_cast<Sum>(static_cast<double>(sum_) / static_cast<double>(count_));
        } else {
            // NumPy divides complex numbers in double, by multiplying with the reciprocal.
            return static_cast<Sum>(std::complex<double>(sum_) *
                                    (1.0 / static_cast<double>(count_)));
        }
    }

    Sum sum_{};
    uint64_t count_ = 0;
    std::optional<T> largest_;
    std::optional<T> smallest_;
};

template <class T>
std::string summary(const DumpArray& array) {
    Summary<T> result;
    std::vector<T> piece;
    for (int64_t first = 0; first < array.numel(); first += kChunk) {
        const int64_t count = std::min(kChunk, array.numel() - first);
        const auto number = static_cast<size_t>(count);
        piece.resize(number);
        array.read(first, count, reinterpret_cast<std::byte*>(piece.data()));
        result.add(piece);
    }
    return result.text();
}

/// Counts are exact in any order.
std::string bool_summary(const DumpArray& array) {
    bool any = false;
    bool all = true;
    double sum = 0;
    std::vector<std::byte> bytes;
    for (int64_t first = 0; first < array.numel(); first += kChunk) {
        const int64_t count = std::min(kChunk, array.numel() - first);
        bytes.resize(static_cast<size_t>(count));
        array.read(first, count, bytes.data());
        for (const std::byte byte : bytes) {
            const bool value = byte != std::byte{0};
            any = any || value;
            all = all && value;
            sum += value ? 1 : 0;
        }
    }
    return " [Max: " + numpy_text(any) + "] [Min: " + numpy_text(all) +
           "] [Mean: " + numpy_text(sum / static_cast<double>(array.numel())) + "]";
}

}  // namespace

std::string summary_of(const DumpArray& array) {
    std::string head = "[Shape: " + tuple_text(array.file_shape()) +
                       "] [Dtype: " + std::string(array.dtype_name()) + "]";
    if (array.numel() == 0) return head;
    const std::string_view name = array.dtype_name();
    if (name == "complex64") return head + summary<std::complex<float>>(array);
    if (name == "complex128") return head + summary<std::complex<double>>(array);
    const auto dtype = dtype_from_name(name);
    if (!dtype)
        throw CommandError(kInvalidDataType, "dtype " + std::string(name) + " has no order");
    return head + visit_dtype(*dtype, [&]<class T>() {
               if constexpr (std::is_same_v<T, bool>) {
                   return bool_summary(array);
               } else if constexpr (std::is_same_v<T, BFloat16>) {
                   return std::string();  // arrays of bfloat16 are float32
               } else {
                   return summary<T>(array);
               }
           });
}

}  // namespace npuscope::msaccucmp
