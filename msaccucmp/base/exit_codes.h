// Exit codes of msaccucmp, and the exception that carries one.
#pragma once

#include <string>

#include "core/base/error.h"

namespace npuscope::msaccucmp {

enum ExitCode : int {
    kOk = 0,
    kUnknownError = 1,
    kUsageError = 2,
    kNoDumpFile = 2,
    kInvalidPath = 3,
    kParseDumpFileError = 4,
    kInvalidParameter = 6,
    kOpenFileError = 7,
    kInvalidDumpData = 11,
    kIndexOutOfBounds = 12,
    kParseJsonError = 13,
    kDumpFileError = 18,
    kWriteFileError = 19,
    kInvalidDumpType = 20,
    kInvalidDataType = 21,
    kInvalidFormat = 22,
    kInvalidShape = 23,
    kInvalidType = 24,
    kInvalidConvertFunction = 26,
    kInvalidJsonFile = 29,
    kUnsupportedCompare = 30,
    kInvalidAlgorithm = 31,
    kDeleteFileError = 32,
    kInvalidNzDumpData = 34,
    kInvalidOverflowType = 35,
    kInvalidOverflowStatus = 36,
    kInvalidTaskType = 37,
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

/// A command line that argparse would refuse.
class UsageError : public CommandError {
  public:
    explicit UsageError(const std::string& message) : CommandError(kUsageError, message) {}
};

/// What the reference tool makes of an error that is not its own: of a DumpError by its problem.
[[nodiscard]] int exit_code_of(const Error& problem);

}  // namespace npuscope::msaccucmp
