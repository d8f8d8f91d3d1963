// Where all that is made of a result ends.
#pragma once

#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

namespace npuscope::compare {

enum class Way {
    kAgrees,  ///< what the op makes is the other side's again
    kGoesOn,  ///< to those that take in what it makes
    kSumsUp,  ///< the same; a sum of many terms is one step of a program, however many ops
    kEnds,    ///< nothing more is known
};

/// So many ops on what is known must end.
inline constexpr int kDeepestWay = 6;

/// Whether all ways from the ops of `open` on agree within a few ops. `users_of` gives those that
/// take in what an op makes, `way_through` a Way. Complexity: kMostOps calls.
template <class Op, class UsersOf, class WayThrough>
[[nodiscard]] bool do_ways_agree(std::vector<Op> open,
                                 UsersOf&& users_of,
                                 WayThrough&& way_through) {
    constexpr size_t kMostOps = 256;
    if (open.empty()) return false;
    std::unordered_set<Op> seen(open.begin(), open.end());
    for (int depth = 0; depth < kDeepestWay && !open.empty(); ++depth) {
        std::vector<Op> next;
        for (size_t i = 0; i < open.size(); ++i) {
            const Op op = open[i];
            const Way way = way_through(op);
            if (way == Way::kAgrees) continue;
            const auto users = users_of(op);
            if (way == Way::kEnds || users.empty() || seen.size() > kMostOps) return false;
            for (const Op& user : users)
                if (seen.insert(user).second) (way == Way::kSumsUp ? open : next).push_back(user);
        }
        open = std::move(next);
    }
    return open.empty();
}

/// Whether some way does, wherever the others end.
template <class Op, class UsersOf, class WayThrough>
[[nodiscard]] bool does_a_way_agree(std::vector<Op> open,
                                    UsersOf&& users_of,
                                    WayThrough&& way_through) {
    std::unordered_set<Op> seen(open.begin(), open.end());
    for (int depth = 0; depth < kDeepestWay && !open.empty(); ++depth) {
        std::vector<Op> next;
        for (const Op op : open) {
            const Way way = way_through(op);
            if (way == Way::kAgrees) return true;
            if (way == Way::kEnds) continue;
            for (const Op& user : users_of(op))
                if (seen.insert(user).second) next.push_back(user);
        }
        open = std::move(next);
    }
    return false;
}

}  // namespace npuscope::compare
