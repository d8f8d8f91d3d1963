#include "core/naming/in_place.h"

#include <algorithm>
#include <array>

namespace npuscope {

namespace {

constexpr auto kInPlace = std::to_array<std::string_view>({
#define IN_PLACE(name) name,
#include "core/naming/in_place.def"
#undef IN_PLACE
});

}  // namespace

bool calculates_in_place(std::string_view op) {
    return std::ranges::any_of(kInPlace, [&](std::string_view name) {
        return op.starts_with(name) && (op.size() == name.size() || op[name.size()] == '_');
    });
}

}  // namespace npuscope
