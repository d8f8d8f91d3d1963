#include "core/naming/unspecified.h"

#include <algorithm>
#include <array>

namespace npuscope {

namespace {

struct Unspecified {
    std::string_view op;
    std::string_view arguments;
};

constexpr auto kUnspecified = std::to_array<Unspecified>({
#define UNSPECIFIED(op, arguments) {op, arguments},
#include "core/naming/unspecified.def"
#undef UNSPECIFIED
});

bool lists(std::string_view names, std::string_view name) {
    while (true) {
        const size_t comma = names.find(',');
        if (names.substr(0, comma) == name) return true;
        if (comma == std::string_view::npos) return false;
        names.remove_prefix(comma + 1);
    }
}

}  // namespace

bool is_unspecified(std::string_view op, std::string_view argument, bool is_output) {
    const auto* const row = std::ranges::find(kUnspecified, op, &Unspecified::op);
    if (row == kUnspecified.end()) return false;
    return row->arguments == "*" ? is_output : lists(row->arguments, argument);
}

}  // namespace npuscope
