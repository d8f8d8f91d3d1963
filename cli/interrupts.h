// Ctrl-C and the like, for commands that have something to close.
#pragma once

namespace npuscope::cli {

/// While one lives, the first SIGINT, SIGTERM or SIGHUP is remembered, and the second one ends the
/// process at once, as each does without it. Ignored ones (nohup, a job in the background) stay
/// ignored. One at a time.
class Interrupts {
  public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    /// Throws Interrupted after a signal. Threads: any.
    static void check();
};

/// The remembered one, 0 while there is none.
[[nodiscard]] int interrupting_signal();
/// What a shell takes for the end by this signal.
[[nodiscard]] inline int exit_code_of(int number) {
    return 128 + number;
}
/// "SIGINT"
[[nodiscard]] const char* signal_name(int number);

}  // namespace npuscope::cli
