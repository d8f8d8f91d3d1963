#include "npu_backend/numerics/philox.h"

#include <gtest/gtest.h>

namespace npuscope::backend {
namespace {

using Words = std::array<uint32_t, 4>;

// The known answers that come with the authors' Random123 (kat_vectors, philox4x32 10).
TEST(Philox, gives_the_known_answers) {
    EXPECT_EQ(Philox::rounds({0, 0, 0, 0}, {0, 0}),
              (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr uint32_t kAll = 0xffffffff;
    EXPECT_EQ(Philox::rounds({kAll, kAll, kAll, kAll}, {kAll, kAll}),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(
        Philox::rounds({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
        (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, draws_words_in_order) {
    const Philox random(5, 9);
    EXPECT_EQ(random.word(6), random.block(1)[2]);
    EXPECT_GE(random.uniform(3), 0);
    EXPECT_LT(random.uniform(3), 1);
}

}  // namespace
}  // namespace npuscope::backend
