// JSON read in one pass, value by value, without a tree: large files that Python wrote.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace npuscope::msprobe {

/// Deeper nesting is refused, whoever reads recurses.
inline constexpr size_t kDeepestValue = 64;

/// Reads what stands at its place and moves behind it. NaN, Infinity and -Infinity, which Python's
/// json module writes, are numbers. What is skipped is checked for its brackets and quotes only.
/// Borrows the text. Errors: Error(kFormat) "its JSON is damaged at byte 12: …".
class JsonCursor {
  public:
    /// `offset` is where the text begins in its file, for messages.
    explicit JsonCursor(std::string_view text, size_t offset = 0) : text_(text), offset_(offset) {}

    /// The first character of the value that comes next; 0 at the end of the text.
    [[nodiscard]] char peek();

    void enter_object() { enter('{'); }
    /// The next key as it is written, without quotes, and the place behind its colon; false behind
    /// the last one, and the object is left.
    [[nodiscard]] bool next_key(std::string_view& key);

    void enter_array() { enter('['); }
    /// Moves to the next element; false behind the last one, and the array is left.
    [[nodiscard]] bool next_item();

    /// A string as it is written, without quotes; see unescaped().
    [[nodiscard]] std::string_view string();
    [[nodiscard]] double number();
    /// Any value, unread.
    std::string_view skip();
    /// Throws unless nothing but blanks is left.
    void require_end();
    /// In the text.
    [[nodiscard]] size_t place() const { return at_; }

  private:
    [[noreturn]] void damaged(std::string_view reason) const;
    void enter(char bracket);
    [[nodiscard]] bool advance(char closing);
    void skip_string();

    std::string_view text_;
    size_t offset_ = 0;
    size_t at_ = 0;
    size_t depth_ = 0;
    std::array<bool, kDeepestValue + 1> begun_{};  ///< by depth: behind the first element
};

/// What a string stands for: escapes become bytes of UTF-8.
[[nodiscard]] std::string unescaped(std::string_view written);

}  // namespace npuscope::msprobe
