#include "core/base/shell_word.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/printable.h"

namespace npuscope {

namespace {

constexpr std::string_view kPlainMarks = "/._-+=:,@%";

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlainMarks.find(c) != std::string_view::npos;
}

std::string in_single_quotes(std::string_view text) {
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// $'a\012b': all but plain characters by three octal digits, behind which a digit stands for
/// itself.
std::string in_dollar_quotes(std::string_view text) {
    std::string word = "$'";
    for (const char c : text) {
        if (is_plain(c)) {
            word += c;
            continue;
        }
        std::array<char, 5> octal{};
        std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned char>(c));
        word += octal.data();
    }
    return word + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
    return printable(text) == text ? in_single_quotes(text) : in_dollar_quotes(text);
}

}  // namespace npuscope
