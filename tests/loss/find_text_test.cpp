#include "loss/find_text.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace npuscope::loss {
namespace {

// Two letters make hits everywhere, also in the last bytes.
TEST(FindText, agrees_with_the_library_at_every_place) {
    std::mt19937 random(5);
    for (int round = 0; round < 20000; ++round) {
        std::string text(random() % 70, 'a');
        for (char& c : text)
            c = random() % 4 == 0 ? 'b' : 'a';
        std::string word(random() % 6, 'a');
        for (char& c : word)
            c = random() % 2 == 0 ? 'b' : 'a';
        const size_t from = random() % (text.size() + 2);
        ASSERT_EQ(find_text(text, word, from), std::string_view(text).find(word, from))
            << text << " " << word << " " << from;
    }
}

TEST(FindText, finds_nothing_in_nothing) {
    EXPECT_EQ(find_text("", "loss", 0), std::string_view::npos);
    EXPECT_EQ(find_text("los", "loss", 0), std::string_view::npos);
    EXPECT_EQ(find_text("loss", "loss", 0), 0U);
}

}  // namespace
}  // namespace npuscope::loss
