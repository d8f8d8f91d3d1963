#include "core/recording/python_json.h"

#include <array>
#include <string_view>

namespace npuscope {

namespace {

constexpr std::array<std::string_view, 3> kWords = {"NaN", "Infinity", "-Infinity"};

/// The word that begins at `rest`, or "".
std::string_view word_at(std::string_view rest) {
    for (const std::string_view word : kWords)
        if (rest.starts_with(word)) return word;
    return {};
}

}  // namespace

std::string with_quoted_numbers(std::string text) {
    if (text.find("NaN") == std::string::npos && text.find("Infinity") == std::string::npos)
        return text;
    std::string quoted;
    quoted.reserve(text.size() + text.size() / 64);
    bool in_string = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in_string) {
            quoted += c;
            if (c == '\\' && at + 1 < text.size()) quoted += text[++at];
            if (c == '"') in_string = false;
            continue;
        }
        const std::string_view word = word_at(std::string_view(text).substr(at));
        if (word.empty()) {
            in_string = c == '"';
            quoted += c;
            continue;
        }
        quoted += '"';
        quoted += word;
        quoted += '"';
        at += word.size() - 1;
    }
    return quoted;
}

}  // namespace npuscope
