// Exit codes of msaccucmp, and the exception that carries one.
#pragma once

#include <string>

#include "core/base/error.h"

namespace npuscope::compare::msaccucmp {

enum ExitCode : int {
    kOk = 0,
    kUnknownError = 1,
    kUsageError = 2,
    kInvalidPath = 3,
    kParseDumpFileError = 4,
    kInvalidParameter = 6,
    kOpenFileError = 7,
    kInvalidDumpData = 11,
    kIndexOutOfBounds = 12,
    kWriteFileError = 19,
    kInvalidDataType = 21,
    kInvalidFormat = 22,
    kInvalidShape = 23,
    kInvalidConvertFunction = 26,
    kUnsupportedCompare = 30,
    kInvalidAlgorithm = 31,
    kInvalidOverflowType = 35,
    kInvalidOverflowStatus = 36,
    kNanoSizesDiffer = 39,
    kDataShapeMismatch = 40,
    kInvalidInputMapping = 42,
};

/// Ends the command with `code`. An empty message means that the reason was logged already.
class CommandError : public Error {
  public:
    CommandError(int code, const std::string& message)
        : Error(ErrorKind::kUsage, message), code_(code) {}
    [[nodiscard]] int code() const { return code_; }

  private:
    int code_;
};

}  // namespace npuscope::compare::msaccucmp
