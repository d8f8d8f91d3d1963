#include "core/dumpfile/content_hash.h"

#include <array>
#include <bit>
#include <cstring>

namespace npuscope::dumpfile {

namespace {

// Odd 64-bit constants with about half their bits set: from the digits of the golden ratio, sqrt 2,
// sqrt 3 and e.
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
constexpr uint64_t kSqrt2 = 0x6a09e667f3bcc909;
constexpr uint64_t kSqrt3 = 0xbb67ae8584caa73b;
constexpr uint64_t kEuler = 0xb7e151628aed2a6b;

constexpr size_t kHashLanes = 4;
constexpr size_t kStripe = kHashLanes * sizeof(uint64_t);

__extension__ using Wide = unsigned __int128;

uint64_t folded_product(uint64_t a, uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t scramble(uint64_t x) {
    x = (x ^ (x >> 32)) * kSqrt2;
    x = (x ^ (x >> 29)) * kGolden;
    return x ^ (x >> 32);
}

struct State {
    std::array<uint64_t, kHashLanes> lanes;
    std::array<uint64_t, 2> chains;

    void take(const std::byte* stripe) {
        std::array<uint64_t, kHashLanes> words;
        std::memcpy(words.data(), stripe, kStripe);
        for (size_t i = 0; i < kHashLanes; ++i)
            lanes[i] = std::rotl(lanes[i] + words[i] * kSqrt3, 31) * kGolden;
        chains[0] = folded_product(chains[0] ^ words[0] ^ kEuler, words[1] ^ kSqrt2) + words[0];
        chains[1] = folded_product(chains[1] ^ words[2] ^ kSqrt3, words[3] ^ kGolden) + words[2];
    }
};

}  // namespace

ContentHash content_hash(std::span<const std::byte> bytes, uint64_t seed) {
    State state{{seed + kGolden, seed ^ kSqrt2, seed - kSqrt3, seed + kEuler},
                {scramble(seed + kSqrt3), scramble(seed + kEuler)}};
    size_t at = 0;
    for (; at + kStripe <= bytes.size(); at += kStripe)
        state.take(bytes.data() + at);
    std::array<std::byte, kStripe> last{};
    if (at < bytes.size()) {
        std::memcpy(last.data(), bytes.data() + at, bytes.size() - at);
        state.take(last.data());
    }
    // The length tells a padded tail from real zeros.
    uint64_t first = bytes.size() * kEuler;
    for (const uint64_t lane : state.lanes)
        first = std::rotl(first ^ scramble(lane), 27) * kGolden + kSqrt2;
    uint64_t second = bytes.size() + kGolden;
    for (const uint64_t chain : state.chains)
        second = folded_product(second ^ scramble(chain), kSqrt3) + chain;
    return {scramble(first), scramble(second)};
}

}  // namespace npuscope::dumpfile
