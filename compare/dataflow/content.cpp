#include "compare/dataflow/content.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "compare/dataflow/content_sums.h"
#include "core/dtype/convert_half.h"

namespace npuscope::compare {

namespace {

/// Elements read at once.
constexpr int64_t kPiece = 16384;
constexpr int64_t kMostSamples = 256;
/// A value of no more significant bits (a small count, a power of two) is met by chance.
constexpr int kPlainBits = 8;

constexpr uint64_t kExponent = 0x7ff0000000000000u;
constexpr uint64_t kFraction = 0x000fffffffffffffu;

template <class T>
void add(
    const std::byte* bytes, int64_t first, int64_t count, uint64_t reference, ContentSums& sums) {
    if constexpr (std::is_same_v<T, float>) {
        add_floats(bytes, count, first, reference, sums);
        return;
    }
    for (int64_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, bytes + static_cast<size_t>(i) * sizeof(T), sizeof(T));
        auto bits = std::bit_cast<uint64_t>(to_double(value));
        if constexpr (std::is_floating_point_v<T>) {
            if ((bits & kExponent) == kExponent && (bits & kFraction) != 0) {
                ++sums.nan;
                bits = ContentSums::kNan;
            }
        }
        sums.add(bits, first + i, reference);
    }
}

/// Hands out the elements as float, double or an integer type that add() takes.
class Pieces {
  public:
    Pieces(const ElementSource& elements, std::optional<DType> rounded)
        : elements_(elements), rounded_(rounded), dtype_(elements.dtype()) {
        if (rounded_) dtype_ = *rounded_;
        if (dtype_ == DType::kFloat16 || dtype_ == DType::kBFloat16) dtype_ = DType::kFloat32;
    }

    [[nodiscard]] DType dtype() const { return dtype_; }

    const std::byte* read(int64_t first, int64_t count) {
        const std::byte* bytes = elements_.range(first, count, buffer_);
        const DType stored = elements_.dtype();
        if (stored == dtype_ && !rounded_) return bytes;
        const auto elements = static_cast<size_t>(count);
        bytes = aligned(bytes, elements);
        if (!rounded_ || *rounded_ == dtype_) return converted(bytes, stored, elements);
        halves_.resize(elements * sizeof(Float16));
        convert_elements(bytes, stored, halves_.data(), *rounded_, elements);
        return converted(halves_.data(), *rounded_, elements);
    }

  private:
    const std::byte* aligned(const std::byte* bytes, size_t count) {
        const size_t size = size_of(elements_.dtype());
        if (reinterpret_cast<uintptr_t>(bytes) % size == 0) return bytes;
        copy_.resize(count * size);
        std::memcpy(copy_.data(), bytes, copy_.size());
        return copy_.data();
    }

    const std::byte* converted(const std::byte* bytes, DType from, size_t count) {
        wide_.resize(count * size_of(dtype_));
        convert_elements(bytes, from, wide_.data(), dtype_, count);
        return wide_.data();
    }

    const ElementSource& elements_;
    std::optional<DType> rounded_;
    DType dtype_;
    std::vector<std::byte> buffer_;
    std::vector<std::byte> copy_;
    std::vector<std::byte> halves_;
    std::vector<std::byte> wide_;
};

double element(const std::byte* bytes, DType dtype, int64_t index) {
    return visit_dtype(dtype, [&]<class T>() {
        T value;
        std::memcpy(&value, bytes + static_cast<size_t>(index) * sizeof(T), sizeof(T));
        return to_double(value);
    });
}

double first_of(const std::byte* bytes, DType dtype) {
    const double value = element(bytes, dtype, 0);
    return std::isnan(value) ? std::bit_cast<double>(ContentSums::kNan) : value;
}

/// What some elements say about how telling all of them are.
class Samples {
  public:
    explicit Samples(int64_t numel) : step_(std::max<int64_t>(1, numel / kMostSamples)) {}

    void take(const std::byte* bytes, DType dtype, int64_t first, int64_t count) {
        const int64_t start = (first + step_ - 1) / step_ * step_;
        for (int64_t i = start; i < first + count; i += step_) {
            const double value = element(bytes, dtype, i - first);
            ++counts_[std::bit_cast<uint64_t>(value)];
            ++taken_;
            const bool number = std::isfinite(value);
            const auto narrow = static_cast<float>(value);
            const bool single = !number || static_cast<double>(narrow) == value;
            half_ = half_ && single && (!number || to_float(to_float16(narrow)) == narrow);
            bfloat_ = bfloat_ && single && (!number || to_float(to_bfloat16(narrow)) == narrow);
        }
    }

    void tell(Content& content) const {
        double values = 0;
        double entropy = 0;
        for (const auto& [bits, count] : counts_) {
            values += told_bits(std::bit_cast<double>(bits));
            entropy += static_cast<double>(count) * std::log2(taken_ / static_cast<double>(count));
        }
        content.bag_bits =
            values + 2 * static_cast<double>(std::max<size_t>(counts_.size(), 1) - 1);
        content.order_bits = content.bag_bits + entropy;
        content.fits_half = half_;
        content.fits_bfloat = bfloat_;
    }

  private:
    int64_t step_;
    std::map<uint64_t, int64_t> counts_;
    double taken_ = 0;
    bool half_ = true;
    bool bfloat_ = true;
};

}  // namespace

int told_bits(double value) {
    if (value == 0 || !std::isfinite(value)) return 0;
    const uint64_t fraction = std::bit_cast<uint64_t>(value) & kFraction;
    const int bits = fraction == 0 ? 1 : 53 - std::countr_zero(fraction);
    return bits > kPlainBits ? bits : 0;
}

Content content_of(const ElementSource& elements, std::optional<DType> rounded) {
    Content content;
    content.numel = elements.numel();
    if (content.numel == 0) return content;
    Pieces pieces(elements, rounded);
    Samples samples(content.numel);
    ContentSums sums;
    ReleasedBehind released(elements);
    for (int64_t first = 0; first < content.numel; first += kPiece) {
        const int64_t count = std::min(kPiece, content.numel - first);
        const std::byte* bytes = pieces.read(first, count);
        if (first == 0) content.first = first_of(bytes, pieces.dtype());
        visit_dtype(pieces.dtype(), [&]<class T>() {
            add<T>(bytes, first, count, std::bit_cast<uint64_t>(content.first), sums);
        });
        samples.take(bytes, pieces.dtype(), first, count);
        released.until(first + count);
    }
    content.bag = sums.bag;
    content.sequence = sums.sequence;
    content.nan = sums.nan;
    content.constant = sums.differs == 0;
    samples.tell(content);
    return content;
}

}  // namespace npuscope::compare
