#include "diagnose/judge/furthest_off.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/dtype/dtype.h"

namespace npuscope::diagnose {

namespace {

constexpr size_t kBlock = 1024;

/// Distances as whole numbers of the same order, of which compilers make vectors.
template <class T>
using Bits = std::conditional_t<std::is_same_v<T, float>, int32_t, int64_t>;
template <class T>
constexpr Bits<T> kNoNumber = std::bit_cast<Bits<T>>(T(-1));

/// A place, and how far off it is.
template <class T>
using Distant = std::pair<Bits<T>, int64_t>;

/// How far off the elements of a block are: absolutely, and beside their size.
template <class T>
struct Distances {
    std::array<Bits<T>, kBlock> by_error;
    std::array<Bits<T>, kBlock> by_share;

    void measure(std::span<const T> values, std::span<const T> expected) {
        for (size_t i = 0; i < values.size(); ++i) {
            const T error = std::abs(values[i] - expected[i]);
            const T share = error / std::abs(expected[i]);
            by_error[i] = std::bit_cast<Bits<T>>(error >= 0 ? error : T(-1));
            by_share[i] = std::bit_cast<Bits<T>>(share >= 0 ? share : T(-1));
        }
    }
};

/// What is furthest off of each stretch, the furthest first; a stretch that no element of is a
/// number has its first.
template <class T>
class Furthest {
  public:
    /// The begin of a stretch.
    void begin(size_t at) { of_.push_back({kNoNumber<T>, static_cast<int64_t>(at)}); }

    /// `off` is that of elements of the last stretch, from `first` on.
    void take(std::span<const Bits<T>> off, size_t first) {
        Bits<T> most = off.front();
        for (const Bits<T> each : off)
            most = each > most ? each : most;
        if (most <= of_.back().first) return;
        const auto place = static_cast<size_t>(std::ranges::find(off, most) - off.begin());
        of_.back() = {most, static_cast<int64_t>(first + place)};
    }

    [[nodiscard]] std::vector<Distant<T>> sorted() && {
        std::ranges::sort(of_, [](const Distant<T>& one, const Distant<T>& other) {
            return one.first != other.first ? one.first > other.first : one.second < other.second;
        });
        return std::move(of_);
    }

  private:
    std::vector<Distant<T>> of_{};
};

/// Of two functions that give `length` elements from `first` on.
template <class T, class F, class G>
std::vector<int64_t> furthest_from(int64_t numel, int64_t count, F&& values, G&& others) {
    const auto all = static_cast<size_t>(numel);
    const size_t stretch =
        std::max<size_t>(1, 2 * all / static_cast<size_t>(std::max<int64_t>(count, 2)));
    Furthest<T> by_error;
    Furthest<T> by_share;
    Distances<T> distances;
    for (size_t first = 0; first < all; first += kBlock) {
        const size_t length = std::min(kBlock, all - first);
        distances.measure(values(first, length), others(first, length));
        // What of which stretch the block has.
        for (size_t i = 0; i < length;) {
            const size_t at = first + i;
            const size_t end = std::min(length, i + stretch - at % stretch);
            if (at % stretch == 0) {
                by_error.begin(at);
                by_share.begin(at);
            }
            by_error.take(std::span(distances.by_error).subspan(i, end - i), at);
            by_share.take(std::span(distances.by_share).subspan(i, end - i), at);
            i = end;
        }
    }
    const std::vector<Distant<T>> errors = std::move(by_error).sorted();
    const std::vector<Distant<T>> shares = std::move(by_share).sorted();
    std::vector<int64_t> places;
    places.reserve(2 * errors.size());
    for (size_t i = 0; i < errors.size(); ++i) {
        places.push_back(errors[i].second);
        places.push_back(shares[i].second);
    }
    return places;
}

/// A tensor's elements in float64, a block at a time.
class Widened {
  public:
    explicit Widened(const Tensor& tensor) : tensor_(tensor) {}

    std::span<const double> operator()(size_t first, size_t length) {
        convert_elements(tensor_.data() + first * size_of(tensor_.dtype()),
                         tensor_.dtype(),
                         block_.data(),
                         DType::kFloat64,
                         length);
        return std::span(block_).first(length);
    }

  private:
    const Tensor& tensor_;
    std::array<double, kBlock> block_{};
};

/// Elements that are kept as they are asked for.
template <class T>
auto parts_of(std::span<const T> elements) {
    return [elements](size_t first, size_t length) { return elements.subspan(first, length); };
}

}  // namespace

std::vector<int64_t> furthest_off(const Tensor& recorded, const Tensor& expected, int64_t count) {
    if (recorded.dtype() == DType::kFloat32 && expected.dtype() == DType::kFloat32)
        return furthest_from<float>(recorded.numel(),
                                    count,
                                    parts_of(recorded.as<float>()),
                                    parts_of(expected.as<float>()));
    return furthest_from<double>(recorded.numel(), count, Widened(recorded), Widened(expected));
}

std::vector<int64_t> furthest_off(const Tensor& recorded,
                                  std::span<const double> expected,
                                  int64_t count) {
    return furthest_from<double>(recorded.numel(), count, Widened(recorded), parts_of(expected));
}

}  // namespace npuscope::diagnose
