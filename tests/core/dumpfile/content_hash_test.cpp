#include "core/dumpfile/content_hash.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::dumpfile {
namespace {

std::vector<std::byte> random_bytes(size_t count, uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::vector<std::byte> bytes(count);
    for (std::byte& b : bytes)
        b = static_cast<std::byte>(generator());
    return bytes;
}

TEST(ContentHash, depends_on_every_bit_in_both_halves) {
    std::vector<std::byte> bytes = random_bytes(100, 1);
    const ContentHash whole = content_hash(bytes);
    for (size_t i = 0; i < bytes.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            bytes[i] ^= std::byte{1} << bit;
            const ContentHash changed = content_hash(bytes);
            EXPECT_NE(changed.first, whole.first) << i;
            EXPECT_NE(changed.second, whole.second) << i;
            bytes[i] ^= std::byte{1} << bit;
        }
    }
    EXPECT_EQ(content_hash(bytes), whole);
}

TEST(ContentHash, tells_lengths_of_zeros_and_seeds_apart) {
    const std::vector<std::byte> zeros(200);
    std::set<uint64_t> first;
    std::set<uint64_t> second;
    for (size_t length = 0; length <= zeros.size(); ++length) {
        const ContentHash hash = content_hash({zeros.data(), length});
        first.insert(hash.first);
        second.insert(hash.second);
    }
    EXPECT_EQ(first.size(), 201U);
    EXPECT_EQ(second.size(), 201U);
    EXPECT_NE(content_hash(zeros, 1), content_hash(zeros, 2));
}

TEST(ContentHash, exchanged_words_and_stripes_differ) {
    const std::vector<std::byte> bytes = random_bytes(256, 2);
    const ContentHash whole = content_hash(bytes);
    for (size_t a = 0; a < 256; a += 8) {
        for (size_t b = a + 8; b < 256; b += 8) {
            auto swapped = bytes;
            std::swap_ranges(swapped.begin() + static_cast<std::ptrdiff_t>(a),
                             swapped.begin() + static_cast<std::ptrdiff_t>(a) + 8,
                             swapped.begin() + static_cast<std::ptrdiff_t>(b));
            const ContentHash other = content_hash(swapped);
            EXPECT_NE(other.first, whole.first);
            EXPECT_NE(other.second, whole.second);
        }
    }
}

TEST(ContentHash, half_of_the_bits_change_on_average) {
    std::vector<std::byte> bytes = random_bytes(64, 3);
    const ContentHash whole = content_hash(bytes);
    int first = 0;
    int second = 0;
    for (size_t i = 0; i < 512; ++i) {
        bytes[i / 8] ^= std::byte{1} << (i % 8);
        const ContentHash other = content_hash(bytes);
        first += __builtin_popcountll(other.first ^ whole.first);
        second += __builtin_popcountll(other.second ^ whole.second);
        bytes[i / 8] ^= std::byte{1} << (i % 8);
    }
    EXPECT_NEAR(first / 512.0, 32, 1);
    EXPECT_NEAR(second / 512.0, 32, 1);
}

}  // namespace
}  // namespace npuscope::dumpfile
