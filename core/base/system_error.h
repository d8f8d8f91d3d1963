// What the system refuses, as an Error.
#pragma once

#include <string>
#include <system_error>

#include "core/base/error.h"

namespace npuscope {

/// "what: No space left on device", say; `code` is errno's.
[[nodiscard]] inline Error system_error(const std::string& what, int code) {
    return {ErrorKind::kIo, what + ": " + std::generic_category().message(code)};
}

}  // namespace npuscope
