// Sums of hashes of elements, whose value does not depend on how many are added at once.
#pragma once

#include <cstdint>

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
        const uint64_t mixed = mix(bits);
        bag += mixed;
        sequence += mixed * weight(index);
        differs |= bits ^ reference;
    }

    /// Finalizer of the SplitMix64 generator, without its first shift: the low half of a widened
    /// float32 is zero, so the high half is folded in first.
    [[nodiscard]] static uint64_t mix(uint64_t bits) {
        bits ^= bits >> 32U;
        bits *= kFirst;
        bits ^= bits >> 27U;
        bits *= kSecond;
        return bits ^ (bits >> 31U);
    }
    /// Odd.
    [[nodiscard]] static uint64_t weight(int64_t index) {
        return 2 * static_cast<uint64_t>(index) * kOrder + 1;
    }

    static constexpr uint64_t kFirst = 0xbf58476d1ce4e5b9U;
    static constexpr uint64_t kSecond = 0x94d049bb133111ebU;
    static constexpr uint64_t kOrder = 0x9e3779b97f4a7c15U;
};

/// Adds `count` elements, the first of which is at `index`, with the widest vectors that the CPU
/// has: the same as one by one. `elements` need no alignment. `reference` are the bits of the
/// tensor's first element.
void add_floats(
    const void* elements, int64_t count, int64_t index, uint64_t reference, ContentSums& sums);

}  // namespace npuscope::compare
