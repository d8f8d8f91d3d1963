// What honest arithmetic makes of an op that is no product.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/closeness.h"
#include "diagnose/judge/disturbed_runs.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/part_of_run.h"
#include "diagnose/judge/result_error.h"
#include "diagnose/judge/result_in_limit.h"

namespace npuscope::diagnose {

/// Each result is rounded once: a sum, a product or a choice of elements.
[[nodiscard]] bool is_rounded_once(const backend::Op& op);
/// Results in 16 bits of an op whose steps some libraries round to them, and others do not: they
/// tell nothing of other ops.
[[nodiscard]] bool may_take_narrow_steps(const OpRun& run);

/// Holds one run's results against the classes. With u the unit of the steps, an element may be off
/// by a few u |y|; where that does not do, also by what disturbing the inputs by u makes of it
/// (conditioning), and by what float32 steps here make of it, scaled to u (cancellation inside the
/// op). Neither of one rounding in float32: what was recorded is what it took in, and nothing
/// cancels after it. What is estimated of a large run is estimated from a part of it. Integer
/// results must be equal. Borrows the run. Threads: one.
class VectorError {
  public:
    explicit VectorError(const OpRun& run) : run_(run), disturbed_(run) {}

    /// `tight` with a share below 1: only that share of the bound with conditioning is allowed, but
    /// an ulp of the result always.
    [[nodiscard]] std::optional<compare::Introduced> judge(const VectorClass& by,
                                                           const RecordedResult& result,
                                                           bool details,
                                                           const Tightness& tight = {});
    /// Of results in 16 bits of ops that are known to be computed in steps of 16 bits where others
    /// are not: the class whose steps are in that format. nullptr of others.
    [[nodiscard]] const VectorClass* class_in_parts(const VectorClass& by,
                                                    const RecordedResult& result);
    /// The largest ratio over the results.
    [[nodiscard]] std::optional<double> ratio(const VectorClass& by) {
        return worst_ratio(run_, *this, by);
    }
    /// Empty for integers, and where nothing is computed here by the class.
    /// No more is computed than shows times() to be `enough` or less.
    [[nodiscard]] std::optional<Closeness> closeness(const VectorClass& by,
                                                     const RecordedResult& result,
                                                     HonestRuns which,
                                                     double enough);
    /// Empty for integers.
    [[nodiscard]] std::optional<ResultInLimit> in_limit(const VectorClass& by,
                                                        const RecordedResult& result);
    /// Of a large run that of a part.
    [[nodiscard]] std::optional<ResultInLimit> part_in_limit(const VectorClass& by,
                                                             const RecordedResult& result);
    /// As times_by_size beside the float32 reference; infinity where that computes no such result.
    [[nodiscard]] double times_at_first_sight(const VectorClass& by, const RecordedResult& result);
    /// How far off, by the class, the emulated chips are on the recorded arguments; 0 where the
    /// result is not recorded in 16 bits. Some chips' ops of such dtypes compute in fewer bits than
    /// others do.
    [[nodiscard]] double chips_ratio(const VectorClass& by, const RecordedResult& result);

  private:
    /// As honest_runs() of the run; kept.
    [[nodiscard]] const std::vector<Results>& honest(const VectorClass& by, HonestRuns which);
    /// It rounds once, and nothing before that.
    [[nodiscard]] bool is_one_rounding(const VectorClass& by) const;
    /// As closeness(), of what honest runs here are off by, whose shares are added.
    [[nodiscard]] double closeness_here(const VectorClass& by,
                                        const RecordedResult& result,
                                        HonestRuns which,
                                        std::vector<Shares>& shares_of_runs);
    /// Of a large run: a part with the elements that are furthest off; nullptr without one.
    [[nodiscard]] VectorError* part();
    /// The part's result of that name; nullptr without one.
    [[nodiscard]] const RecordedResult* part_result(const RecordedResult& result);
    /// Of elementwise runs: what steps err by at most, over |y| + conditioning.
    [[nodiscard]] double worst_steps(const VectorClass& by, const RecordedResult& result);
    /// Integers and bools, element by element.
    [[nodiscard]] compare::Introduced judge_whole(const VectorClass& by,
                                                  const RecordedResult& result,
                                                  const Tensor& exact,
                                                  bool details) const;
    [[nodiscard]] std::vector<double> sum_errors(const RecordedResult& result);
    /// By element, the part of conditioned() that has a closed form: sums, terms that cancel,
    /// statistics. Empty: nothing.
    [[nodiscard]] const std::vector<double>& in_closed_form(const VectorClass& by,
                                                            const RecordedResult& result);
    /// What conditioned() has at least, as far as it has a closed form. Empty: nothing is known.
    [[nodiscard]] std::vector<double> least_conditioned(const VectorClass& by,
                                                        const RecordedResult& result);
    /// By element, what is allowed beside a few units: conditioning, cancellation, sums. Empty: no
    /// more.
    [[nodiscard]] const std::vector<double>& conditioned(const VectorClass& by,
                                                         const RecordedResult& result,
                                                         const Tensor& exact);
    /// Of a result whose exact elements are given, with `beside` by element or empty.
    [[nodiscard]] AllowedErrors allowed(const VectorClass& by,
                                        const RecordedResult& result,
                                        std::span<const double> exact,
                                        std::span<const double> beside) const;

    const OpRun& run_;
    DisturbedRuns disturbed_;
    bool is_part_known_ = false;
    std::optional<PartOfRun> part_run_;
    std::unique_ptr<VectorError> part_;
    std::optional<std::optional<Results>> sizes_;
    std::map<std::pair<int, HonestRuns>, std::vector<Results>> honest_;  ///< by the steps' bits
    /// By the bits of the steps and the result.
    std::map<std::pair<int, std::string>, std::vector<double>> closed_forms_;
    std::map<std::pair<int, std::string>, std::vector<double>> conditioned_;
};

}  // namespace npuscope::diagnose
