// Text from outside made safe to stand in a page.
#pragma once

#include <string>

namespace npuscope::page {

/// Printable, with &, <, >, " and ' as entities.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace npuscope::page
