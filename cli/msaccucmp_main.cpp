// msaccucmp: the reference tool's command line.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "msaccucmp/msaccucmp.h"

int main(int argc, char** argv) {
    // A full disk or a closed pipe is an error code to report, not a signal to die of.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return npuscope::msaccucmp::run(arguments, std::cout, std::cerr);
}
