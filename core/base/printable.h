// Text from outside (file names, op names) made safe to print on one line of a terminal.
#pragma once

#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>

namespace npuscope {

/// Control characters (C0, C1, ends of lines, marks of direction) and bytes that are no UTF-8
/// become \xNN, so that a hostile name cannot move the cursor, forge a line or turn one around.
std::string printable(std::string_view text);

/// 'text', printable; of more than 1000 bytes the beginning and their number.
std::string in_quotes(std::string_view text);
std::string in_quotes(const std::same_as<std::filesystem::path> auto& path) {
    return in_quotes(std::string_view(path.native()));
}

}  // namespace npuscope
