#include "core/dumpfile/paths.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/printable.h"
#include "core/dumpfile/layout.h"
#include "core/naming/pattern.h"

namespace npuscope::dumpfile {

namespace {

constexpr size_t kMostSuggestions = 3;

/// Numbers by value and before names, names by their bytes.
bool in_order(const std::string& a, const std::string& b) {
    const auto x = parse_seqid(a);
    const auto y = parse_seqid(b);
    if (x && y && *x != *y) return *x < *y;
    if (x.has_value() != y.has_value()) return x.has_value();
    return a < b;
}

std::vector<std::string> ordered_children(const h5::Index& index, int32_t group) {
    std::vector<std::string> names;
    for (int32_t at = index[group].first_child; at >= 0; at = index[at].next_sibling)
        names.emplace_back(index[at].name);
    std::sort(names.begin(), names.end(), in_order);
    return names;
}

std::string joined(const std::string& group, const std::string& name) {
    return group == "/" ? "/" + name : group + "/" + name;
}

void collect(const h5::Index& index,
             const std::string& group,
             std::string_view rest,
             std::vector<std::string>& found) {
    const size_t slash = rest.find('/');
    const std::string_view pattern = rest.substr(0, slash);
    for (const std::string& name : ordered_children(index, index.find(group))) {
        if (!fits_pattern(name, pattern)) continue;
        const std::string path = joined(group, name);
        if (slash == std::string_view::npos)
            found.push_back(path);
        else
            collect(index, path, rest.substr(slash + 1), found);
    }
}

/// Fewest insertions, deletions and replacements that turn one text into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string normalised_path(std::string_view path) {
    std::string normal = "/";
    for (const char c : path)
        if (c != '/' || normal.back() != '/') normal += c;
    if (normal.size() > 1 && normal.back() == '/') normal.pop_back();
    return normal;
}

std::vector<std::string> matching_paths(const h5::Index& index, const std::string& pattern) {
    if (index.find(pattern) >= 0) return {pattern};
    std::vector<std::string> found;
    if (has_wildcard(pattern)) collect(index, "/", std::string_view(pattern).substr(1), found);
    return found;
}

std::string nearest_paths(const h5::Index& index, const std::string& path) {
    // The first component that is not there decides.
    std::string group = "/";
    std::string_view rest = std::string_view(path).substr(1);
    std::string component;
    while (!rest.empty()) {
        component = rest.substr(0, rest.find('/'));
        if (index.find(joined(group, component)) < 0) break;
        group = joined(group, component);
        rest.remove_prefix(std::min(rest.size(), component.size() + 1));
    }
    std::vector<std::pair<size_t, std::string>> ranked;
    const size_t most = std::max<size_t>(2, component.size() / 2);
    for (const std::string& name : ordered_children(index, index.find(group)))
        if (const size_t distance = edit_distance(component, name); distance <= most)
            ranked.emplace_back(distance, name);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    if (ranked.empty()) return {};
    ranked.resize(std::min(ranked.size(), kMostSuggestions));
    std::string text = "; the nearest are";
    if (ranked.size() == 1) text = "; the nearest is";
    for (size_t i = 0; i < ranked.size(); ++i) {
        if (i > 0) text += i + 1 == ranked.size() ? " and" : ",";
        text += " " + printable(joined(group, ranked[i].second));
    }
    return text;
}

}  // namespace npuscope::dumpfile
