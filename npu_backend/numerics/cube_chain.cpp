#include "npu_backend/numerics/cube_chain.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

void ExactSum::add_scaled(float a, float b) {
    // |a b| = whole * 2^exponent with at most 48 bits.
    const auto parts = [](float value) {
        const uint32_t bits = std::bit_cast<uint32_t>(value);
        const int stored = static_cast<int>((bits >> 23) & 0xffu);
        const uint32_t fraction = bits & 0x7fffffu;
        return std::pair<uint64_t, int>(stored == 0 ? fraction : fraction | 0x800000u,
                                        std::max(stored, 1) - 150);
    };
    const auto [whole_a, exponent_a] = parts(a);
    const auto [whole_b, exponent_b] = parts(b);
    const uint64_t whole = whole_a * whole_b;
    if (whole == 0) return;
    const int shift = exponent_a + exponent_b - kLowest;
    const int digit = shift / 32;
    const auto low = static_cast<uint64_t>(whole) << (shift % 32);
    const uint64_t high = shift % 32 == 0 ? 0 : whole >> (64 - shift % 32);
    const int64_t sign = std::signbit(a) != std::signbit(b) ? -1 : 1;
    digits_[digit] += sign * static_cast<int64_t>(low & 0xffffffffu);
    digits_[digit + 1] += sign * static_cast<int64_t>(low >> 32);
    digits_[digit + 2] += sign * static_cast<int64_t>(high);
}

float ExactSum::rounded() const {
    std::array<int64_t, kDigits + 1> digits{};
    const auto carry = [&](int64_t sign) {
        int64_t over = 0;
        for (int i = 0; i < kDigits; ++i) {
            const int64_t sum = sign * digits_[i] + over;
            digits[static_cast<size_t>(i)] = sum & 0xffffffff;
            over = sum >> 32;
        }
        digits[kDigits] = over;
        return over >= 0;
    };
    const bool negative = !carry(1);
    if (negative) (void)carry(-1);
    int top = kDigits;
    while (top >= 0 && digits[static_cast<size_t>(top)] == 0)
        --top;
    if (top < 0) return 0.0f;
    const auto bit = [&](int position) {
        return (digits[static_cast<size_t>(position / 32)] >> (position % 32)) & 1;
    };
    const int first =
        top * 32 + 63 - std::countl_zero(static_cast<uint64_t>(digits[static_cast<size_t>(top)]));
    const int last = std::max(first - 23, -149 - kLowest);
    uint32_t kept = 0;
    for (int position = first; position >= last; --position)
        kept = kept << 1 | static_cast<uint32_t>(bit(position));
    const bool half = last > 0 && bit(last - 1) != 0;
    bool rest = false;
    for (int position = last - 2; !rest && position >= 0; --position)
        rest = bit(position) != 0;
    if (half && (rest || (kept & 1u) != 0)) ++kept;
    // 24 bits and the exponent's step are exact in double; too large becomes inf.
    const auto value = static_cast<float>(std::ldexp(static_cast<double>(kept), last + kLowest));
    return negative ? -value : value;
}

namespace {

struct Terms {
    ChainOperand a;
    ChainOperand b;
    int64_t k;

