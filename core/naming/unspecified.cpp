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
    while (!names.empty()) {
        if (names.substr(0, names.find(',')) == name) return true;
        names.remove_prefix(std::min(
            names.size(),
            names.find(',') == std::string_view::npos ? names.size() : names.find(',') + 1));
    }
    return false;
}

}  // namespace

bool is_unspecified(std::string_view op, std::string_view argument, bool is_output) {
    const auto* const row = std::ranges::find(kUnspecified, op, &Unspecified::op);
    if (row == kUnspecified.end()) return false;
    return row->arguments == "*" ? is_output : lists(row->arguments, argument);
}

}  // namespace npuscope
