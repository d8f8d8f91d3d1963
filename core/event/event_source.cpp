#include "core/event/event_source.h"

#include <algorithm>
#include <exception>

#include "core/base/error.h"

namespace npuscope {

void EventSource::attach(Observer& observer) {
    observers_.push_back(&observer);
}

void EventSource::detach(Observer& observer) noexcept {
    std::erase(observers_, &observer);
}

void EventSource::set_input_provider(InputProvider& provider) {
    if (provider_ != nullptr && provider_ != &provider)
        throw Error(ErrorKind::kUsage,
                    "this executor already loads inputs from another scope; close that one first");
    provider_ = &provider;
}

void EventSource::clear_input_provider(InputProvider& provider) noexcept {
    if (provider_ == &provider) provider_ = nullptr;
}

void EventSource::publish(const std::function<void(Observer&)>& call) {
    // By index: an observer may attach another one.
    for (size_t i = 0; i < observers_.size(); ++i) {
        try {
            call(*observers_[i]);
        } catch (const std::exception& failure) {
            count_error(failure.what());
        } catch (...) {
            count_error("an observer threw something that is no exception object");
        }
    }
}

void EventSource::provide_inputs(std::string_view op_name,
                                 NamedValues& inputs,
                                 const ComputedHere& computed_here,
                                 const OpSource& source) {
    if (provider_ == nullptr) return;
    try {
        provider_->stand_at(source);
        provider_->provide(op_name, inputs, computed_here);
    } catch (const std::exception& failure) {
        count_error(failure.what());
    }
}

void EventSource::count_error(const char* message) {
    if (observer_error_count_++ == 0) first_observer_error_ = message;
}

}  // namespace npuscope
