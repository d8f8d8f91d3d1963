#include "compare/dataflow/content_sums.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

uint64_t halves(uint64_t a, uint64_t b) {
    return (a % (uint64_t{1} << 32)) * (b % (uint64_t{1} << 32));
}

/// Of a value that float32 holds, as the header describes it.
uint64_t hash(float value) {
    const uint64_t spread = halves(std::bit_cast<uint32_t>(value) ^ 0x7f4a7c15U, 0x9e3779b1U);
    const uint64_t product = halves(spread ^ (spread >> 32), (spread >> 32) ^ 0x85ebca77U);
    return product ^ (product >> 29);
}

TEST(ContentSums, of_many_floats_at_once_are_those_of_one_after_the_other) {
    std::mt19937 random(1);
    for (const int64_t count : {0, 1, 3, 8, 17, 1000, 4099}) {
        std::vector<float> values;
        for (int64_t i = 0; i < count; ++i)
            values.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
        if (count > 5) {
            values[1] = std::numeric_limits<float>::quiet_NaN();
            values[2] = -0.0F;
            values[3] = std::numeric_limits<float>::infinity();
            values[4] = std::numeric_limits<float>::denorm_min();
        }
        const int64_t index = 77;
        const uint64_t reference = std::bit_cast<uint64_t>(1.5);
        uint64_t bag = 0;
        uint64_t sequence = 0;
        uint64_t differs = 0;
        int64_t nan = 0;
        for (int64_t i = 0; i < count; ++i) {
            const auto value = static_cast<double>(values[static_cast<size_t>(i)]);
            const uint64_t bits =
                std::isnan(value) ? 0x7ff8000000000000U : std::bit_cast<uint64_t>(value);
            nan += std::isnan(value) ? 1 : 0;
            const auto narrow = std::bit_cast<double>(bits);
            const uint64_t own = hash(static_cast<float>(narrow));
            const uint64_t both =
                own ^ (static_cast<uint64_t>(index + i) * 0x9e3779b97f4a7c15U + 0x85ebca77U);
            bag += own;
            sequence += halves(both, both >> 32);
            differs |= bits ^ reference;
        }
        // At an odd address as well: files do not align.
        std::vector<std::byte> bytes(values.size() * sizeof(float) + 1);
        if (count > 0) std::memcpy(bytes.data() + 1, values.data(), bytes.size() - 1);
        ContentSums sums;
        add_floats(bytes.data() + 1, count, index, reference, sums);
        EXPECT_EQ(sums.bag, bag) << count;
        EXPECT_EQ(sums.sequence, sequence) << count;
        EXPECT_EQ(sums.differs, differs) << count;
        EXPECT_EQ(sums.nan, nan) << count;
    }
}

TEST(ContentSums, tell_pairs_of_small_numbers_apart) {
    std::set<uint64_t> bags;
    std::set<uint64_t> sequences;
    size_t pairs = 0;
    for (int first = 0; first < 300; ++first)
        for (int second = 0; second < 300; ++second) {
            ContentSums sums;
            const std::vector<float> values = {static_cast<float>(first),
                                               static_cast<float>(second)};
            add_floats(values.data(), 2, 0, 0, sums);
            sequences.insert(sums.sequence);
            bags.insert(sums.bag);
            ++pairs;
        }
    EXPECT_EQ(sequences.size(), pairs);
    EXPECT_EQ(bags.size(), (pairs + 300) / 2);
}

TEST(ContentSums, of_doubles_are_of_all_their_bits) {
    const auto sums_of = [](double value) {
        ContentSums sums;
        sums.add(std::bit_cast<uint64_t>(value), 0, 0);
        return sums.bag;
    };
    EXPECT_EQ(sums_of(0.1F), hash(0.1F));
    EXPECT_NE(sums_of(0.1), sums_of(0.1F));
    EXPECT_NE(sums_of(0.1), sums_of(std::nextafter(0.1, 1.0)));
}

}  // namespace
}  // namespace npuscope::compare
