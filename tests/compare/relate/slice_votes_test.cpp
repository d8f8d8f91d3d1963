#include "compare/relate/slice_votes.h"

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// Most tops that any slice of any form holds, each hit looked at.
size_t most_of_all(const std::vector<SliceForm>& forms,
                   const std::vector<int64_t>& tops,
                   const std::vector<Hit>& hits) {
    size_t most = 0;
    for (const SliceForm& form : forms) {
        std::map<int64_t, std::set<size_t>> votes;
        for (const Hit& hit : hits)
            for (int64_t position = 0; position < form.positions; ++position)
                if (place_in_source(form.at(position), tops[hit.top]) == hit.place)
                    votes[position].insert(hit.top);
        for (const auto& [position, held] : votes)
            most = std::max(most, held.size());
    }
    return most;
}

TEST(SliceVotes, go_to_the_slice_that_holds_most) {
    const std::vector<SliceForm> forms = slice_forms({6, 8}, {6, 4});
    const std::vector<int64_t> tops = {0, 5, 10, 15, 20, 23};
    std::mt19937 random(3);
    for (int draw = 0; draw < 50; ++draw) {
        std::vector<Hit> hits;
        for (size_t top = 0; top < tops.size(); ++top) {
            // Columns 2 to 5, of all but the first of them.
            if (top > 0) hits.push_back({top, tops[top] / 4 * 8 + 2 + tops[top] % 4});
            for (uint32_t other = random() % 4; other > 0; --other)
                hits.push_back({top, static_cast<int64_t>(random() % 48)});
        }
        SliceVotes votes(tops, hits, 3);
        for (const SliceForm& form : forms)
            votes.look_at(form);
        ASSERT_TRUE(votes.best());
        EXPECT_EQ(votes.most(), most_of_all(forms, tops, hits));
        EXPECT_GE(votes.most(), 5U);
    }
}

TEST(SliceVotes, go_to_none_where_too_few_agree) {
    const std::vector<SliceForm> forms = slice_forms({6, 8}, {6, 4});
    SliceVotes votes({0, 5, 10}, {{0, 0}, {1, 40}}, 3);
    for (const SliceForm& form : forms)
        votes.look_at(form);
    EXPECT_FALSE(votes.best());
    EXPECT_EQ(votes.distinct(), 2U);
}

}  // namespace
}  // namespace npuscope::compare
