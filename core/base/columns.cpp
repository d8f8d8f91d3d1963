#include "core/base/columns.h"

#include <algorithm>
#include <clocale>
#include <cstdint>
#include <cwchar>

namespace npuscope {

namespace {

/// The C library's tables of letters, whatever the program's locale is.
class LettersOfUnicode {
  public:
    LettersOfUnicode() : table_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {}
    LettersOfUnicode(const LettersOfUnicode&) = delete;
    LettersOfUnicode& operator=(const LettersOfUnicode&) = delete;
    ~LettersOfUnicode() {
        if (table_ != nullptr) freelocale(table_);
    }

    /// Columns of a code point; 1 where nobody knows.
    [[nodiscard]] size_t columns(uint32_t letter) const {
        if (letter < 0x300 || table_ == nullptr) return 1;
        const locale_t before = uselocale(table_);
        const int width = wcwidth(static_cast<wchar_t>(letter));
        uselocale(before);
        return width < 0 ? 1 : static_cast<size_t>(width);
    }

  private:
    locale_t table_;
};

const LettersOfUnicode& letters() {
    static const LettersOfUnicode table;
    return table;
}

struct Letter {
    size_t bytes = 1;
    size_t columns = 1;
};

/// The letter that begins at `at`.
Letter letter_at(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    const size_t length = byte(at) < 0x80           ? 1
                          : (byte(at) >> 5) == 0x6  ? 2
                          : (byte(at) >> 4) == 0xe  ? 3
                          : (byte(at) >> 3) == 0x1e ? 4
                                                    : 1;
    if (length == 1 || at + length > text.size()) return {};
    uint32_t letter = byte(at) & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return {};
        letter = letter << 6 | (byte(at + i) & 0x3f);
    }
    return {length, letters().columns(letter)};
}

}  // namespace

size_t width_of(std::string_view text) {
    size_t width = 0;
    for (size_t at = 0; at < text.size();) {
        if (text[at] == '\x1b') {
            at = std::min(text.find('m', at), text.size() - 1) + 1;
            continue;
        }
        const Letter letter = letter_at(text, at);
        width += letter.columns;
        at += letter.bytes;
    }
    return width;
}

std::string first_columns(std::string_view text, size_t columns) {
    size_t width = 0;
    size_t at = 0;
    while (at < text.size()) {
        const Letter letter = letter_at(text, at);
        if (width + letter.columns > columns) break;
        width += letter.columns;
        at += letter.bytes;
    }
    return std::string(text.substr(0, at));
}

}  // namespace npuscope
