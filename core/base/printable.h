// Text from outside (file names, op names) made safe to print on one line of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace npuscope {

/// Control characters become \xNN, so that a hostile name cannot move the cursor or forge a line.
/// Bytes of UTF-8 sequences stay as they are.
std::string printable(std::string_view text);

}  // namespace npuscope
