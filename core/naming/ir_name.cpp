#include "core/naming/ir_name.h"

#include <algorithm>
#include <array>

namespace npuscope {

namespace {

constexpr auto kOverloads = std::to_array<std::string_view>({
#define OVERLOAD(name) name,
#include "core/naming/overloads.def"
#undef OVERLOAD
});

constexpr std::string_view kDefault = ".default";

/// Whether it began so, and does no more.
bool take(std::string_view& name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return false;
    name.remove_prefix(prefix.size());
    return true;
}

bool names_an_overload(std::string_view name) {
    const size_t dot = name.find('.');
    return dot != std::string_view::npos && dot > 0 &&
           std::ranges::find(kOverloads, name.substr(dot + 1)) != kOverloads.end();
}

}  // namespace

std::string ir_name(std::string_view name) {
    std::string_view rest = name;
    take(rest, "torch.ops.");
    const bool is_aten = take(rest, "aten::") || take(rest, "aten.");
    if (rest.ends_with(kDefault) && rest.find('.') == rest.size() - kDefault.size())
        return std::string(rest.substr(0, rest.size() - kDefault.size()));
    if (!is_aten && !names_an_overload(rest)) return std::string(name);
    std::string found(rest);
    std::ranges::replace(found, '.', '_');
    return found;
}

std::string_view without_overload(std::string_view ir_name) {
    // The longest one: "dim_IntList", not "IntList".
    for (size_t at = ir_name.find('_', 1); at != std::string_view::npos;
         at = ir_name.find('_', at + 1))
        if (std::ranges::find(kOverloads, ir_name.substr(at + 1)) != kOverloads.end())
            return ir_name.substr(0, at);
    return ir_name;
}

}  // namespace npuscope