    [[nodiscard]] float left(int64_t i) const { return a.data[i * a.stride]; }
    [[nodiscard]] float right(int64_t i) const { return b.data[i * b.stride]; }
    /// Rounded to float32; exact for halves.
    [[nodiscard]] float product(int64_t i) const { return left(i) * right(i); }
    [[nodiscard]] double exact_product(int64_t i) const {
        return static_cast<double>(left(i)) * static_cast<double>(right(i));
    }
    [[nodiscard]] Terms part(int64_t begin, int64_t end) const {
        return {{a.data + begin * a.stride, a.stride},
                {b.data + begin * b.stride, b.stride},
                end - begin};
    }
};

float block_tree(const Terms& terms, float c) {
    std::vector<float> values(static_cast<size_t>(terms.k));
    for (int64_t i = 0; i < terms.k; ++i)
        values[static_cast<size_t>(i)] = terms.product(i);
    size_t count = values.size();
    while (count > 1) {
        for (size_t i = 0; i < count / 2; ++i)
            values[i] = values[2 * i] + values[2 * i + 1];
        if (count % 2 != 0) values[count / 2] = values[count - 1];
        count = count / 2 + count % 2;
    }
    return c + values[0];
}

/// a + b without loss: the rounded sum, and what it lost. Source: D. Knuth, The Art of Computer
/// Programming, volume 2, 4.2.2, theorem B.
struct TwoSum {
    double sum, lost;
    TwoSum(double a, double b) : sum(a + b) {
        const double second = sum - a;
        lost = (a - (sum - second)) + (b - second);
    }
};

/// By two running doubles, which hold nearly every sum; nothing when they would lose a bit.
std::optional<float> paired_sum(const Terms& terms, float c) {
    double high = c;
    double low = 0;
    bool exact = true;
    for (int64_t i = 0; i < terms.k; ++i) {
        const TwoSum next(high, terms.exact_product(i));
        const TwoSum rest(low, next.lost);
        high = next.sum;
        low = rest.sum;
        exact = exact && rest.lost == 0;
    }
    if (!exact) return {};
    const TwoSum total(high, low);
    if (total.sum == 0) return 0.0f;
    auto bits = std::bit_cast<uint64_t>(total.sum);
    // To the neighbour with an odd last bit, which no float32 tie has: the second rounding is then
    // that of the exact sum.
    if (total.lost != 0 && (bits & 1u) == 0)
        bits += (total.lost > 0) == (total.sum > 0) ? uint64_t{1} : ~uint64_t{0};
    return static_cast<float>(std::bit_cast<double>(bits));
}

/// Products are exact in double. Their sum in double is off by at most `slack`; where both ends of
/// that range round to one float32, that is the exact sum's.
float block_exact(const Terms& terms, float c) {
    double rough = c;
    double magnitude = std::fabs(rough);
    for (int64_t i = 0; i < terms.k; ++i) {
        const double product = terms.exact_product(i);
        rough += product;
        magnitude += std::fabs(product);
    }
    const double slack = magnitude * static_cast<double>(terms.k + 2) * 0x1p-52;
    const auto low = static_cast<float>(rough - slack);
    if (low == static_cast<float>(rough + slack) && low != 0) return low;
    if (const std::optional<float> paired = paired_sum(terms, c)) return *paired;
    ExactSum sum;
    sum.add(c);
    for (int64_t i = 0; i < terms.k; ++i)
        sum.add_scaled(terms.left(i), terms.right(i));
    return sum.rounded();
}

/// All terms and the accumulator in units of the largest one's last place, `extra` bits finer; what
/// is below a unit is cut, and so is the sum to 24 bits.
float block_aligned(const Terms& terms, float c, int extra) {
    int largest = -10000;
    const auto see = [&](double value) {
        int exponent = 0;
        if (value != 0) {
            (void)std::frexp(value, &exponent);
            largest = std::max(largest, exponent);
        }
    };
    see(c);
    for (int64_t i = 0; i < terms.k; ++i)
        see(terms.exact_product(i));
    if (largest == -10000) return c + 0.0f;
    const int unit = largest - 24 - extra;
    int64_t sum = static_cast<int64_t>(std::ldexp(static_cast<double>(c), -unit));
    for (int64_t i = 0; i < terms.k; ++i)
        sum += static_cast<int64_t>(std::ldexp(terms.exact_product(i), -unit));
    const uint64_t magnitude =
        sum < 0 ? 0 - static_cast<uint64_t>(sum) : static_cast<uint64_t>(sum);
    const int excess = std::max(0, 64 - std::countl_zero(magnitude) - 24);
    const uint64_t kept = magnitude >> excess << excess;
    const auto value = static_cast<float>(std::ldexp(static_cast<double>(kept), unit));
    return sum < 0 ? -value : value;
}

float half_sequential(const Terms& terms, float c, bool saturates) {
    const auto rounded = [saturates](double value) {
        const Float16 half = round_nearest<Float16>(value);
        return to_float(saturates && !is_finite(half) ? saturated(half) : half);
    };
    float sum = rounded(c);
    // Product and sum fit a double without rounding.
    for (int64_t i = 0; i < terms.k; ++i)
        sum = rounded(static_cast<double>(sum) + terms.exact_product(i));
    return sum;
}

template <class Block>
float blocks(const Terms& terms, int64_t block, float c, Block&& add) {
    for (int64_t start = 0; start < terms.k && std::isfinite(c); start += block)
        c = add(terms.part(start, std::min(terms.k, start + block)), c);
    return c;
}

float one_chain(const CubeModel& model, const Terms& terms, float c) {
    if (model.half_accumulator) return half_sequential(terms, c, model.saturates);
    switch (model.accumulation) {
        case CubeAccumulation::kSequential:
            for (int64_t i = 0; i < terms.k; ++i)
                c += terms.product(i);
            return c;
        case CubeAccumulation::kBlockExact:
            return blocks(terms, model.block, c, block_exact);
        case CubeAccumulation::kBlockTree:
            return blocks(terms, model.block, c, block_tree);
        case CubeAccumulation::kExact:
            return block_exact(terms, c);
        default: {
            const int extra = static_cast<int>(model.accumulation) -
                              static_cast<int>(CubeAccumulation::kAlignTrunc0);
            return blocks(terms, model.block, c, [extra](const Terms& part, float sum) {
                return block_aligned(part, sum, extra);
            });
        }
    }
}

/// 0 times a finite number is 0, and nan otherwise.
bool finite(const Terms& terms, float c) {
    float zero = 0.0f * c;
    for (int64_t i = 0; i < terms.k; ++i)
        zero += 0.0f * terms.left(i) + 0.0f * terms.right(i);
    return zero == 0.0f;
}

}  // namespace

float chain(const CubeModel& model, ChainOperand a, ChainOperand b, int64_t k, float c0) {
    const Terms terms{a, b, k};
    if (!finite(terms, c0) && !model.half_accumulator) {
        double sum = c0;
        for (int64_t i = 0; i < k; ++i)
            sum += terms.exact_product(i);
        return static_cast<float>(sum);
    }
    if (model.split == 1 || k == 0) return one_chain(model, terms, c0);
    // Parts of whole blocks; the first holds what was in the accumulator.
    const int64_t share =
        (k + model.split * model.block - 1) / (model.split * model.block) * model.block;
    std::vector<float> parts;
    for (int64_t start = 0; start < k; start += share)
        parts.push_back(one_chain(
            model, terms.part(start, std::min(k, start + share)), start == 0 ? c0 : 0.0f));
    if (model.split_order == SplitOrder::kDescending) std::reverse(parts.begin(), parts.end());
    float sum = parts[0];
    for (size_t i = 1; i < parts.size(); ++i)
        sum += parts[i];
    return sum;
}

}  // namespace npuscope::backend
