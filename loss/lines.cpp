#include "loss/lines.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "loss/find_text.h"

namespace npuscope::loss {

namespace {

// The end of the line that begins at or before `from`; text.size() where none ends it.
size_t line_end(std::string_view text, size_t from) {
    const char* begin = text.data() + from;
    const void* feed = std::memchr(begin, '\n', text.size() - from);
    const size_t end = feed == nullptr
                           ? text.size()
                           : static_cast<size_t>(static_cast<const char*>(feed) - text.data());
    const void* back = std::memchr(begin, '\r', end - from);
    return back == nullptr ? end
                           : static_cast<size_t>(static_cast<const char*>(back) - text.data());
}

size_t line_begin(std::string_view text, size_t first, size_t from) {
    while (from > first && text[from - 1] != '\n' && text[from - 1] != '\r')
        --from;
    return from;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

bool MarkedLines::next(std::string_view& line) {
    while (offset_ < text_.size()) {
        size_t begin = offset_;
        if (!marker_.empty()) {
            const size_t place = find_text(text_, marker_, offset_);
            if (place == std::string_view::npos) {
                offset_ = text_.size();
                return false;
            }
            const size_t earliest = place > kLongestLine ? place - kLongestLine : 0;
            begin = line_begin(text_, std::max(offset_, earliest), place);
            offset_ = place;
        }
        const size_t end = line_end(text_, offset_);
        offset_ = std::min(end + 1, text_.size());
        if (end - begin > kLongestLine) {
            ++too_long_;
            continue;
        }
        line = text_.substr(begin, end - begin);
        return true;
    }
    return false;
}

std::string_view without_escapes(std::string_view line, std::string& buffer) {
    if (std::memchr(line.data(), '\x1b', line.size()) == nullptr) return line;
    buffer.clear();
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b') {
            buffer += line[i];
            continue;
        }
        if (i + 1 < line.size() && line[i + 1] == '[') {
            i += 2;
            while (i < line.size() && (line[i] < '@' || line[i] > '~'))
                ++i;
        }
    }
    return buffer;
}

int32_t take_rank(std::string_view& line) {
    std::string_view rest = line;
    const size_t first = rest.find_first_not_of(" \t");
    if (first == std::string_view::npos) return -1;
    rest.remove_prefix(first);
    std::string_view close;
    if (rest.starts_with("[rank")) {
        rest.remove_prefix(5);
        close = "]";
    } else if (rest.starts_with("[default")) {
        rest.remove_prefix(8);
        close = "]";
    } else if (rest.starts_with("[1,")) {
        rest.remove_prefix(3);
        close = "]<std";
    } else if (is_digit(rest.front())) {
        close = ": ";
    } else {
        return -1;
    }
    int32_t rank = -1;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
    if (failure != std::errc() || rank < 0) return -1;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (!rest.starts_with(close)) return -1;
    rest.remove_prefix(close.size());
    if (rest.starts_with("out>:") || rest.starts_with("err>:")) rest.remove_prefix(5);
    if (rest.starts_with(":")) rest.remove_prefix(1);
    line = rest;
    return rank;
}

}  // namespace npuscope::loss
