#include "core/h5/checksum.h"

#include <bit>
#include <cstring>

namespace npuscope::h5 {

namespace {

constexpr size_t kBlock = 12;

struct State {
    uint32_t a, b, c;

    void add(const std::byte* block) {
        uint32_t words[3];
        std::memcpy(words, block, sizeof words);
        a += words[0];
        b += words[1];
        c += words[2];
    }
    void mix() {
        a -= c, a ^= std::rotl(c, 4), c += b;
        b -= a, b ^= std::rotl(a, 6), a += c;
        c -= b, c ^= std::rotl(b, 8), b += a;
        a -= c, a ^= std::rotl(c, 16), c += b;
        b -= a, b ^= std::rotl(a, 19), a += c;
        c -= b, c ^= std::rotl(b, 4), b += a;
    }
    void finish() {
        c ^= b, c -= std::rotl(b, 14);
        a ^= c, a -= std::rotl(c, 11);
        b ^= a, b -= std::rotl(a, 25);
        c ^= b, c -= std::rotl(b, 16);
        a ^= c, a -= std::rotl(c, 4);
        b ^= a, b -= std::rotl(a, 14);
        c ^= b, c -= std::rotl(b, 24);
    }
};

}  // namespace

uint32_t checksum(std::span<const std::byte> bytes) {
    const uint32_t start = 0xdeadbeefU + static_cast<uint32_t>(bytes.size());
    State state{start, start, start};
    if (bytes.empty()) return state.c;
    const std::byte* at = bytes.data();
    size_t left = bytes.size();
    for (; left > kBlock; left -= kBlock, at += kBlock) {
        state.add(at);
        state.mix();
    }
    std::byte last[kBlock] = {};
    std::memcpy(last, at, left);
    state.add(last);
    state.finish();
    return state.c;
}

}  // namespace npuscope::h5
