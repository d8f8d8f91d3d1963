// What every refusal of a foreign file must be.
#pragma once

#include <stdexcept>
#include <string>

#include "core/base/error.h"

namespace npuscope::test {

/// Throws std::logic_error unless the error is one line, and not one about the program itself.
inline void require_clear(const Error& error) {
    const std::string text = error.what();
    if (text.empty() || text.find('\n') != std::string::npos ||
        error.kind() == ErrorKind::kInternal)
        throw std::logic_error("no clear line: " + text);
}

}  // namespace npuscope::test
