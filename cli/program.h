// The program npuscope, from its command line to its exit code.
#pragma once

namespace npuscope::cli {

/// Errors become one line on stderr and the exit code 2; nothing is thrown.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace npuscope::cli
