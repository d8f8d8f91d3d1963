// One recorded result against what its op makes of the same inputs in float64.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "compare/split.h"
#include "core/base/memory_block.h"
#include "core/tensor/tensor.h"
#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// The largest honest errors, by element; of none at all where it is empty.
using AllowedErrors = std::vector<double, KeptBlocksAllocator<double>>;

/// A recorded result beside what is expected of it; both are 0 where it is ignored. Borrows both.
class JudgedElements {
  public:
    JudgedElements(const RecordedResult& result, std::span<const double> expected);
    [[nodiscard]] const Tensor& recorded() const { return recorded_; }
    [[nodiscard]] std::span<const double> expected() const { return expected_; }

  private:
    Tensor recorded_;
    std::vector<double> changed_;  ///< of results that are ignored in part
    std::span<const double> expected_;
};

/// `expected` has the elements of `recorded` in their order; an element that leaves the range of
/// `results` (or of the recorded dtype) may be infinite or the largest finite number instead.
/// Only ratio, numel, over and overflowed are found; describe() fills the rest.
[[nodiscard]] compare::Introduced measure_error(const Tensor& recorded,
                                                std::span<const double> expected,
                                                const NumberFormat& results,
                                                std::span<const double> allowed);

/// The same of what is not ignored of a result.
[[nodiscard]] compare::Introduced measure_error(const RecordedResult& result,
                                                std::span<const double> expected,
                                                const NumberFormat& results,
                                                std::span<const double> allowed);

/// The elements over what is allowed, slope and lean.
void describe(const Tensor& recorded,
              std::span<const double> expected,
              std::span<const double> allowed,
              compare::Introduced& error);

/// The same of what is not ignored of a result.
void describe(const RecordedResult& result,
              std::span<const double> expected,
              std::span<const double> allowed,
              compare::Introduced& error);

/// The ratio of each result of `run` that `error` (ProductError, VectorError) judges by a class.
template <class Error, class Class>
[[nodiscard]] std::vector<double> ratios_by_result(const OpRun& run,
                                                   Error& error,
                                                   const Class& by) {
    std::vector<double> ratios;
    for (const RecordedResult& result : run.results)
        if (const auto found = error.judge(by, result, false)) ratios.push_back(found->ratio);
    return ratios;
}

/// The largest of them; empty where it judges none.
template <class Error, class Class>
[[nodiscard]] std::optional<double> worst_ratio(const OpRun& run, Error& error, const Class& by) {
    const std::vector<double> ratios = ratios_by_result(run, error, by);
    if (ratios.empty()) return std::nullopt;
    return *std::max_element(ratios.begin(), ratios.end());
}

}  // namespace npuscope::diagnose
