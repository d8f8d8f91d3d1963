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

}  // namespace npuscope::diagnose
