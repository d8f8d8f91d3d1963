// Why one op or one tensor of a dump folder cannot be compared. The others go on.
#pragma once

#include <string>

#include "core/base/error.h"

namespace npuscope::msaccucmp {

/// The message goes into the row; `code` (exit_codes.h) may become the program's exit code.
class CompareFailure : public Error {
  public:
    CompareFailure(int code, const std::string& message)
        : Error(ErrorKind::kUnsupported, message), code_(code) {}
    [[nodiscard]] int code() const { return code_; }

  private:
    int code_;
};

}  // namespace npuscope::msaccucmp
