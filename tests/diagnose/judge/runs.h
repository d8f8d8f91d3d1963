// Recorded runs of one op, from tensors in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/result_in_limit.h"
#include "tests/support/values.h"

namespace npuscope::test {

inline diagnose::OpRun recorded_run(const std::string& op,
                                    NamedValues arguments,
                                    Tensor result,
                                    const std::string& name = "result") {
    diagnose::OpRun run{.op = backend::find_op(op),
                        .arguments = std::move(arguments),
                        .wide = {},
                        .results = {{name, name, std::move(result)}}};
    run.wide = diagnose::widened(run.arguments);
    return run;
}

/// With the first result that float32 gives here.
inline diagnose::OpRun run_here(const std::string& op, const NamedValues& arguments) {
    const auto results = diagnose::run(*backend::find_op(op), arguments, Device::reference32());
    return recorded_run(op, arguments, results.value().tensor(0));
}

inline std::vector<float> normal_numbers(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(count);
    std::ranges::generate(numbers, [&] { return normal(random); });
    return numbers;
}

/// With one element of the first result that is so many times what it was.
inline diagnose::OpRun with_element_times(diagnose::OpRun run, size_t element, float times) {
    run.results.front().elements.mutable_as<float>()[element] *= times;
    return run;
}

/// The run's first result, which may be off by `relative` of itself and by `absolute`. Borrows the
/// run.
inline diagnose::ResultInLimit in_limit(const diagnose::OpRun& run,
                                        const diagnose::NumberFormat& results,
                                        const diagnose::NumberFormat& steps,
                                        double relative,
                                        double absolute = 0) {
    const diagnose::RecordedResult& result = run.results.front();
    const auto exact = exact_result(run, result)->as<double>();
    diagnose::AllowedErrors limit;
    for (const double each : exact)
        limit.push_back(relative * std::abs(each) + absolute);
    return {.run = run,
            .of = {.result = result, .results = results, .steps = steps},
            .exact = exact,
            .limit = std::move(limit),
            .runs_here = [&run, steps](diagnose::HonestRuns which) {
                return diagnose::honest_runs(*run.op, run.wide, steps, which);
            }};
}

}  // namespace npuscope::test
