#include "cli/interrupts.h"

#include <array>
#include <atomic>
#include <csignal>
#include <string>

#include "core/base/interrupted.h"

namespace npuscope::cli {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// A signal handler takes no argument of ours.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> remembered{0};
static_assert(std::atomic<int>::is_always_lock_free);

void restore(int number) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
}

void remember(int number) {
    int none = 0;
    if (remembered.compare_exchange_strong(none, number)) return;
    restore(number);
    // It comes when this handler has returned.
    ::raise(number);
}

}  // namespace

Interrupts::Interrupts() {
    for (const int number : kSignals) {
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
        action = {};
        action.sa_handler = remember;
        action.sa_flags = SA_RESTART;
        ::sigemptyset(&action.sa_mask);
        ::sigaction(number, &action, nullptr);
    }
}

Interrupts::~Interrupts() {
    for (const int number : kSignals) {
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == remember)
            restore(number);
    }
}

void Interrupts::check() {
    // NOLINTNEXTLINE(hicpp-exception-baseclass): no handler of errors may keep it
    if (const int number = remembered) throw Interrupted{signal_name(number)};
}

int interrupting_signal() {
    return remembered;
}

const char* signal_name(int number) {
    if (number == SIGINT) return "SIGINT";
    return number == SIGTERM ? "SIGTERM" : "SIGHUP";
}

}  // namespace npuscope::cli
