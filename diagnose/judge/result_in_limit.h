// A result that is within its limit, with what it takes to look for a fault there that has a name.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "diagnose/judge/closeness.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// What honest arithmetic makes of the op here.
using RunsHere = std::function<std::vector<Results>(HonestRuns which)>;

/// Borrows what the run's errors hold.
struct ResultInLimit {
    const OpRun& run;
    HonestResult of;
    std::span<const double> exact;
    AllowedErrors limit;
    RunsHere runs_here;
};

/// Whether it is so, by what it is held to here.
[[nodiscard]] inline bool is_within(const ResultInLimit& result) {
    return measure_error(result.of.result, result.exact, result.of.results, result.limit).ratio <=
           1;
}

/// Its error, described, where its elements are held to `allowed`.
[[nodiscard]] inline compare::Introduced error_held_to(const ResultInLimit& result,
                                                       std::span<const double> allowed) {
    compare::Introduced error =
        measure_error(result.of.result, result.exact, result.of.results, allowed);
    describe(result.of.result, result.exact, allowed, error);
    return error;
}

}  // namespace npuscope::diagnose
