// Sums of hashes of elements, whose value does not depend on how many are added at once.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace npuscope::compare {

struct ContentSums {
    uint64_t bag = 0;       ///< of the elements in any order
    uint64_t sequence = 0;  ///< of the elements in their order
    uint64_t differs = 0;   ///< bits in which some element differs from the first
    int64_t nan = 0;

    /// The bits of the NaN that all NaN count as.
    static constexpr uint64_t kNan = 0x7ff8000000000000U;

    /// Of the element at `index`: the bits of its value in float64.
    void add(uint64_t bits, int64_t index, uint64_t reference) {
        const uint64_t hash = hash_of(bits);
        bag += hash;
        sequence += in_place(hash, weight(index));
        differs |= bits ^ reference;
    }

    /// Of what float32 holds by its bits there, of other values by all bits.
    [[nodiscard]] static uint64_t hash_of(uint64_t bits) {
        const auto value = std::bit_cast<double>(bits);
        const auto narrow = static_cast<float>(value);
        if (bits == kNan || static_cast<double>(narrow) == value)
            return mix(std::bit_cast<uint32_t>(bits == kNan ? kNanOfFloat : narrow));
        return mix_wide(bits);
    }

    /// Two multiplications of 32 bits by 32, which vectors have, each of whose halves are joined
    /// to one another: as in wyhash (W. Yi).
    [[nodiscard]] static uint64_t mix(uint32_t bits) {
        const uint64_t spread = (bits ^ kFold) * kFirst;
        const uint64_t high = spread >> 32U;
        const uint64_t product = low(spread ^ high) * (high ^ kSecond);
        return product ^ (product >> 29U);
    }
    /// Finalizer of the SplitMix64 generator.
    [[nodiscard]] static uint64_t mix_wide(uint64_t bits) {
        bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
        bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
        return bits ^ (bits >> 31U);
    }
    [[nodiscard]] static uint64_t weight(int64_t index) {
        return static_cast<uint64_t>(index) * kOrder + kSecond;
    }
    [[nodiscard]] static uint64_t in_place(uint64_t hash, uint64_t weight) {
        const uint64_t joined = hash ^ weight;
        return low(joined) * (joined >> 32U);
    }
    [[nodiscard]] static uint64_t low(uint64_t bits) { return bits & 0xffffffffU; }

    static constexpr uint64_t kFold = 0x7f4a7c15U;
    static constexpr uint64_t kFirst = 0x9e3779b1U;
    static constexpr uint64_t kSecond = 0x85ebca77U;
    static constexpr uint64_t kOrder = 0x9e3779b97f4a7c15U;
    static constexpr float kNanOfFloat = std::numeric_limits<float>::quiet_NaN();
};

/// Adds `count` elements, the first of which is at `index`, with the widest vectors that the CPU
/// has: the same as one by one. `elements` need no alignment. `reference` are the bits of the
/// tensor's first element.
void add_floats(
    const void* elements, int64_t count, int64_t index, uint64_t reference, ContentSums& sums);

}  // namespace npuscope::compare
