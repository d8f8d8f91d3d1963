#include "compare/align/sequence.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compare/align/band.h"

namespace npuscope::compare {

namespace {

/// Tables of at most so many cells, a byte each.
constexpr int64_t kMostCells = int64_t{48} << 20;
constexpr int64_t kFirstHalfWidth = 256;
constexpr int64_t kWidening = 4;

/// Points of likeness, by what is equal: with the place equal, not told, and another. Two ops that
/// changed their order cost two runs of one op; left crossed, both are elsewhere. A layer more
/// shifts the names of those behind it: equal shapes elsewhere count for more than others at one
/// place.
struct Likelihood {
    int same_place;
    int no_place;
    int elsewhere;
};
constexpr Likelihood kAlike = {28, 16, 8};
constexpr Likelihood kOneShape = {7, 3, 3};
constexpr Likelihood kOneRank = {5, 3, 2};
constexpr Likelihood kOneName = {3, 2, 1};
constexpr int kOneLine = 1;

const Likelihood& row_of(const OpTraits& target, const OpTraits& golden) {
    const bool inputs = target.inputs == golden.inputs;
    const bool output = target.output == golden.output;
    if (inputs && output) return kAlike;
    if (inputs || output) return kOneShape;
    return target.rank == golden.rank ? kOneRank : kOneName;
}

uint64_t key_of(const OpTraits& op) {
    const auto name = static_cast<uint64_t>(op.name);
    const auto place = static_cast<uint64_t>(op.place) + 1;
    return op.inputs ^ (op.output * 3) ^ (name * 0x9E3779B97F4A7C15u) ^
           (place * 0xD6E8FEB86659FD93u);
}

struct Range {
    size_t first;
    size_t last;  ///< one past
    [[nodiscard]] size_t size() const { return last - first; }
};

class Alignment {
  public:
    Alignment(std::span<const OpTraits> target, std::span<const OpTraits> golden)
        : target_(target), golden_(golden), partners_(target.size(), -1) {}

    void align(Range mine, Range theirs) {
        strip(mine, theirs);
        if (mine.size() == 0 || theirs.size() == 0) return;
        if (in_band(mine, theirs, false)) return;
        const std::vector<std::pair<size_t, size_t>> anchors = unique_on_both(mine, theirs);
        if (anchors.empty()) {
            in_band(mine, theirs, true);
            return;
        }
        Range before_mine = mine;
        Range before_theirs = theirs;
        for (const auto& [at, other] : anchors) {
            partners_[at] = static_cast<int32_t>(other);
            align({before_mine.first, at}, {before_theirs.first, other});
            before_mine.first = at + 1;
            before_theirs.first = other + 1;
        }
        align(before_mine, before_theirs);
    }

    std::vector<int32_t> partners() && { return std::move(partners_); }

  private:
    [[nodiscard]] bool is_sure(size_t mine, size_t theirs) const {
        const OpTraits& op = target_[mine];
        const OpTraits& other = golden_[theirs];
        return op.is_alike(other) && !op.is_elsewhere(other);
    }

    void strip(Range& mine, Range& theirs) {
        while (mine.size() > 0 && theirs.size() > 0 && is_sure(mine.first, theirs.first))
            partners_[mine.first++] = static_cast<int32_t>(theirs.first++);
        while (mine.size() > 0 && theirs.size() > 0 && is_sure(mine.last - 1, theirs.last - 1))
            partners_[--mine.last] = static_cast<int32_t>(--theirs.last);
    }

    /// Whether the band could be wide enough; `at_any_width`: as wide as it may be.
    bool in_band(Range mine, Range theirs, bool at_any_width) {
        const auto rows = static_cast<int64_t>(mine.size());
        const auto columns = static_cast<int64_t>(theirs.size());
        int64_t half_width = kFirstHalfWidth + std::abs(rows - columns);
        if (at_any_width)
            half_width = std::max(kMostCells / (2 * (rows + 1)), 2 * columns / rows + 2);
        for (;;) {
            if (!at_any_width && cells_of_band(rows, columns, half_width) > kMostCells)
                return false;
            const BandAlignment found = align_in_band(target_.subspan(mine.first, mine.size()),
                                                      golden_.subspan(theirs.first, theirs.size()),
                                                      half_width);
            if (at_any_width || 2 * half_width >= columns || 2 * found.farthest <= half_width) {
                for (size_t i = 0; i < found.partners.size(); ++i)
                    if (found.partners[i] >= 0)
                        partners_[mine.first + i] =
                            static_cast<int32_t>(theirs.first) + found.partners[i];
                return true;
            }
            half_width *= kWidening;
        }
    }

    /// What stands once on either side, the most of it that is in one order on both.
    [[nodiscard]] std::vector<std::pair<size_t, size_t>> unique_on_both(Range mine,
                                                                        Range theirs) const {
        struct Places {
            int mine = 0;
            int theirs = 0;
            size_t at = 0;
            size_t other = 0;
        };
        std::unordered_map<uint64_t, Places> keys;
        for (size_t i = mine.first; i < mine.last; ++i) {
            Places& places = keys[key_of(target_[i])];
            ++places.mine;
            places.at = i;
        }
        for (size_t i = theirs.first; i < theirs.last; ++i) {
            Places& places = keys[key_of(golden_[i])];
            ++places.theirs;
            places.other = i;
        }
        std::vector<std::pair<size_t, size_t>> pairs;
        for (const auto& [key, places] : keys)
            if (places.mine == 1 && places.theirs == 1) pairs.emplace_back(places.at, places.other);
        std::ranges::sort(pairs);
        return longest_ascending(pairs);
    }

    static std::vector<std::pair<size_t, size_t>> longest_ascending(
        const std::vector<std::pair<size_t, size_t>>& pairs) {
        std::vector<size_t> ends;  // by length, less one: the pair with the least end
        std::vector<size_t> before(pairs.size());
        for (size_t i = 0; i < pairs.size(); ++i) {
            const auto place = std::ranges::lower_bound(
                ends, pairs[i].second, {}, [&](size_t end) { return pairs[end].second; });
            before[i] = place == ends.begin() ? i : *(place - 1);
            if (place == ends.end()) {
                ends.push_back(i);
            } else {
                *place = i;
            }
        }
        std::vector<std::pair<size_t, size_t>> longest;
        if (ends.empty()) return longest;
        for (size_t i = ends.back();; i = before[i]) {
            longest.push_back(pairs[i]);
            if (before[i] == i) break;
        }
        std::ranges::reverse(longest);
        return longest;
    }

    std::span<const OpTraits> target_;
    std::span<const OpTraits> golden_;
    std::vector<int32_t> partners_;
};

}  // namespace

int likeness(const OpTraits& target, const OpTraits& golden) {
    if (target.name != golden.name) return 0;
    const Likelihood& row = row_of(target, golden);
    int points = row.no_place;
    if (target.place >= 0 && golden.place >= 0)
        points = target.place == golden.place ? row.same_place : row.elsewhere;
    return points + (target.line >= 0 && target.line == golden.line ? kOneLine : 0);
}

std::vector<int32_t> align_sequences(std::span<const OpTraits> target,
                                     std::span<const OpTraits> golden) {
    Alignment alignment(target, golden);
    alignment.align({0, target.size()}, {0, golden.size()});
    return std::move(alignment).partners();
}

}  // namespace npuscope::compare
