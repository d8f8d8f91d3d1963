// The one exception type: thrown when a command or call cannot go on.
#pragma once

#include <stdexcept>
#include <string>

namespace npuscope {

/// What went wrong, in the coarse terms that decide an exit code or a Python exception class.
enum class ErrorKind { kUsage, kIo, kFormat, kUnsupported, kInternal };

/// The message says what failed, on which file, tensor or option, and what the reader can do.
class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

    [[nodiscard]] ErrorKind kind() const { return kind_; }

    /// The same error with "context: " in front of its message; used while it rises.
    [[nodiscard]] Error with_context(const std::string& context) const {
        return {kind_, context + ": " + what()};
    }

  private:
    ErrorKind kind_;
};

}  // namespace npuscope
