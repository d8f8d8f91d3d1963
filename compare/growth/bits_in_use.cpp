#include "compare/growth/bits_in_use.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace npuscope::compare {

namespace {

constexpr int64_t kBlocks = 8;
constexpr int64_t kBlock = 512;

/// Zeros, ones, masks, labels and powers of two are as they are in any format.
constexpr int kSimpleBits = 4;

/// Of a number of float32.
int bits_of(uint32_t pattern) {
    constexpr uint32_t kFraction = 0x7fffffU;
    constexpr int kBits = 24;
    const uint32_t fraction = pattern & kFraction;
    return fraction == 0 ? 1 : kBits - std::countr_zero(fraction);
}

/// Of some 4096 elements of float32.
int most_bits(const ElementSource& elements) {
    const int64_t numel = elements.numel();
    const int64_t blocks = std::min(kBlocks, (numel + kBlock - 1) / kBlock);
    std::vector<std::byte> buffer;
    int most = 1;
    for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = numel / blocks * block;
        const int64_t count = std::min(kBlock, numel - first);
        const std::byte* bytes = elements.range(first, count, buffer);
        for (int64_t i = 0; i < count; ++i) {
            uint32_t pattern = 0;
            std::memcpy(&pattern, bytes + i * static_cast<int64_t>(sizeof pattern), sizeof pattern);
            most = std::max(most, bits_of(pattern));
        }
    }
    return most;
}

int format_of(int most) {
    constexpr int kFloat32 = 24;
    return most <= kBitsOfBFloat16  ? kBitsOfBFloat16
           : most <= kBitsOfFloat16 ? kBitsOfFloat16
                                    : kFloat32;
}

}  // namespace

int bits_in_use(const ElementSource& elements) {
    constexpr int kFloat64 = 53;
    if (elements.dtype() == DType::kFloat16) return kBitsOfFloat16;
    if (elements.dtype() == DType::kBFloat16) return kBitsOfBFloat16;
    if (elements.dtype() != DType::kFloat32) return kFloat64;
    return format_of(most_bits(elements));
}

std::optional<int> telling_bits(const ElementSource& elements) {
    if (elements.dtype() != DType::kFloat32) return bits_in_use(elements);
    const int most = most_bits(elements);
    return most <= kSimpleBits ? std::nullopt : std::optional(format_of(most));
}

}  // namespace npuscope::compare
