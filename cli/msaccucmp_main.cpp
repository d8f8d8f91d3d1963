// msaccucmp: the reference tool's command line, and what npuscope's programs have beside it.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "cli/interrupts.h"
#include "core/base/interrupted.h"
#include "core/h5/trust.h"
#include "msaccucmp/msaccucmp.h"

int main(int argc, char** argv) {
    // A full disk or a closed pipe is an error code to report, not a signal to die of.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    std::vector<std::string> arguments(argv + 1, argv + argc);
    // No option of the reference tool, so no part of its help and its abbreviations.
    npuscope::h5::trust_files(std::erase(arguments, "--trust-files") != 0);
    const npuscope::cli::Interrupts interrupts;
    try {
        const int code = npuscope::msaccucmp::run(
            arguments, std::cout, std::cerr, npuscope::cli::Interrupts::check);
        const int signal = npuscope::cli::interrupting_signal();
        return signal == 0 ? code : npuscope::cli::exit_code_of(signal);
    } catch (const npuscope::Interrupted& stop) {
        std::fprintf(stderr,
                     "msaccucmp: stopped by %s; only files that were finished are kept\n",
                     stop.why.c_str());
        return npuscope::cli::exit_code_of(npuscope::cli::interrupting_signal());
    }
}
