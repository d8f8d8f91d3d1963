#include "core/naming/unread.h"

#include <algorithm>
#include <array>

#include "core/naming/unspecified.h"

namespace npuscope {

namespace {

constexpr auto kUnreading = std::to_array<std::string_view>({
#define UNREAD(name) name,
#include "core/naming/unread.def"
#undef UNREAD
});

}  // namespace

bool is_unread(std::string_view op, std::string_view argument) {
    if (argument == "out" || argument == "grad_input") return true;
    // It keeps there by what it multiplied, for the gradient.
    if (argument == "noise" && (op == "rrelu_with_noise" || op == "rrelu_with_noise_")) return true;
    if (is_unspecified(op, argument, false)) return true;
    const auto begins = [&](std::string_view name) { return op.starts_with(name); };
    return argument == "self" && std::ranges::any_of(kUnreading, begins);
}

}  // namespace npuscope
