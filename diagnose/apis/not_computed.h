// Why a record of a function is not computed again.
#pragma once

#include <string>

#include "core/base/error.h"

namespace npuscope::diagnose {

/// Throws Error(kUnsupported).
[[noreturn]] inline void not_computed(const std::string& why) {
    throw Error(ErrorKind::kUnsupported, why);
}

}  // namespace npuscope::diagnose
