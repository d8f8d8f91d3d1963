#include "compare/align/evidence.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "compare/relate/arrangements.h"
#include "core/base/error.h"
#include "core/tensor/piece.h"

namespace npuscope::compare {

namespace {

/// Elements read at the beginning and at the middle of a tensor.
constexpr int64_t kElements = 16;

/// Distances |t - g| / |g|: what another precision leaves, and what some earlier fault may.
constexpr double kClose = 0.05;
constexpr double kNear = 0.3;

/// What a tensor says that is close, near, or another. One weight that is equal outweighs all that
/// an earlier fault has spoilt.
constexpr double kCloseSays = 1;
constexpr double kNearSays = 0.3;
constexpr double kOtherSays = -0.25;
/// A loss scale of mixed precision, as an exponent of 2, on either side.
constexpr double kLeastLossScale = 3;

std::vector<double> some_elements(const ElementSource& tensor) {
    std::vector<double> elements;
    const int64_t numel = tensor.numel();
    const auto take = [&](int64_t first, int64_t count) {
        const Tensor piece = piece_of(tensor, first, count);
        for (int64_t i = 0; i < count; ++i)
            elements.push_back(piece.at(i));
    };
    if (numel <= 2 * kElements) {
        take(0, numel);
    } else {
        take(0, kElements);
        take(numel / 2, kElements);
    }
    return elements;
}

/// Nothing but one number, as any op may make; a single number with a fraction tells something.
bool is_constant(const std::vector<double>& elements) {
    if (elements.size() == 1) return elements[0] == std::round(elements[0]);
    return std::ranges::all_of(elements, [&](double each) { return each == elements.front(); });
}

/// What the elements of one say, which are to be `scale` times the other's.
double says_of(const std::vector<double>& one, const std::vector<double>& other, double scale) {
    double error = 0;
    double size = 0;
    for (size_t i = 0; i < one.size(); ++i) {
        const double expected = scale * other[i];
        const double difference = one[i] - expected;
        if (!std::isfinite(difference)) continue;
        error += difference * difference;
        size += expected * expected;
    }
    const double distance = std::sqrt(error);
    if (distance <= kClose * std::sqrt(size)) return one.size() == 1 ? kNearSays : kCloseSays;
    return distance <= kNear * std::sqrt(size) ? kNearSays : kOtherSays;
}

/// The power of two that gradients may have been multiplied by with their loss, as the elements
/// tell it; 1 where they do not.
double loss_scale_of(const std::vector<double>& one, const std::vector<double>& other) {
    double products = 0;
    double squares = 0;
    for (size_t i = 0; i < one.size(); ++i) {
        products += one[i] * other[i];
        squares += other[i] * other[i];
    }
    const double factor = products / squares;
    if (!std::isfinite(factor) || factor <= 0) return 1;
    const double exponent = std::round(std::log2(factor));
    return std::abs(exponent) >= kLeastLossScale ? std::exp2(exponent) : 1;
}

}  // namespace

ElementEvidence::ElementEvidence(const Source& target, const Source& golden)
    : target_(target),
      golden_(golden),
      of_target_(target.ops.size()),
      of_golden_(golden.ops.size()) {}

ElementEvidence::Samples ElementEvidence::read(const SourceOp& op) {
    Samples samples;
    try {
        for (SourceTensor& tensor : op.load()) {
            Sample& sample =
                samples.emplace_back(Sample{tensor.direction, std::move(tensor.shape), {}});
            if (!tensor.open) continue;
            const std::unique_ptr<ElementSource> elements = tensor.open();
            sample.elements = some_elements(*elements);
        }
    } catch (const Error&) {
        samples.clear();
    }
    return samples;
}

const ElementEvidence::Samples& ElementEvidence::of(const Source& source,
                                                    std::vector<std::optional<Samples>>& known,
                                                    size_t op) {
    std::optional<Samples>& samples = known[op];
    if (!samples) {
        samples.emplace();
        if (read_ < kMostOps) *samples = read(source.ops[op]);
        ++read_;
    }
    return *samples;
}

double ElementEvidence::agreement_of(const Sample& one, const Sample& other) {
    if (one.direction != other.direction || one.elements.empty() ||
        one.elements.size() != other.elements.size() ||
        numel_of(one.shape) != numel_of(other.shape))
        return 0;
    if (is_constant(one.elements) && is_constant(other.elements)) return 0;
    double says = says_of(one.elements, other.elements, 1);
    if (const double scale = loss_scale_of(one.elements, other.elements); scale != 1)
        says = std::max(says, says_of(one.elements, other.elements, scale));
    // In another shape they may be in another order.
    return without_ones(one.shape) == without_ones(other.shape) ? says : std::max(says, 0.0);
}

double ElementEvidence::agreement(size_t target, size_t golden) {
    const Samples& mine = of(target_, of_target_, target);
    const Samples& theirs = of(golden_, of_golden_, golden);
    double sum = 0;
    for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i)
        sum += agreement_of(mine[i], theirs[i]);
    return std::clamp(sum, kLeast, kMost);
}

bool ElementEvidence::differs(size_t target, size_t golden) {
    const Samples& mine = of(target_, of_target_, target);
    const Samples& theirs = of(golden_, of_golden_, golden);
    for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
        const double says = agreement_of(mine[i], theirs[i]);
        if (says != 0 && says != kCloseSays && mine[i].elements.size() != 1) return true;
        if (says < 0) return true;
    }
    return false;
}

std::vector<ElementEvidence::Fingerprint> ElementEvidence::fingerprints(bool of_target, size_t op) {
    const Samples& samples = of_target ? of(target_, of_target_, op) : of(golden_, of_golden_, op);
    std::vector<Fingerprint> prints;
    for (const Sample& sample : samples) {
        Fingerprint& print =
            prints.emplace_back(Fingerprint{sample.direction == dumpfile::Direction::kOutput, 0});
        if (sample.elements.empty() || is_constant(sample.elements)) continue;
        print.hash = static_cast<uint64_t>(numel_of(sample.shape));
        for (const double element : sample.elements)
            print.hash = (print.hash ^ std::bit_cast<uint64_t>(element)) * 0x9E3779B97F4A7C15u;
    }
    return prints;
}

}  // namespace npuscope::compare
