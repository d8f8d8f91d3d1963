// The program msaccucmp as a function.
#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <string>

namespace npuscope::msaccucmp {

/// `arguments` without the program's name. Help goes to `out`, usage errors and the log to `err`.
/// `between_steps` is called between two pieces of a long work, from any thread; a table that is
/// not finished goes when it throws. Returns the exit code; throws nothing else.
int run(std::span<const std::string> arguments,
        std::ostream& out,
        std::ostream& err,
        std::function<void()> between_steps = {});

}  // namespace npuscope::msaccucmp
