#include "diagnose/bitwise/manner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace npuscope::diagnose {

namespace {

// Half tensors are rounded once after sums in float32, wider ones carry every addition's rounding.
constexpr double kMostUlpsOfHalf = 32;
constexpr double kMostUlps = 512;
/// A sum of errors that know no direction stays within so many of its standard deviations.
constexpr double kDeviations = 6;
/// Of a block's elements at least so many differ.
constexpr double kFilled = 0.5;
/// Blocks that hardware works on begin at multiples of it.
constexpr int64_t kAligned = 8;
/// Memory that nobody wrote: by so much larger or smaller than what was computed, or not finite.
constexpr double kFarLarger = 64;
constexpr double kFarSmaller = 0x1p-40;
constexpr double kMostlyUnwritten = 0.2;

/// The elements that differ.
struct Extent {
    int64_t count = 0;
    int64_t first = -1;  ///< flat
    int64_t row_begin = std::numeric_limits<int64_t>::max(), row_end = 0;
    int64_t column_begin = std::numeric_limits<int64_t>::max(), column_end = 0;
    int64_t rows = 1, columns = 1;

    [[nodiscard]] int64_t numel() const { return rows * columns; }
    [[nodiscard]] int64_t area() const {
        return (row_end - row_begin) * (column_end - column_begin);
    }
};

bool is_filled(int64_t count, int64_t of) {
    return static_cast<double>(count) >= kFilled * static_cast<double>(of);
}

Extent extent_of(const Tensor& a, const Tensor& b) {
    Extent extent;
    extent.columns = a.ndim() == 0 ? 1 : std::max<int64_t>(1, a.dim(-1));
    extent.rows = a.numel() / extent.columns;
    const size_t each = size_of(a.dtype());
    for (int64_t row = 0; row < extent.rows; ++row) {
        const size_t at = static_cast<size_t>(row * extent.columns) * each;
        const size_t bytes = static_cast<size_t>(extent.columns) * each;
        if (std::memcmp(a.data() + at, b.data() + at, bytes) == 0) continue;
        for (int64_t column = 0; column < extent.columns; ++column) {
            const size_t here = at + static_cast<size_t>(column) * each;
            if (std::memcmp(a.data() + here, b.data() + here, each) == 0) continue;
            if (extent.first < 0) extent.first = row * extent.columns + column;
            ++extent.count;
            extent.row_begin = std::min(extent.row_begin, row);
            extent.row_end = row + 1;
            extent.column_begin = std::min(extent.column_begin, column);
            extent.column_end = std::max(extent.column_end, column + 1);
        }
    }
    return extent;
}

/// What the values tell.
struct Values {
    double magnitude = 0;  ///< largest of the elements that are equal, else of all that are finite
    double largest = 0;
    double sum = 0, squares = 0;  ///< of the differences
    bool finite = true;           ///< all that differ
    int64_t unwritten = 0;        ///< look like memory that nobody wrote, on either side
};

Values values_of(const Tensor& a, const Tensor& b) {
    const Tensor left = a.cast(DType::kFloat64);
    const Tensor right = b.cast(DType::kFloat64);
    const auto x = left.as<double>();
    const auto y = right.as<double>();
    Values values;
    double of_all = 0;
    const auto differs = [&](size_t i) {
        return std::bit_cast<uint64_t>(x[i]) != std::bit_cast<uint64_t>(y[i]);
    };
    for (size_t i = 0; i < x.size(); ++i) {
        if (!differs(i)) {
            if (std::isfinite(x[i])) values.magnitude = std::max(values.magnitude, std::abs(x[i]));
            continue;
        }
        if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
            values.finite = false;
            continue;
        }
        of_all = std::max({of_all, std::abs(x[i]), std::abs(y[i])});
        const double difference = x[i] - y[i];
        values.largest = std::max(values.largest, std::abs(difference));
        values.sum += difference;
        values.squares += difference * difference;
    }
    if (values.magnitude == 0) values.magnitude = of_all;
    const auto unwritten = [&](double value) {
        const double size = std::abs(value);
        return !(size <= kFarLarger * values.magnitude) || size < kFarSmaller * values.magnitude;
    };
    for (size_t i = 0; i < x.size(); ++i)
        if (differs(i) && (unwritten(x[i]) || unwritten(y[i]))) ++values.unwritten;
    return values;
}

double epsilon_of(DType dtype) {
    if (dtype == DType::kFloat64) return 0x1p-52;
    if (dtype == DType::kFloat16) return 0x1p-10;
    return dtype == DType::kBFloat16 ? 0x1p-7 : 0x1p-23;
}

