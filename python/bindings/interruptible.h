// Long work that Ctrl-C can end.
#pragma once

#include <atomic>
#include <chrono>
#include <future>

#include <pybind11/pybind11.h>

namespace npuscope::python {

/// Thrown by work that was asked to stop.
struct Stopped {};

/// Asked between the pieces of a long work.
class StopRequest {
  public:
    void request() { wanted_ = true; }
    /// Throws Stopped when the user asked for it.
    void check() const {
        // NOLINTNEXTLINE(hicpp-exception-baseclass): no handler of errors may keep it
        if (wanted_) throw Stopped{};
    }

  private:
    std::atomic<bool> wanted_ = false;
};

/// Runs `work(stop)` on a thread of its own, without Python's lock, while this one looks for
/// signals; what a signal raised (KeyboardInterrupt) rises once the work has ended.
/// Called with Python's lock. Errors: what the work throws.
template <class Work>
auto interruptible(Work&& work) {
    constexpr auto kPatience = std::chrono::milliseconds(50);
    StopRequest stop;
    const pybind11::gil_scoped_release released;
    auto done = std::async(std::launch::async, [&] { return work(stop); });
    while (done.wait_for(kPatience) != std::future_status::ready) {
        const pybind11::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() == 0) continue;
        const pybind11::error_already_set raised;
        {
            const pybind11::gil_scoped_release again;
            stop.request();
            done.wait();
        }
        // NOLINTNEXTLINE(misc-throw-by-value-catch-by-reference): it was raised before the wait
        throw raised;
    }
    return done.get();
}

}  // namespace npuscope::python
