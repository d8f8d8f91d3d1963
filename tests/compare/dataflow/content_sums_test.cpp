#include "compare/dataflow/content_sums.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// The finalizer of SplitMix64 as Steele, Lea and Flood give it, after a fold of the high half.
uint64_t hash(uint64_t z) {
    z ^= z >> 32;
    z = z * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
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
            bag += hash(bits);
            sequence +=
                hash(bits) * (2 * static_cast<uint64_t>(index + i) * 0x9e3779b97f4a7c15U + 1);
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

}  // namespace
}  // namespace npuscope::compare
