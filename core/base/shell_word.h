// Words of a command line that a reader copies into a shell.
#pragma once

#include <string>
#include <string_view>

namespace npuscope {

/// The text as one word: as it is where it holds nothing that a shell looks at, else in single
/// quotes, or as $'…' (bash, zsh and POSIX 2024) where it holds what printable() would change, so
/// that the word can be shown and still names the same bytes.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace npuscope
