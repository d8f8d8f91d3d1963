#include "core/tensor/op_budget.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/tensor/tensor.h"

namespace npuscope {

namespace {

constexpr int64_t kLeast = int64_t{1} << 24;
/// The most that follows from what was given alone: more than that is asked for by name.
constexpr int64_t kMost = int64_t{1} << 30;
constexpr int64_t kForEachGiven = 64;
constexpr int64_t kStepsForEach = int64_t{1} << 12;
/// A tensor of few elements takes time as well.
constexpr int64_t kStepsOfTensor = int64_t{1} << 14;

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a scope's innermost one
thread_local OpBudget* innermost = nullptr;

int64_t product(int64_t a, int64_t b) {
    int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

std::string advice(const OpLimits& limits) {
    return limits.settable ? "; allow more elements if that is meant" : "";
}

}  // namespace

OpLimits OpLimits::for_given(int64_t elements) {
    const int64_t wanted = std::clamp(product(elements, kForEachGiven), kLeast, kMost);
    return of_elements(std::max(wanted, elements));
}

OpLimits OpLimits::of_elements(int64_t elements) {
    return {.elements = elements, .steps = product(elements, kStepsForEach)};
}

OpBudget::OpBudget(const OpLimits& limits) : limits_(limits), outer_(innermost) {
    innermost = this;
}

OpBudget::~OpBudget() {
    innermost = outer_;
}

void OpBudget::take_tensor(std::span<const int64_t> shape, int64_t numel) {
    if (innermost == nullptr) return;
    if (numel > innermost->limits_.elements)
        throw Error(ErrorKind::kUnsupported,
                    "a tensor of shape " + to_string(shape) + " has " + std::to_string(numel) +
                        " elements, and one op may make " +
                        std::to_string(innermost->limits_.elements) + " of them" +
                        advice(innermost->limits_));
    take_steps({numel});
    take_steps({kStepsOfTensor});
}

void OpBudget::take_steps(std::initializer_list<int64_t> factors) {
    if (innermost == nullptr) return;
    int64_t steps = 1;
    for (const int64_t factor : factors) {
        if (factor == 0) return;
        steps = product(steps, factor);
    }
    OpBudget& budget = *innermost;
    if (steps > budget.limits_.steps - budget.taken_)
        throw Error(ErrorKind::kUnsupported,
                    "it takes more than " + std::to_string(budget.limits_.steps) +
                        " steps (multiply-adds and the like), the limit of one op" +
                        advice(budget.limits_));
    budget.taken_ += steps;
}

}  // namespace npuscope
