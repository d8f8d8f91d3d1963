// Text inside XML.
#pragma once

#include <string>

namespace npuscope::compare {

/// For an attribute or an element: < > & " are escaped, line ends of attributes too; what XML 1.0
/// cannot hold, and bytes that are no UTF-8, become U+FFFD.
[[nodiscard]] std::string xml_text(const std::string& text);

}  // namespace npuscope::compare
