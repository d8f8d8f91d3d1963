#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"
#include "ir_tbe_map/acl_config.h"

namespace npuscope::ir_tbe_map {

namespace {

struct Token {
    std::string text;  ///< a string with its quotes, a bracket, comma or colon, or a bare word
    [[nodiscard]] bool opens() const { return text == "{" || text == "["; }
    [[nodiscard]] bool closes() const { return text == "}" || text == "]"; }
    [[nodiscard]] bool separates() const { return text == "," || text == ":"; }
    [[nodiscard]] bool value_ends() const { return !opens() && !separates(); }
};

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// End of the string that begins at `start`, one beyond its closing quote.
size_t string_end(const std::string& text, size_t start) {
    for (size_t i = start + 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return text.size();
}

/// `#…` and `//…` to the end of the line and `/*…*/` are left out.
std::vector<Token> tokens_of(const std::string& text) {
    std::vector<Token> tokens;
    size_t at = 0;
    const auto take = [&](size_t end) {
        tokens.push_back({text.substr(at, end - at)});
        at = end;
    };
    while (at < text.size()) {
        const char c = text[at];
        if (is_blank(c)) {
            ++at;
        } else if (c == '#' || text.compare(at, 2, "//") == 0) {
            at = std::min(text.find('\n', at), text.size());
        } else if (text.compare(at, 2, "/*") == 0) {
            const size_t end = text.find("*/", at + 2);
            at = end == std::string::npos ? text.size() : end + 2;
        } else if (c == '"') {
            take(string_end(text, at));
        } else if (std::string("{}[],:").find(c) != std::string::npos) {
            take(at + 1);
        } else {
            size_t end = at;
            while (end < text.size() && !is_blank(text[end]) &&
                   std::string("{}[],:\"#").find(text[end]) == std::string::npos)
                ++end;
            take(end);
        }
    }
    return tokens;
}

std::string joined(const std::vector<Token>& tokens) {
    std::string text;
    std::string missing;  // closing brackets
    for (size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        const bool last = i + 1 == tokens.size();
        if (token.opens()) missing.push_back(token.text == "{" ? '}' : ']');
        if (token.closes() && !missing.empty()) missing.pop_back();
        if (token.text == "," && (last || tokens[i + 1].closes())) continue;
        text += token.text;
        const bool value_follows = !last && !tokens[i + 1].closes() && !tokens[i + 1].separates();
        if (token.value_ends() && value_follows) text += ',';
    }
    return text + std::string(missing.rbegin(), missing.rend());
}

}  // namespace

std::string mended_json(const std::string& text) {
    const auto parsed = parse_json<nlohmann::ordered_json>(joined(tokens_of(text)));
    return parsed.is_object() ? parsed.dump() : std::string();
}

}  // namespace npuscope::ir_tbe_map
