#include "core/naming/casts.h"

#include <algorithm>
#include <array>

#include "core/naming/aliases.h"

namespace npuscope {

namespace {

constexpr auto kCasts = std::to_array<std::string_view>({
#define CAST(op) op,
#include "core/naming/casts.def"
#undef CAST
});

}  // namespace

bool is_cast(std::string_view op) {
    return std::ranges::find(kCasts, op) != kCasts.end() || !is_recorded(op);
}

}  // namespace npuscope
