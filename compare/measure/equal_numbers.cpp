#include "compare/measure/equal_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "compare/measure/accumulate.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

/// The `index`-th of elements that need not be aligned.
template <class T>
double number_at(const std::byte* elements, int64_t index) {
    T value;
    std::memcpy(&value, elements + static_cast<size_t>(index) * sizeof(T), sizeof(T));
    return to_double(value);
}

/// Whether `count` elements of both are the same finite numbers.
template <class T, class G>
bool are_equal(const std::byte* mine, const std::byte* theirs, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const double number = number_at<T>(mine, i);
        if (!(std::fabs(number) < kLargestWhole) || number != number_at<G>(theirs, i)) return false;
    }
    return true;
}

}  // namespace

bool hold_equal_numbers(const ElementSource& one, const ElementSource& other) {
    std::vector<std::byte> first, second;
    ReleasedBehind one_released(one);
    ReleasedBehind other_released(other);
    return visit_dtype(one.dtype(), [&]<class T>() {
        return visit_dtype(other.dtype(), [&]<class G>() {
            for (int64_t at = 0; at < one.numel(); at += kTile) {
                const int64_t count = std::min<int64_t>(kTile, one.numel() - at);
                const std::byte* mine = one.range(at, count, first);
                const std::byte* theirs = other.range(at, count, second);
                if (!are_equal<T, G>(mine, theirs, count)) return false;
                one_released.until(at + count);
                other_released.until(at + count);
            }
            return true;
        });
    });
}

bool hold_whole_numbers(const ElementSource& source) {
    if (source.dtype() == DType::kBool) return false;
    std::vector<std::byte> buffer;
    ReleasedBehind released(source);
    return visit_dtype(source.dtype(), [&]<class T>() {
        for (int64_t at = 0; at < source.numel(); at += kTile) {
            const int64_t count = std::min<int64_t>(kTile, source.numel() - at);
            const std::byte* elements = source.range(at, count, buffer);
            for (int64_t i = 0; i < count; ++i) {
                const double number = number_at<T>(elements, i);
                if (!(std::fabs(number) < kLargestWhole) || number != std::trunc(number))
                    return false;
            }
            released.until(at + count);
        }
        return true;
    });
}

}  // namespace npuscope::compare
