#include "core/naming/moving_statistics.h"

#include <algorithm>
#include <array>

#include "core/naming/aliases.h"

namespace npuscope {

namespace {

constexpr auto kMoving = std::to_array<std::string_view>({
#define MOVES(op) op,
#include "core/naming/moving_statistics.def"
#undef MOVES
});

}  // namespace

bool moves_statistics(std::string_view op) {
    return std::ranges::find(kMoving, canonical_name(op)) != kMoving.end();
}

}  // namespace npuscope
