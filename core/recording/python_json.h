// JSON as Python's json module writes it: NaN, Infinity and -Infinity stand there as bare words.
#pragma once

#include <string>

namespace npuscope {

/// The text with these words, outside strings, turned into the strings "NaN", "Infinity" and
/// "-Infinity", which every JSON parser reads. Complexity: linear.
/// Source  Python's documentation of the module json, "Infinite and NaN Number Values".
[[nodiscard]] std::string with_quoted_numbers(std::string text);

}  // namespace npuscope
