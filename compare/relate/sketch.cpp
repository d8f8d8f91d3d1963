#include "compare/relate/sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace npuscope::compare {

namespace {

constexpr int64_t kPiece = 8192;
/// A bag or a sequence of fewer elements than this may be another tensor's by chance.
constexpr int64_t kFewElements = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kNoSample = std::numeric_limits<float>::quiet_NaN();

/// Steele, Lea, Flood, 2014, Fast splittable pseudorandom number generators: its mixing function.
uint64_t mixed(uint64_t bits) {
    bits += 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
}

class Sketcher {
  public:
    /// Elements beyond `low` or `high` are a mask and count as not finite.
    explicit Sketcher(int64_t numel, double low = -kInfinity, double high = kInfinity)
        : low_(low),
          high_(high),
          step_(std::max<int64_t>(1, numel / static_cast<int64_t>(Sketch::kSamples))) {}

    void add(double value) {
        const uint64_t bits = value == 0          ? 0
                              : std::isnan(value) ? 1
                                                  : std::bit_cast<uint64_t>(value);
        sketch_.sequence = sketch_.sequence * 0x9E3779B97F4A7C15U + bits + (bits >> 32U);
        sketch_.bag += mixed(bits);
        const int64_t place = sketch_.numel++;
        const bool is_masked = value < low_ || value > high_;
        if (place == next_sample_ && sampled_ < Sketch::kSamples) {
            sketch_.samples[sampled_++] = is_masked ? kNoSample : static_cast<float>(value);
            next_sample_ = sample_place(sampled_);
        }
        if (!std::isfinite(value) || value < low_ || value > high_) {
            ++sketch_.nonfinite;
            return;
        }
        const double size = std::abs(value);
        sketch_.sum += value;
        sketch_.l1 += size;
        squares_ += value * value;
        sketch_.cubes += size * size * size;
        sketch_.low = std::min(sketch_.low, value);
        sketch_.high = std::max(sketch_.high, value);
        least_ = std::min(least_, value);
        most_ = std::max(most_, value);
        const uint64_t where = mixed(static_cast<uint64_t>(place));
        folded_[where >> 58U] += (where & 1U) != 0 ? value : -value;
        if (size > smallest_top_) add_top(value, place);
    }

    [[nodiscard]] Sketch sketch() {
        sketch_.l2 = std::sqrt(squares_);
        std::ranges::transform(
            folded_, sketch_.folded.begin(), [](double fold) { return static_cast<float>(fold); });
        sketch_.told = most_ > least_ && sketch_.numel >= kFewElements;
        return sketch_;
    }

  private:
    /// Anywhere in its share of the tensor: elements repeat at equal distances.
    [[nodiscard]] int64_t sample_place(size_t sample) const {
        const auto step = static_cast<uint64_t>(step_);
        return static_cast<int64_t>(sample * step + mixed(sample) % step);
    }

    void add_top(double value, int64_t place) {
        if (sketch_.top_count < Sketch::kTops) ++sketch_.top_count;
        size_t at = sketch_.top_count - 1;
        const double size = std::abs(value);
        while (at > 0 && std::abs(double{sketch_.tops[at - 1].value}) < size) {
            sketch_.tops[at] = sketch_.tops[at - 1];
            --at;
        }
        sketch_.tops[at] = {static_cast<float>(value), place};
        if (sketch_.top_count == Sketch::kTops)
            smallest_top_ = std::abs(double{sketch_.tops.back().value});
    }

    double low_;
    double high_;
    int64_t step_;
    int64_t next_sample_ = sample_place(0);
    size_t sampled_ = 0;
    Sketch sketch_;
    std::array<double, Sketch::kFolds> folded_{};
    double squares_ = 0;
    double smallest_top_ = 0;
    double least_ = std::numeric_limits<double>::infinity();
    double most_ = -std::numeric_limits<double>::infinity();
};

bool are_near(double one, double other, double scale, double tolerance) {
    return std::abs(one - other) <= tolerance * scale;
}

}  // namespace

