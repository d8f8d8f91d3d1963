// What honest arithmetic makes of a matrix product or convolution.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/closeness.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/part_of_run.h"
#include "diagnose/judge/result_error.h"
#include "diagnose/judge/result_in_limit.h"
#include "diagnose/judge/rounded_operands.h"

namespace npuscope::diagnose {

/// Holds one run's results against the classes: the operands are rounded as the class does it (or
/// the error of that is bounded), the rest is at most
///   u (min(K, 4 sqrt K) + 2) S + u |y| + half a unit of the result,
/// u the unit of the sums, S = f(|inputs|), K the number of products added up.
/// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 3.1 and 3.5;
/// Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis (2019), for sqrt K; 4
/// because rounding errors of alike numbers are alike.
/// What it computes is kept for the next question. Borrows the run. Threads: one.
class ProductError {
  public:
    explicit ProductError(const OpRun& run) : run_(run) {}

    /// Empty where the op does not give that result.
    [[nodiscard]] std::optional<compare::Introduced> judge(const ProductClass& by,
                                                           const RecordedResult& result,
                                                           bool details,
                                                           const Tightness& tight = {});
    /// Empty where the op does not give that result.
    [[nodiscard]] std::optional<ResultInLimit> in_limit(const ProductClass& by,
                                                        const RecordedResult& result);
    /// Of a large run that of a part.
    [[nodiscard]] std::optional<ResultInLimit> part_in_limit(const ProductClass& by,
                                                             const RecordedResult& result);
    /// Of operands in 16 bits: as judge(), where the parts of a long sum are rounded to that
    /// format, each about as large as sqrt(K) of its products. Empty of others.
    [[nodiscard]] std::optional<compare::Introduced> judge_in_parts(const ProductClass& by,
                                                                    const RecordedResult& result);
    /// Empty where nothing is computed here by the class.
    /// No more is computed than shows times() to be `enough` or less.
    [[nodiscard]] std::optional<Closeness> closeness(const ProductClass& by,
                                                     const RecordedResult& result,
                                                     HonestRuns which,
                                                     double enough);
    /// The largest ratio over the results.
    [[nodiscard]] std::optional<double> ratio(const ProductClass& by) {
        return worst_ratio(run_, *this, by);
    }

    /// Gives back what was computed of rounded operands.
    void forget_rounded();

  private:
    [[nodiscard]] bool has_bias() const;
    struct Bound {
        std::span<const double> exact;
        AllowedErrors limit;
        compare::Introduced error;  ///< measured against the limit
    };
    /// Of which question the bound was the answer.
    struct Asked {
        ProductClass by;
        Rounded which = Rounded::kOperands;
        std::string result;
        friend bool operator==(const Asked&, const Asked&) = default;
    };

    [[nodiscard]] const Results* exact(const ProductClass& by, Rounded which);
    [[nodiscard]] bool is_within(const NumberFormat& format);
    [[nodiscard]] double largest_bias() const;
    [[nodiscard]] const Results* magnitude(double relative, double absolute, bool by_largest);
    /// Kept until another is asked for; nullptr where the op gives no such result.
    [[nodiscard]] const Bound* bound(const ProductClass& by,
                                     Rounded which,
                                     const RecordedResult& result);
    [[nodiscard]] std::optional<Bound> bound_of(const ProductClass& by,
                                                Rounded which,
                                                const RecordedResult& result);
    [[nodiscard]] std::optional<compare::Introduced> judge_as(const ProductClass& by,
                                                              Rounded which,
                                                              const RecordedResult& result,
                                                              bool details,
                                                              const Tightness& tight);

    /// As a transform's result where the op may be one and that explains it, else as it was judged.
    [[nodiscard]] std::optional<compare::Introduced> by_transform(
        const ProductClass& by,
        const RecordedResult& result,
        bool details,
        std::optional<compare::Introduced> plain);

    /// Of a large run: the result of a part with the elements that are furthest off; nullptr
    /// without one.
    [[nodiscard]] const RecordedResult* part_result(const RecordedResult& result,
                                                    std::span<const double> exact);

    const OpRun& run_;
    bool is_part_known_ = false;
    std::optional<PartOfRun> part_run_;
    std::unique_ptr<ProductError> part_;
    std::map<std::string, std::optional<Results>> computed_;
    std::map<std::string, std::vector<double>> spread_;
    std::optional<Asked> asked_;
    std::optional<Bound> bound_;     ///< what was asked last
    std::optional<double> largest_;  ///< magnitude of the finite operands
};

/// How many products are added up to one element of the result.
[[nodiscard]] int64_t contraction_length(const OpRun& run, const std::string& result);

}  // namespace npuscope::diagnose
