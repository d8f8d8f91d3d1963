#include "diagnose/judge/gather.h"

#include <string>

#include <gtest/gtest.h>

namespace npuscope::diagnose {
namespace {

/// Letters at the places 2, 0 and 2, in pieces of `size`.
std::string gathered(size_t size) {
    const std::string letters = "abcdefghijklmnopqrstuvwxyz";
    std::string found(3 * size, ' ');
    auto* begin = reinterpret_cast<std::byte*>(found.data());
    const auto* from = reinterpret_cast<const std::byte*>(letters.data());
    EXPECT_EQ(gather(from, {2, 0, 2}, size, begin), begin + found.size());
    return found;
}

TEST(Gather, puts_pieces_of_any_size_one_behind_the_other) {
    EXPECT_EQ(gathered(1), "cac");
    EXPECT_EQ(gathered(2), "efabef");
    EXPECT_EQ(gathered(3), "ghiabcghi");
    EXPECT_EQ(gathered(4), "ijklabcdijkl");
    EXPECT_EQ(gathered(8), "qrstuvwxabcdefghqrstuvwx");
}

}  // namespace
}  // namespace npuscope::diagnose
