#include "core/naming/padding_ops.h"

#include <algorithm>
#include <array>

#include "core/naming/aliases.h"

namespace npuscope {

bool may_pad(std::string_view op) {
    static constexpr auto kOps = std::to_array<std::string_view>({
#define PADDING_OP(name) name,
#include "core/naming/padding_ops.def"
#undef PADDING_OP
    });
    return std::ranges::find(kOps, canonical_name(op)) != kOps.end();
}

}  // namespace npuscope