namespace {

/// Calls f(element) for each in C order.
template <class F>
void for_each_element(const ElementSource& elements, F&& f) {
    std::vector<std::byte> buffer;
    const int64_t numel = elements.numel();
    visit_dtype(elements.dtype(), [&]<class T>() {
        for (int64_t first = 0; first < numel; first += kPiece) {
            const int64_t count = std::min(kPiece, numel - first);
            const std::byte* bytes = elements.range(first, count, buffer);
            for (int64_t i = 0; i < count; ++i) {
                T value;
                std::memcpy(&value, bytes + static_cast<size_t>(i) * sizeof(T), sizeof(T));
                f(to_double(value));
            }
            elements.release(first, count);
        }
    });
}

Sketch sketch_between(const ElementSource& elements, double low, double high) {
    Sketcher sketcher(elements.numel(), low, high);
    for_each_element(elements, [&](double value) { sketcher.add(value); });
    return sketcher.sketch();
}

/// The quarter of the samples that is smallest is at most this.
double small_sample(const Sketch& sketch) {
    std::vector<double> sizes;
    for (size_t i = 0; i < Sketch::kSamples && static_cast<int64_t>(i) < sketch.numel; ++i)
        if (std::isfinite(sketch.samples[i])) sizes.push_back(std::abs(double{sketch.samples[i]}));
    if (sizes.empty()) return 0;
    const auto quarter = sizes.begin() + static_cast<int64_t>(sizes.size() / 4);
    std::nth_element(sizes.begin(), quarter, sizes.end());
    return *quarter;
}

}  // namespace

Sketch sketch_of(const ElementSource& elements) {
    const Sketch sketch = sketch_between(elements, -kInfinity, kInfinity);
    const double small = small_sample(sketch);
    if (small == 0 || sketch.largest() < kMaskTimes * small) return sketch;
    // Half of the largest, so that scores to which the mask was added are beyond it, too.
    const double cut = sketch.largest() / 2;
    int64_t beyond = 0;
    for_each_element(elements, [&](double value) { beyond += std::abs(value) > cut ? 1 : 0; });
    if (static_cast<double>(beyond) < kMaskShare * static_cast<double>(sketch.numel)) return sketch;
    return sketch_between(elements, -cut, cut);
}

double distance_of(const Sketch& a, const Sketch& b, double most) {
    const double scale = std::max(a.l2, b.l2);
    if (scale == 0) return 0;
    const double limit = most * most * scale * scale;
    double squares = 0;
    for (size_t i = 0; i < Sketch::kFolds; ++i) {
        const double difference = double{a.folded[i]} - double{b.folded[i]};
        squares += difference * difference;
        if (squares > limit) break;
    }
    return std::sqrt(squares) / scale;
}

double sampled_distance(const Sketch& a, const Sketch& b) {
    constexpr int64_t kLeast = 8;
    const auto count =
        static_cast<size_t>(std::min<int64_t>(a.numel, static_cast<int64_t>(Sketch::kSamples)));
    std::array<double, Sketch::kSamples> off{};
    std::array<double, Sketch::kSamples> size{};
    size_t finite = 0;
    for (size_t i = 0; i < count; ++i) {
        const double difference = double{a.samples[i]} - double{b.samples[i]};
        if (!std::isfinite(difference)) continue;
        off[finite] = std::abs(difference);
        size[finite++] = std::abs(double{b.samples[i]});
    }
    if (finite < kLeast) return std::numeric_limits<double>::infinity();
    const auto median = [finite](auto& values) {
        const auto middle = values.begin() + static_cast<int64_t>(finite / 2);
        std::nth_element(values.begin(), middle, values.begin() + static_cast<int64_t>(finite));
        return *middle;
    };
    const double scale = median(size);
    return scale > 0 ? median(off) / scale : std::numeric_limits<double>::infinity();
}

bool hold_alike(const Sketch& a, const Sketch& b, double tolerance) {
    const double l1 = std::max(a.l1, b.l1);
    return a.numel == b.numel && are_near(a.l2, b.l2, std::max(a.l2, b.l2), tolerance) &&
           are_near(a.l1, b.l1, l1, tolerance) && are_near(a.sum, b.sum, l1, tolerance) &&
           are_near(a.cubes, b.cubes, std::max(a.cubes, b.cubes), 4 * tolerance);
}

}  // namespace npuscope::compare
