// Where observers attach: the base of every executor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/event/observer.h"

namespace npuscope {

/// Keeps its observers in attach order and calls each; what one throws is counted, the first
/// message kept. Threads: attach, detach and publish from the executor's thread.
class EventSource {
  public:
    EventSource() = default;
    EventSource(const EventSource&) = delete;
    EventSource& operator=(const EventSource&) = delete;
    virtual ~EventSource() = default;

    /// Borrowed until detach().
    void attach(Observer& observer);
    void detach(Observer& observer) noexcept;
    /// Errors: Error(kUsage) when another provider is set.
    void set_input_provider(InputProvider& provider);
    void clear_input_provider(InputProvider& provider) noexcept;

    [[nodiscard]] int64_t observer_error_count() const { return observer_error_count_; }
    [[nodiscard]] const std::string& first_observer_error() const { return first_observer_error_; }

    /// DeviceType of a dump: 0 CPU, 1 CUDA, 10 NPU.
    [[nodiscard]] virtual int device_code() const = 0;
    /// Facts for a dump's root attributes: {"chip": "910A", "options": "…"}.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> run_facts() const = 0;

  protected:
    [[nodiscard]] bool has_observers() const { return !observers_.empty(); }
    void publish(const std::function<void(Observer&)>& call);
    [[nodiscard]] bool has_provider() const { return provider_ != nullptr; }
    void provide_inputs(std::string_view op_name,
                        NamedValues& inputs,
                        const ComputedHere& computed_here = {},
                        const OpSource& source = {});

  private:
    void count_error(const char* message);

    std::vector<Observer*> observers_;
    InputProvider* provider_ = nullptr;
    int64_t observer_error_count_ = 0;
    std::string first_observer_error_;
};

}  // namespace npuscope
