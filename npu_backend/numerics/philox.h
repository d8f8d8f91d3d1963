// Random bits from a counter: the same for a place whatever thread asks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace npuscope::backend {

/// Philox4x32-10. Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
/// 3", SC 2011.
class Philox {
  public:
    Philox(uint64_t seed, uint64_t stream) : key_{low(seed), high(seed)}, stream_(stream) {}

    /// The four words of one counter.
    [[nodiscard]] std::array<uint32_t, 4> block(uint64_t counter) const {
        return rounds({low(counter), high(counter), low(stream_), high(stream_)}, key_);
    }
    /// Word `index` of the stream.
    [[nodiscard]] uint32_t word(uint64_t index) const { return block(index / 4)[index % 4]; }
    /// In [0, 1), a multiple of 2^-53.
    [[nodiscard]] double uniform(uint64_t index) const {
        const std::array<uint32_t, 4> words = block(index / 2);
        const size_t at = index % 2 * 2;
        const uint64_t bits = uint64_t{words[at]} << 32 | words[at + 1];
        return static_cast<double>(bits >> 11) * 0x1p-53;
    }

    [[nodiscard]] static std::array<uint32_t, 4> rounds(std::array<uint32_t, 4> counter,
                                                        std::array<uint32_t, 2> key) {
        for (int round = 0; round < 10; ++round) {
            const uint64_t a = uint64_t{0xD2511F53} * counter[0];
            const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
            counter = {
                high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
            key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
        }
        return counter;
    }

  private:
    static constexpr uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
    static constexpr uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

    std::array<uint32_t, 2> key_;
    uint64_t stream_;
};

}  // namespace npuscope::backend
