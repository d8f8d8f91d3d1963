#include "core/naming/in_place.h"

#include <algorithm>
#include <array>

#include "core/naming/api_names.h"
#include "core/naming/by_position.h"

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

bool writes_over(std::string_view op, std::string_view input, std::string_view output) {
    if (input != output) return false;
    const auto place = position_of_argument(input);
    if (!place) return true;
    const auto record = parse_api_record(op);
    if (!record || record->is_backward || *place != 0) return false;
    const std::string_view function = record->function();
    return without_in_place(function) != function || function.starts_with("__i");
}

}  // namespace npuscope
