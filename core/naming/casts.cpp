#include "core/naming/casts.h"

#include <algorithm>
#include <array>

#include "core/naming/aliases.h"

namespace npuscope {

namespace {

constexpr auto kCopies = std::to_array<std::string_view>({
#define CAST(op) op,
#define ROOM(op)
#include "core/naming/casts.def"
#undef CAST
#undef ROOM
});
constexpr auto kRooms = std::to_array<std::string_view>({
#define CAST(op)
#define ROOM(op) op,
#include "core/naming/casts.def"
#undef CAST
#undef ROOM
});

}  // namespace

bool is_copy(std::string_view op) {
    return std::ranges::find(kCopies, op) != kCopies.end();
}

bool is_cast(std::string_view op) {
    return is_copy(op) || std::ranges::find(kRooms, op) != kRooms.end() || !is_recorded(op);
}

}  // namespace npuscope
