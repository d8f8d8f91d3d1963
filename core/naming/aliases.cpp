#include "core/naming/aliases.h"

#include <algorithm>
#include <array>

namespace npuscope {

namespace {

constexpr auto kAliases = std::to_array<Alias>({
#define ALIAS(name, canonical, renames) {name, canonical, renames},
#include "core/naming/aliases.def"
#undef ALIAS
});

constexpr auto kUnrecorded = std::to_array<std::string_view>({
#define UNRECORDED(name) name,
#include "core/naming/unrecorded.def"
#undef UNRECORDED
});

}  // namespace

std::span<const Alias> all_aliases() {
    return kAliases;
}

const Alias* find_alias(std::string_view name) {
    const auto row = std::find_if(
        kAliases.begin(), kAliases.end(), [&](const Alias& a) { return a.name == name; });
    return row == kAliases.end() ? nullptr : &*row;
}

std::string_view canonical_name(std::string_view name) {
    const Alias* alias = find_alias(name);
    return alias == nullptr ? name : alias->canonical;
}

std::string_view canonical_argument(const Alias& alias, std::string_view argument) {
    std::string_view rest = alias.renames;
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find(','));
        const size_t equals = pair.find('=');
        if (pair.substr(0, equals) == argument) return pair.substr(equals + 1);
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    }
    return argument;
}

bool is_recorded(std::string_view ir_name) {
    return std::find(kUnrecorded.begin(), kUnrecorded.end(), ir_name) == kUnrecorded.end();
}

}  // namespace npuscope
