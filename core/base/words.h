// Words and numbers in a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope {

/// What stands between the separators: one field more than there are of them.
[[nodiscard]] std::vector<std::string> fields_of(std::string_view text, char separator);
/// Without blanks at both ends, those that Python's strip() takes.
[[nodiscard]] std::string trimmed(std::string_view text);

[[nodiscard]] bool is_digits(std::string_view text);
/// The whole text as a number without sign; nothing where it is none or too large.
[[nodiscard]] std::optional<int64_t> natural(std::string_view text);

}  // namespace npuscope
