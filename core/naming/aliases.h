// Other names that dumps carry for the same op. Source: docs/compatibility.md.
#pragma once

#include <span>
#include <string_view>

namespace npuscope {

/// One alias: `name` means `canonical`; `renames` is "old=new,old=new" for arguments and results.
struct Alias {
    std::string_view name;
    std::string_view canonical;
    std::string_view renames;
};

[[nodiscard]] std::span<const Alias> all_aliases();
/// nullptr when the name has no alias row.
[[nodiscard]] const Alias* find_alias(std::string_view name);
/// The canonical name, or the name itself.
[[nodiscard]] std::string_view canonical_name(std::string_view name);
/// The argument's name in the canonical op.
[[nodiscard]] std::string_view canonical_argument(const Alias& alias, std::string_view argument);
/// The name itself of an op without an alias row, where `alias` is nullptr.
[[nodiscard]] inline std::string_view canonical_argument(const Alias* alias,
                                                         std::string_view argument) {
    return alias == nullptr ? argument : canonical_argument(*alias, argument);
}

/// Whether ops of this IR name are numbered and dumped; false for those that only re-describe
/// storage.
[[nodiscard]] bool is_recorded(std::string_view ir_name);

}  // namespace npuscope
