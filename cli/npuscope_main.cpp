// npuscope COMMAND …
#include <csignal>

#include "cli/program.h"
#include "core/base/allocator.h"

int main(int argc, char** argv) {
    // A full disk or a closed pipe is an error code to report, not a signal to die of.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    npuscope::keep_freed_blocks();
    return npuscope::cli::run_program(argc, argv);
}