bool is_order(const Tensor& tensor, const Values& values, double ulps) {
    const bool is_half = size_of(tensor.dtype()) < sizeof(float);
    return values.finite && ulps <= (is_half ? kMostUlpsOfHalf : kMostUlps) &&
           std::abs(values.sum) <= kDeviations * std::sqrt(values.squares);
}

/// At the end of the tensor, or of each row.
bool is_tail(const Extent& extent) {
    const bool of_all = extent.first > 0 && 2 * extent.first >= extent.numel() &&
                        is_filled(extent.count, extent.numel() - extent.first);
    const bool of_rows =
        extent.rows > 1 && extent.column_end == extent.columns &&
        2 * extent.column_begin >= extent.columns &&
        is_filled(extent.count, extent.rows * (extent.columns - extent.column_begin));
    return of_all || of_rows;
}

bool is_tile(const Extent& extent) {
    const auto aligned = [](int64_t begin, int64_t end, int64_t size) {
        return begin % kAligned == 0 && (end % kAligned == 0 || end == size);
    };
    return extent.area() < extent.numel() && extent.count >= kAligned &&
           is_filled(extent.count, extent.area()) &&
           aligned(extent.column_begin, extent.column_end, extent.columns) &&
           aligned(extent.row_begin, extent.row_end, extent.rows);
}

Manner manner_of(const Tensor& tensor,
                 const Extent& extent,
                 const Values& values,
                 const Difference& found) {
    if (is_float(tensor.dtype()) && is_order(tensor, values, found.ulps)) return Manner::kOrder;
    const bool tile = is_tile(extent);
    const bool unwritten = static_cast<double>(values.unwritten) >=
                           kMostlyUnwritten * static_cast<double>(extent.count);
    if (is_tail(extent) && (unwritten || !tile)) return Manner::kTail;
    return tile ? Manner::kTile : Manner::kOther;
}

std::string block_text(const Extent& extent) {
    const std::string columns = fmt::format("{}:{}", extent.column_begin, extent.column_end);
    return extent.rows == 1 ? "[" + columns + "]"
                            : fmt::format("[{}:{},{}]", extent.row_begin, extent.row_end, columns);
}

}  // namespace

std::string_view key_of(Manner manner) {
    constexpr std::array<std::string_view, 6> kKeys = {
        "random_op", "order_of_addition", "uninitialised_tail", "whole_tile", "other", "unknown"};
    return kKeys.at(static_cast<size_t>(manner));
}

std::string_view words_of(Manner manner) {
    constexpr std::array<std::string_view, 6> kWords = {
        "a random op: the runs drew other numbers; seed both alike, and each op in one order",
        "order of addition: some ulps, and the sums agree",
        "uninitialised tail: the end holds what nobody wrote",
        "a whole tile is another, everything around it is equal",
        "no manner that is known: neither small, nor at the end, nor one block",
        "how they differ cannot be told without elements"};
    return kWords.at(static_cast<size_t>(manner));
}

Difference difference_of(const Tensor& a, const Tensor& b) {
    const Extent extent = extent_of(a, b);
    Difference found{.manner = Manner::kOther, .count = extent.count, .numel = a.numel()};
    if (name_of(a.dtype()).starts_with("complex")) return found;
    const Values values = values_of(a, b);
    found.largest = values.largest;
    if (is_float(a.dtype()) && values.magnitude > 0)
        found.ulps = values.largest / (values.magnitude * epsilon_of(a.dtype()));
    found.manner = manner_of(a, extent, values, found);
    if (is_filled(extent.count, extent.area()) && extent.area() < extent.numel())
        found.where = block_text(extent);
    return found;
}

bool draws_numbers(std::string_view op) {
    constexpr std::array<std::string_view, 17> kWords = {"dropout",
                                                         "bernoulli",
                                                         "multinomial",
                                                         "rand",
                                                         "randn",
                                                         "randint",
                                                         "randperm",
                                                         "uniform",
                                                         "poisson",
                                                         "random",
                                                         "rrelu",
                                                         "exponential",
                                                         "normal",
                                                         "geometric",
                                                         "cauchy",
                                                         "dropout2d",
                                                         "dropout3d"};
    std::string word;
    const auto is_word = [&] {
        return std::ranges::find(kWords, std::string_view(word)) != kWords.end();
    };
    for (const char c : op) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            continue;
        }
        if (is_word()) return true;
        word.clear();
    }
    return is_word();
}

}  // namespace npuscope::diagnose
