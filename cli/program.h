// What the program npuscope does with its arguments.
#pragma once

namespace npuscope::cli {

/// Runs the command that they name and returns its exit code; all errors are told on stderr.
/// Threads: one at a time.
int run_program(int argc, char** argv);

}  // namespace npuscope::cli
