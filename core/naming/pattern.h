// Names chosen by wildcards.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether `name` fits `pattern`: * is any text, ? any one character.
[[nodiscard]] bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace npuscope
