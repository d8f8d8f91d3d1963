#include "core/naming/chosen_sizes.h"

#include <algorithm>
#include <array>

#include "core/naming/aliases.h"

namespace npuscope {

namespace {

constexpr auto kChoosing = std::to_array<std::string_view>({
#define CHOOSES(op) op,
#include "core/naming/chosen_sizes.def"
#undef CHOOSES
});

}  // namespace

bool chooses_size(std::string_view op) {
    return std::ranges::find(kChoosing, canonical_name(op)) != kChoosing.end();
}

}  // namespace npuscope
