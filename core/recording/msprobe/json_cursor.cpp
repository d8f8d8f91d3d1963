#include "core/recording/msprobe/json_cursor.h"

#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/error.h"

namespace npuscope::msprobe {

namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// Brackets and quotes; anything else is passed over quickly.
constexpr std::array<bool, 256> kStructural = [] {
    std::array<bool, 256> table{};
    for (const char c : {'{', '}', '[', ']', '"'})
        table[static_cast<unsigned char>(c)] = true;
    return table;
}();

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// How many digits of a whole number that a double holds stand in front, alone; else 0.
size_t small_whole(std::string_view text) {
    constexpr size_t kMostDigits = 15;
    size_t digits = 0;
    while (digits < text.size() && digits <= kMostDigits && is_digit(text[digits]))
        ++digits;
    const char next = digits < text.size() ? text[digits] : '\0';
    return digits > kMostDigits || next == '.' || next == 'e' || next == 'E' ? 0 : digits;
}

void append_utf8(uint32_t code, std::string& text) {
    const auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xc0 | code >> 6);
        add(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        add(0xe0 | code >> 12);
        add(0x80 | (code >> 6 & 0x3f));
        add(0x80 | (code & 0x3f));
    } else {
        add(0xf0 | code >> 18);
        add(0x80 | (code >> 12 & 0x3f));
        add(0x80 | (code >> 6 & 0x3f));
        add(0x80 | (code & 0x3f));
    }
}

/// The four digits of \uXXXX at `at`; U+FFFD of anything else.
uint32_t code_at(std::string_view text, size_t at) {
    uint32_t code = 0;
    if (at + 4 > text.size()) return 0xfffd;
    const auto [end, failure] = std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
    return failure == std::errc() && end == text.data() + at + 4 ? code : 0xfffd;
}

/// Adds the character whose \u begins with four digits at `at`, and of a pair the other half; how
/// many characters of `written` that took.
size_t append_code(std::string_view written, size_t at, std::string& text) {
    uint32_t code = code_at(written, at);
    size_t taken = std::min<size_t>(4, written.size() - at);
    if (code >= 0xd800 && code < 0xdc00 && written.substr(at + taken).starts_with("\\u")) {
        const uint32_t low = code_at(written, at + taken + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            taken += 6;
        }
    }
    append_utf8(code >= 0xd800 && code < 0xe000 ? 0xfffd : code, text);
    return taken;
}

}  // namespace

void JsonCursor::damaged(std::string_view reason) const {
    throw Error(ErrorKind::kFormat,
                "its JSON is damaged at byte " + std::to_string(offset_ + at_) + ": " +
                    std::string(reason));
}

char JsonCursor::peek() {
    while (at_ < text_.size() && is_blank(text_[at_]))
        ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
}

void JsonCursor::enter(char bracket) {
    if (peek() != bracket) damaged(bracket == '{' ? "no object" : "no list");
    if (++depth_ > kDeepestValue) damaged("it is nested too deep");
    begun_[depth_] = false;
    ++at_;
}

bool JsonCursor::advance(char closing) {
    const char next = peek();
    if (next == closing) {
        ++at_;
        --depth_;
        return false;
    }
    if (next == '\0') damaged("it breaks off");
    if (std::exchange(begun_[depth_], true)) {
        if (next != ',') damaged("a comma is missing");
        ++at_;
    }
    return true;
}

bool JsonCursor::next_key(std::string_view& key) {
    if (!advance('}')) return false;
    key = string();
    if (peek() != ':') damaged("a colon is missing");
    ++at_;
    return true;
}

bool JsonCursor::next_item() {
    return advance(']');
}

void JsonCursor::skip_string() {
    ++at_;
    for (;;) {
        const auto* found =
            static_cast<const char*>(std::memchr(text_.data() + at_, '"', text_.size() - at_));
        if (found == nullptr) damaged("a text has no end");
        const auto quote = static_cast<size_t>(found - text_.data());
        // An odd number of backslashes before it makes the quote part of the text.
        size_t slashes = 0;
        while (quote - slashes > at_ && text_[quote - slashes - 1] == '\\')
            ++slashes;
        at_ = quote + 1;
        if (slashes % 2 == 0) return;
    }
}

std::string_view JsonCursor::string() {
    if (peek() != '"') damaged("no text");
    const size_t first = at_ + 1;
    skip_string();
    return text_.substr(first, at_ - 1 - first);
}

double JsonCursor::number() {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const char first = peek();
    const std::string_view rest = text_.substr(at_);
    const bool negative = first == '-';
    if (const size_t digits = small_whole(rest); digits != 0) {
        double value = 0;
        for (const char digit : rest.substr(0, digits))
            value = value * 10 + (digit - '0');
        at_ += digits;
        return value;
    }
    for (const auto& [word, value] :
         {std::pair(std::string_view("NaN"), std::numeric_limits<double>::quiet_NaN()),
          {"Infinity", kInf},
          {"-Infinity", -kInf}})
        if (rest.starts_with(word)) {
            at_ += word.size();
            return value;
        }
    const char digit = negative && rest.size() > 1 ? rest[1] : first;
    if (digit < '0' || digit > '9') damaged("no number");
    double value = 0;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (failure == std::errc::invalid_argument) damaged("no number");
    if (failure == std::errc::result_out_of_range) value = negative ? -kInf : kInf;
    at_ += static_cast<size_t>(end - rest.data());
    return value;
}

std::string_view JsonCursor::skip() {
    const char first = peek();
    const size_t begin = at_;
    if (first == '"') {
        skip_string();
        return text_.substr(begin, at_ - begin);
    }
    if (first != '{' && first != '[') {
        while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != ',' &&
               text_[at_] != '}' && text_[at_] != ']')
            ++at_;
        if (at_ == begin) damaged("a value is missing");
        return text_.substr(begin, at_ - begin);
    }
    size_t open = 0;
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (!kStructural[static_cast<unsigned char>(c)]) {
            ++at_;
        } else if (c == '"') {
            skip_string();
        } else if (c == '{' || c == '[') {
            if (depth_ + ++open > kDeepestValue) damaged("it is nested too deep");
            ++at_;
        } else {
            ++at_;
            if (--open == 0) return text_.substr(begin, at_ - begin);
        }
    }
    damaged("it breaks off");
}

void JsonCursor::require_end() {
    if (peek() != '\0' || at_ < text_.size()) damaged("something follows its end");
}

std::string unescaped(std::string_view written) {
    std::string text;
    for (size_t i = 0; i < written.size(); ++i) {
        if (written[i] != '\\' || i + 1 == written.size()) {
            text += written[i];
            continue;
        }
        const char c = written[++i];
        constexpr std::string_view kLetters = "bfnrt";
        constexpr std::string_view kBytes = "\b\f\n\r\t";
        if (const size_t letter = kLetters.find(c); letter != std::string_view::npos)
            text += kBytes[letter];
        else if (c == 'u')
            i += append_code(written, i + 1, text);
        else
            text += c;
    }
    return text;
}

}  // namespace npuscope::msprobe
