// Text from outside made safe to stand in HTML, SVG or XML.
#pragma once

#include <string>
#include <string_view>

namespace npuscope {

/// The entity of &, <, > and "; "" for any other character: what we write has no attribute in '.
[[nodiscard]] std::string_view entity(char character);

/// Printable, with entities.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace npuscope
