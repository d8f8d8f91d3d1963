#include "compare/align/name_prefix.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace npuscope::compare {

namespace {

constexpr std::string_view kSeparators = "./:";
/// Of a name: where the part may begin, and how long it may be.
constexpr size_t kLatestBegin = 4;
constexpr size_t kMostParts = 3;

std::string joined(std::vector<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) {
        if (!text.empty()) text += '.';
        text += part;
    }
    return text;
}

std::vector<std::string_view> parts_of(std::string_view name) {
    std::vector<std::string_view> parts;
    while (!name.empty()) {
        const size_t end = std::min(name.find_first_of(kSeparators), name.size());
        if (end > 0) parts.push_back(name.substr(0, end));
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return parts;
}

/// The first place of `part` among the parts of a name.
std::optional<size_t> find_part(const std::vector<std::string_view>& name,
                                const std::vector<std::string_view>& part) {
    const auto found = std::search(name.begin(), name.end(), part.begin(), part.end());
    if (part.empty() || found == name.end() || part.size() == name.size()) return std::nullopt;
    return static_cast<size_t>(found - name.begin());
}

std::string without(std::vector<std::string_view> name, size_t begin, size_t count) {
    const auto first = name.begin() + static_cast<ptrdiff_t>(begin);
    name.erase(first, first + static_cast<ptrdiff_t>(count));
    return joined(std::move(name));
}

struct Vote {
    std::string part{};
    size_t names = 0;
};

/// The part without which most of these names are others.
Vote best_part(const std::vector<std::string>& names, const std::vector<std::string>& others) {
    std::unordered_set<std::string> known;
    for (const std::string& other : others)
        known.insert(joined(parts_of(other)));
    std::map<std::string, size_t> votes;
    for (const std::string& name : names) {
        const std::vector<std::string_view> parts = parts_of(name);
        for (size_t begin = 0; begin < std::min(kLatestBegin, parts.size()); ++begin)
            for (size_t count = 1; count <= std::min(kMostParts, parts.size() - begin); ++count) {
                const auto first = parts.begin() + static_cast<ptrdiff_t>(begin);
                const std::vector part(first, first + static_cast<ptrdiff_t>(count));
                if (find_part(parts, part) == begin && known.contains(without(parts, begin, count)))
                    ++votes[joined(part)];
            }
    }
    const auto best =
        std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    return best == votes.end() ? Vote{} : Vote{best->first, best->second};
}

}  // namespace

std::string NamePrefix::without(const std::string& name) const {
    const std::vector<std::string_view> parts = parts_of(name);
    const std::vector<std::string_view> part = parts_of(text);
    const std::optional<size_t> begin = find_part(parts, part);
    return begin ? compare::without(parts, *begin, part.size()) : name;
}

std::string to_text(const NamePrefix& prefix) {
    return fmt::format("the {}'s names have \"{}\" more than the {}'s: ops are paired without it",
                       prefix.of_target ? "target" : "golden",
                       prefix.text,
                       prefix.of_target ? "golden" : "target");
}

std::optional<NamePrefix> find_name_prefix(const std::vector<std::string>& target,
                                           const std::vector<std::string>& golden) {
    std::optional<NamePrefix> found;
    size_t most = 1;
    for (const bool of_target : {true, false}) {
        const std::vector<std::string>& own = of_target ? target : golden;
        const Vote vote = best_part(own, of_target ? golden : target);
        if (vote.names <= most || 2 * vote.names <= own.size()) continue;
        most = vote.names;
        found = NamePrefix{.text = vote.part, .of_target = of_target};
    }
    return found;
}

}  // namespace npuscope::compare
