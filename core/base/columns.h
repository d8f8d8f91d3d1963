// How wide text is on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace npuscope {

/// Columns that a text of UTF-8 takes: Chinese, Japanese and Korean letters two, marks that join
/// the letter before them none, sequences of colours none; bytes that are no UTF-8 one each.
/// Source: the C library's wcwidth() of the locale C.UTF-8.
[[nodiscard]] size_t width_of(std::string_view text);

/// The longest beginning of at most `columns` columns; a letter is whole or left out. Without
/// colours.
[[nodiscard]] std::string first_columns(std::string_view text, size_t columns);

}  // namespace npuscope
