#include "diagnose/judge/form_distance.h"

#include <algorithm>
#include <cmath>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

namespace {

/// Of the largest magnitude: smaller elements count as one of this, since terms that cancel leave
/// them errors of larger ones.
constexpr double kLeast = 0.1;

}  // namespace

FormDistance distance_to(const OpRun& form, const RecordedResult& result, Over over) {
    const Tensor* y = exact_result(form, result);
    if (y == nullptr || y->dtype() != DType::kFloat64) return {};
    const JudgedElements judged(result, y->as<double>());
    const Tensor wide = judged.recorded().cast(DType::kFloat64);
    const auto expected = judged.expected();
    double largest = 0;
    for (const double value : expected)
        if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    if (over == Over::kMagnitude && largest == 0) return {};
    double squares = 0;
    double fourths = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        const double size =
            over == Over::kNothing ? 1 : std::max(std::abs(expected[i]), kLeast * largest);
        const double square = std::pow((wide.as<double>()[i] - expected[i]) / size, 2);
        squares += square;
        fourths += square * square;
    }
    return {.rms = std::sqrt(squares / static_cast<double>(expected.size())),
            .elements = fourths > 0 ? squares * squares / fourths : 0};
}

double distance_to(const OpRun& form) {
    double largest = 0;
    for (const RecordedResult& result : form.results)
        if (is_float(result.elements.dtype()))
            largest = std::max(largest, distance_to(form, result, Over::kMagnitude).rms);
    return largest;
}

}  // namespace npuscope::diagnose
