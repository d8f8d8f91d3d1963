// The program msaccucmp as a function.
#pragma once

#include <ostream>
#include <span>
#include <string>

namespace npuscope::msaccucmp {

/// `arguments` without the program's name. Help goes to `out`, usage errors and the log to `err`.
/// Returns the exit code; throws nothing.
int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace npuscope::msaccucmp
