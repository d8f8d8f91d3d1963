// Lines of a text, as a terminal would have shown them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace npuscope::loss {

/// Longer lines are passed over: no program writes its step so.
inline constexpr size_t kLongestLine = 65536;

/// Gives the lines of a text that hold a word, quicker than reading all of them. Lines end with
/// \n, \r\n or \r (a progress bar redraws its line after \r).
class MarkedLines {
  public:
    /// marker "": every line.
    MarkedLines(std::string_view text, std::string_view marker) : text_(text), marker_(marker) {}

    /// False at the end. The line is valid until the next call.
    bool next(std::string_view& line);
    [[nodiscard]] size_t too_long() const { return too_long_; }
    /// Where the next search begins.
    [[nodiscard]] size_t offset() const { return offset_; }

  private:
    std::string_view text_;
    std::string_view marker_;
    size_t offset_ = 0;
    size_t too_long_ = 0;
};

/// The line without colours and other escape sequences; `buffer` holds it where there were any.
[[nodiscard]] std::string_view without_escapes(std::string_view line, std::string& buffer);

/// Takes the mark of a process off a line's front and gives its rank, or -1: "[rank3]:",
/// "[default3]:", "[1,3]<stdout>:", "3: ".
[[nodiscard]] int32_t take_rank(std::string_view& line);

}  // namespace npuscope::loss
